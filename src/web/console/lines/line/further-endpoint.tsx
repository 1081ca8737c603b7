import type { Middleware } from 'koa'
import { getConnection } from '../../../../domain/lines/connection-overview.js'
import type { Context } from '../../../../domain/context.js'
import { getEndpointWork } from '../../../../domain/endpoints/deliveries/endpoint-work.js'
import { getPolicy } from '../../../../domain/endpoints/endpoint-policies.js'
import {
  changeLineEndpoint,
  deleteLineEndpoint,
  enableLineEndpoint,
  getLineEndpoint,
  type LineEndpoint,
} from '../../../../domain/endpoints/line-endpoints.js'
import { getOwnLine } from '../../../../domain/lines/lines.js'
import { LINE_OPT_IN_EVENT_TYPES } from '../../../../domain/endpoints/opt-in-events.js'
import { withHost } from '../../../../domain/operating/overview/endpoints.js'
import { pauseOf } from '../../../../domain/operating/pauses.js'
import { revealSigningSecret } from '../../../../domain/endpoints/signing-secrets.js'
import { TEST_EVENT_TYPES, type TestEventResult } from '../../../../domain/endpoints/test-event.js'
import { actingFor } from '../../../actor.js'
import { Health } from '../../endpoints/health.js'
import { OptInEvents } from '../../endpoints/opt-in-events.js'
import { offerOfPause, PauseEvents } from '../../endpoints/pause.js'
import { Policy, type ShownPreview } from '../../endpoints/policy.js'
import { EndpointSecret, SIGNING_SECRET, WhatItIsFor } from '../../endpoints/signing-secret.js'
import { EndpointState } from '../../endpoints/state.js'
import { TestEvent } from '../../endpoints/test-event.js'
import { fieldOf, idOf, queryOf, valuesOf } from '../../form-values.js'
import { Confirm, Field, Form } from '../../form.js'
import { Layout } from '../../layout.js'
import { answerPage, pageOf, shownOnce, type Act, type Page } from '../../page.js'
import { isConfirmed, sessionOf } from '../../people/session.js'
import { UserText } from '../../user-text.js'
import { endpointOf, endpointWithNotice, furtherPath } from './endpoint-paths.js'
import type { EndpointNow } from './endpoint.js'
import { EndpointName, NameField } from './further-endpoints.js'
import { findHeldEvents, HeldEvents } from './held-events.js'
import { lineWithNotice, sectionPath } from './section.js'

/** What the forms bring about. */
interface Shown {
  testEvent: TestEventResult
  policyPreview: ShownPreview
}

interface EndpointView {
  page: Page
  line: Awaited<ReturnType<typeof getOwnLine>>
  endpoint: LineEndpoint
  pause: Parameters<typeof PauseEvents>[0]['endpoint']
  now: EndpointNow
  /** The line's developer connection is enabled. */
  isConnected: boolean
  /** `/console/lines/…/endpoints/…` */
  path: string
}

/** One of a line's further endpoints: what the tab of the line has for its outgoing webhook URL. */
export function showFurtherEndpoint(context: Context): Middleware {
  return async (ctx) => {
    const { userId } = sessionOf(ctx)
    const line = await getOwnLine(context, userId, idOf(ctx, 'lineId'))
    const endpoint = await getLineEndpoint(context, userId, line.id, idOf(ctx, 'endpointId'))
    const { id, pausedAt, pausedByUser } = endpoint
    const isAsked = ctx.method === 'GET' && queryOf(ctx, 'show') === 'secret'
    if (isAsked && !isConfirmed(ctx, `${ctx.url}#${SIGNING_SECRET}`)) return
    const secret = isAsked
      ? await revealSigningSecret(actingFor(ctx, context), userId, line.id, id)
      : undefined
    const { enabled } = await getConnection(context, userId, line.id)
    const view: EndpointView = {
      page: pageOf(ctx, context),
      line,
      endpoint,
      pause: { pausedAt, pausedBy: pauseOf({ userId, pausedAt, pausedBy: pausedByUser })?.by ?? null },
      now: {
        held: await findHeldEvents(context, line, id),
        work: await getEndpointWork(context, id),
        policy: await getPolicy(context, { of: 'line', id: line.id, userId, furtherId: id }),
      },
      isConnected: enabled,
      path: furtherPath(line.id, id),
    }
    answerPage(
      ctx,
      <Layout page={view.page} title={`${endpoint.name ?? withHost(endpoint).host} · ${line.name}`}>
        <div class="line">
          <Head view={view} />
          <Events view={view} shown={shownOnce<Shown>(ctx)} />
          <Secret view={view} secret={secret} />
          <Delete view={view} />
        </div>
      </Layout>,
    )
  }
}

function Head({ view }: { view: EndpointView }) {
  const { page, line, endpoint, path } = view
  const action = `${path}/fields`
  const stray = strayFault(view)
  return (
    <header>
      <h1>
        <EndpointName endpoint={endpoint} />
      </h1>
      {stray !== undefined && (
        <p role="alert" class="fault">
          {stray}
        </p>
      )}
      <p class="facts">
        <EndpointState endpoint={endpoint} />
        <span>
          a further endpoint of{' '}
          <a href={sectionPath(line.id, 'endpoints')}>
            <UserText>{line.name}</UserText>
          </a>
        </span>
      </p>
      <p>
        What the line receives is posted to <code>{endpoint.url}</code> too, signed.
      </p>
      <details open={page.fault?.action === action}>
        <summary>Edit</summary>
        <Form page={page} action={action}>
          <Field
            {...{ page, action }}
            name="url"
            label="URL of the endpoint"
            type="url"
            value={endpoint.url}
            autocomplete="off"
            required
          />
          <NameField page={page} action={action} value={endpoint.name ?? ''} />
          <OptInEvents {...{ page, action }} types={LINE_OPT_IN_EVENT_TYPES} chosen={endpoint.optInEvents} />
          <button type="submit">Save the endpoint</button>
        </Form>
      </details>
    </header>
  )
}

function Events({ view, shown }: { view: EndpointView; shown: Partial<Shown> }) {
  const { page, line, endpoint, pause, now, isConnected, path } = view
  return (
    <section id="events" aria-labelledby="events-title">
      <h2 id="events-title">Events</h2>
      {!isConnected && (
        <p class="empty">
          It gets none while the developer connection is off:{' '}
          <a href={sectionPath(line.id, 'connection')}>enable it first</a>.
        </p>
      )}
      <Policy page={page} action={`${path}/policy`} policy={now.policy} preview={shown.policyPreview} />
      {isConnected && (
        <TestEvent
          page={page}
          action={`${path}/test-event`}
          result={shown.testEvent}
          types={TEST_EVENT_TYPES}
        />
      )}
      <Health
        page={page}
        endpoint={{ ...endpoint, ...now.work }}
        enableAction={`${path}/enable`}
        activityPath={`/console/activity?line=${line.id}`}
        tryAction={`${path}/try-events-now`}
      />
      <PauseEvents page={page} endpoint={pause} action={path} />
      {now.held.length > 0 && (
        <HeldEvents
          page={page}
          action={`${path}/send-held-events`}
          held={now.held}
          maySend={maySendHeld(view)}
          isConnected={isConnected}
        />
      )}
    </section>
  )
}

function Secret({ view, secret }: { view: EndpointView; secret: string | undefined }) {
  const { page, endpoint, path } = view
  return (
    <section id={SIGNING_SECRET} aria-labelledby={`${SIGNING_SECRET}-title`}>
      <h2 id={`${SIGNING_SECRET}-title`}>Signing secret</h2>
      <WhatItIsFor />
      <EndpointSecret
        page={page}
        path={path}
        secret={secret}
        previousUntil={endpoint.previousSecretUntil}
        rotateAction={`${path}/rotate-secret`}
      />
    </section>
  )
}

function Delete({ view: { page, path } }: { view: EndpointView }) {
  return (
    <section id="delete" aria-labelledby="delete-title">
      <h2 id="delete-title">Delete</h2>
      <Confirm
        page={page}
        action={`${path}/delete`}
        label="Delete the endpoint…"
        consequence="It gets no more events, and those that wait for it end. Its secret is not used again."
        button="Delete the endpoint"
      />
    </section>
  )
}

function maySendHeld({ isConnected, endpoint, now }: EndpointView): boolean {
  return isConnected && endpoint.disabledAt === null && now.held.length > 0
}

/** What was wrong with a form that is not on the page now. */
function strayFault(view: EndpointView): string | undefined {
  const { page, endpoint, pause, isConnected, now, path } = view
  const isDisabled = endpoint.disabledAt !== null
  const offers = [
    ...['fields', 'policy', 'policy/preview', 'rotate-secret', 'delete'].map((form) => `${path}/${form}`),
    ...(isConnected ? [`${path}/test-event`] : []),
    ...(isDisabled ? [`${path}/enable`] : []),
    ...(!isDisabled && endpoint.failingSince !== null && now.work.waitingCount > 0
      ? [`${path}/try-events-now`]
      : []),
    ...(maySendHeld(view) ? [`${path}/send-held-events`] : []),
    ...offerOfPause(page, pause, path),
  ]
  return page.fault === undefined || offers.includes(page.fault.action) ? undefined : page.fault.message
}

export function postEndpointFields(context: Context): Act {
  return async (ctx) => {
    const asked = endpointOf(ctx)
    const { userId, lineId, furtherId = '' } = asked
    await changeLineEndpoint(context, userId, lineId, furtherId, {
      name: fieldOf(ctx, 'name'),
      url: fieldOf(ctx, 'url'),
      optInEvents: valuesOf(ctx, 'optInEvents'),
    })
    return endpointWithNotice(asked, 'endpoint-saved')
  }
}

export function postEnableFurtherEndpoint(context: Context): Act {
  return async (ctx) => {
    const asked = endpointOf(ctx)
    await enableLineEndpoint(context, asked.userId, asked.lineId, asked.furtherId ?? '')
    return endpointWithNotice(asked, 'endpoint-enabled')
  }
}

export function postDeleteFurtherEndpoint(context: Context): Act {
  return async (ctx) => {
    const { userId, lineId, furtherId = '' } = endpointOf(ctx)
    await deleteLineEndpoint(context, userId, lineId, furtherId)
    return lineWithNotice(lineId, 'endpoint-deleted')
  }
}
