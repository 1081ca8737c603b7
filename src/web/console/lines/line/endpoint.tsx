import { changeConnection, setLineEndpointUrl } from '../../../../domain/lines/connections.js'
import type { Context } from '../../../../domain/context.js'
import { pauseLineEndpoint, resumeLineEndpoint } from '../../../../domain/endpoints/endpoint-pauses.js'
import { tryLineEventsNow } from '../../../../domain/endpoints/deliveries/try-now.js'
import type { ShownPolicy } from '../../../../domain/endpoints/endpoint-policies.js'
import type { EndpointWork } from '../../../../domain/endpoints/deliveries/endpoint-work.js'
import { LINE_OPT_IN_EVENT_TYPES } from '../../../../domain/endpoints/opt-in-events.js'
import {
  readTestEventType,
  sendTestEvent,
  TEST_EVENT_TYPES,
  type TestEventResult,
} from '../../../../domain/endpoints/test-event.js'
import { Health } from '../../endpoints/health.js'
import { OptInEvents } from '../../endpoints/opt-in-events.js'
import { offerOfPause, PauseEvents } from '../../endpoints/pause.js'
import { Policy, type ShownPreview } from '../../endpoints/policy.js'
import { TestEvent, TestEventOutcome } from '../../endpoints/test-event.js'
import { fieldOf, idOf, valuesOf } from '../../form-values.js'
import { Field, Form } from '../../form.js'
import { answerFragment, type Act } from '../../page.js'
import { pauserOf } from '../../operating/pauser.js'
import { sessionOf } from '../../people/session.js'
import { endpointOf, endpointWithNotice } from './endpoint-paths.js'
import { HeldEvents, type HeldDelivery } from './held-events.js'
import { lineWithNotice, NeedsConnection, Section, type LineView } from './section.js'

const ID = 'outgoing-webhook'

/** Of the endpoint that the line has. */
export interface EndpointNow {
  held: readonly HeldDelivery[]
  work: EndpointWork
  policy: ShownPolicy
}

export function LineEndpoint(props: {
  view: LineView
  now: EndpointNow | undefined
  testEvent: TestEventResult | undefined
  policyPreview: ShownPreview | undefined
}) {
  const { view, now, testEvent, policyPreview } = props
  const held = now?.held ?? []
  const { connection, path } = view
  const { enabled, outgoingWebhookUrl: url, endpoint } = connection
  const action = `${path}/${ID}`
  const maySendHeld = enabled && held.length > 0 && endpoint?.disabledAt === null
  const offers = [
    ...(enabled ? [action] : []),
    ...(enabled && url !== null
      ? [`${action}/test-event`, `${action}/events`, `${action}/try-events-now`]
      : []),
    ...(maySendHeld ? [`${action}/send-held-events`] : []),
    ...(now === undefined ? [] : [`${action}/policy`, `${action}/policy/preview`]),
    ...(endpoint === null ? [] : offerOfPause(view.page, endpoint, action)),
  ]
  return (
    <Section
      view={view}
      id={ID}
      title="Outgoing webhook"
      offers={offers}
      isAnswer={(testEvent ?? policyPreview) !== undefined}
    >
      <p>
        What the line receives (texts, pictures and files, voicemail) is posted to this URL of yours as JSON,
        signed.
      </p>
      {enabled && <UrlForm view={view} action={action} />}
      {!enabled && url !== null && (
        <p>
          <code>{url}</code>
        </p>
      )}
      {!enabled && <NeedsConnection view={view} />}
      {enabled && url !== null && <EventsForm view={view} action={`${action}/events`} />}
      {now !== undefined && (
        <Policy page={view.page} action={`${action}/policy`} policy={now.policy} preview={policyPreview} />
      )}
      {enabled && url !== null && (
        <TestEvent
          page={view.page}
          action={`${action}/test-event`}
          result={testEvent}
          types={TEST_EVENT_TYPES}
        />
      )}
      {endpoint !== null && now !== undefined && (enabled || endpoint.disabledAt !== null) && (
        <Health
          page={view.page}
          endpoint={{ ...endpoint, ...now.work }}
          enableAction={`${path}/connection/enable`}
          activityPath={`/console/activity?line=${view.line.id}`}
          tryAction={`${action}/try-events-now`}
        />
      )}
      {endpoint !== null && <PauseEvents page={view.page} endpoint={endpoint} action={action} />}
      {held.length > 0 && (
        <HeldEvents
          page={view.page}
          action={`${action}/send-held-events`}
          held={held}
          maySend={maySendHeld}
          isConnected={enabled}
        />
      )}
    </Section>
  )
}

function UrlForm({ view: { page, connection }, action }: { view: LineView; action: string }) {
  const url = connection.outgoingWebhookUrl
  return (
    <Form page={page} action={action}>
      <Field
        page={page}
        action={action}
        name="url"
        label="URL of your server"
        type="url"
        hint={
          url === null
            ? 'Such as https://example.com/linehook. It should answer 200 at once.'
            : 'Saved empty, it is removed, and gets nothing more.'
        }
        autocomplete="off"
        {...(url === null ? {} : { value: url })}
      />
      <button type="submit">Save the URL</button>
    </Form>
  )
}

function EventsForm({ view: { page, connection }, action }: { view: LineView; action: string }) {
  return (
    <Form page={page} action={action}>
      <OptInEvents
        page={page}
        action={action}
        types={LINE_OPT_IN_EVENT_TYPES}
        chosen={connection.optInEvents}
      />
      <button type="submit" class="secondary">
        Save the events
      </button>
    </Form>
  )
}

export function postOptInEvents(context: Context): Act {
  return async (ctx) => {
    const lineId = idOf(ctx, 'lineId')
    const optInEvents = valuesOf(ctx, 'optInEvents')
    await changeConnection(context, sessionOf(ctx).userId, lineId, { optInEvents })
    return lineWithNotice(lineId, 'events-saved')
  }
}

export function postLineEndpointUrl(context: Context): Act {
  return async (ctx) => {
    const lineId = idOf(ctx, 'lineId')
    const url = fieldOf(ctx, 'url').trim()
    await setLineEndpointUrl(context, sessionOf(ctx).userId, lineId, url === '' ? undefined : url)
    return lineWithNotice(lineId, url === '' ? 'url-removed' : 'url-saved')
  }
}

// The forms below are also those of a further endpoint.

export function postTryLineEventsNow(context: Context): Act {
  return async (ctx) => {
    const asked = endpointOf(ctx)
    await tryLineEventsNow(context, asked.userId, asked.lineId, asked.furtherId)
    return endpointWithNotice(asked, 'events-tried-now')
  }
}

export function postPauseEvents(context: Context): Act {
  return async (ctx) => {
    const asked = endpointOf(ctx)
    await pauseLineEndpoint(context, pauserOf(ctx), asked.userId, asked.lineId, asked.furtherId)
    return endpointWithNotice(asked, 'events-paused')
  }
}

export function postResumeEvents(context: Context): Act {
  return async (ctx) => {
    const asked = endpointOf(ctx)
    await resumeLineEndpoint(context, pauserOf(ctx), asked.userId, asked.lineId, asked.furtherId)
    return endpointWithNotice(asked, 'events-resumed')
  }
}

/** For htmx the result alone; else the page with the result in it. */
export function postTestEvent(context: Context): Act {
  return async (ctx) => {
    const type = readTestEventType(fieldOf(ctx, 'type'))
    const { userId, lineId, furtherId } = endpointOf(ctx)
    const testEvent = await sendTestEvent(context, userId, lineId, type, { furtherId })
    if (ctx.get('HX-Request') !== 'true') return { shown: { testEvent } }
    answerFragment(ctx, <TestEventOutcome result={testEvent} />)
    return undefined
  }
}
