import type { Middleware } from 'koa'
import { listAccountDeliveries, listDeliveries } from '../../../database/endpoints/deliveries/reading.js'
import { getApplication } from '../../../domain/applications/applications.js'
import type { Context } from '../../../domain/context.js'
import { EVENT_TYPES, isOfAccount, type EventType } from '../../../event-types.js'
import { getEndpointWork, type EndpointWork } from '../../../domain/endpoints/deliveries/endpoint-work.js'
import { findMissed, type Missed } from '../../../domain/endpoints/deliveries/replay.js'
import { getEndpoint, type Endpoint } from '../../../domain/endpoints/endpoints.js'
import { optInEventsOf, unaskedEventsOf } from '../../../domain/endpoints/opt-in-events.js'
import { getPolicy, type ShownPolicy } from '../../../domain/endpoints/policies.js'
import { revealSigningSecret } from '../../../domain/endpoints/signing-secrets.js'
import { testEventTypesOf, type TestEventResult } from '../../../domain/endpoints/test-event.js'
import { getConnection } from '../../../domain/lines/connection-overview.js'
import { getOwnLine } from '../../../domain/lines/lines.js'
import { withHost } from '../../../domain/operating/overview/endpoints.js'
import { pauseOf } from '../../../domain/operating/pauses.js'
import { actingFor } from '../../actor.js'
import { applicationPath } from '../applications/application/page-model.js'
import { queryOf } from '../form-values.js'
import { Confirm, Field, Form } from '../form.js'
import { Layout } from '../layout.js'
import { sectionPath } from '../lines/line/section.js'
import { answerPage, pageOf, shownOnce, type Page } from '../page.js'
import { isConfirmed } from '../people/session.js'
import { UserText } from '../user-text.js'
import { OPERATIONAL } from '../people/settings/operational-webhooks.js'
import { askedEndpoint } from './acts.js'
import { Health } from './health.js'
import { HeldEvents, MAX_SHOWN, type HeldDelivery } from './held-events.js'
import { EndpointName, NameField } from './name.js'
import { OptInEvents } from './opt-in-events.js'
import { endpointPath } from './path.js'
import { offerOfPause, PauseEvents } from './pause.js'
import { Policy, type ShownPreview } from './policy.js'
import { Replay, type CountedReplay } from './replay.js'
import { EndpointSecret, SIGNING_SECRET, WhatItIsFor } from './signing-secret.js'
import { EndpointState } from './state.js'
import { TestEvent } from './test-event.js'

/** What the forms bring about. */
interface Shown {
  testEvent: TestEventResult
  policyPreview: ShownPreview
  replayCount: CountedReplay
}

/** The line, application or account whose events an endpoint gets. */
interface Owner {
  what: 'line' | 'application' | 'account'
  name: string
  href: string
  /** A line's developer connection may be off; it is switched on there. */
  isOn: boolean
  switchPath: string
  activityPath: string
}

interface EndpointView {
  page: Page
  endpoint: Endpoint
  owner: Owner
  pause: Parameters<typeof PauseEvents>[0]['endpoint']
  held: readonly HeldDelivery[]
  work: EndpointWork
  policy: ShownPolicy
  missed: Missed | undefined
  /** `/console/endpoints/…` */
  path: string
}

/**
 * An endpoint of a line, an application or an account: where its events go, how it does, and what can be done about it.
 */
export function showEndpoint(context: Context): Middleware {
  return async (ctx) => {
    const { asker, id } = askedEndpoint(ctx)
    const endpoint = await getEndpoint(context, asker, id)
    const isAsked = ctx.method === 'GET' && queryOf(ctx, 'show') === 'secret'
    if (isAsked && !isConfirmed(ctx, `${ctx.url}#${SIGNING_SECRET}`)) return
    const secret = isAsked ? await revealSigningSecret(actingFor(ctx, context), asker, id) : undefined
    const owner = await findOwner(context, endpoint)
    const { userId, pausedAt, pausedByUser, lineId, applicationId } = endpoint
    const mayReplay = owner.isOn && endpoint.disabledAt === null
    const view: EndpointView = {
      page: pageOf(ctx, context),
      endpoint,
      owner,
      pause: { pausedAt, pausedBy: pauseOf({ userId, pausedAt, pausedBy: pausedByUser })?.by ?? null },
      // What came to other people's lines is theirs: of an application's the number is enough.
      held: applicationId === null ? await findHeld(context, userId, lineId, id) : [],
      work: await getEndpointWork(context, id),
      policy: await getPolicy(context, asker, id),
      missed: mayReplay
        ? await findMissed(context, { of: 'endpoint', asker, endpointId: id, userId })
        : undefined,
      path: endpointPath(id),
    }
    answerPage(
      ctx,
      <Layout page={view.page} title={`${endpoint.name ?? withHost(endpoint).host} · ${owner.name}`}>
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

async function findOwner(context: Context, endpoint: Endpoint): Promise<Owner> {
  const { userId, lineId, applicationId, isOutgoingWebhook } = endpoint
  if (lineId === null && applicationId === null) {
    return {
      ...{ what: 'account', name: 'your account', href: OPERATIONAL, isOn: true, switchPath: OPERATIONAL },
      activityPath: '/console/notices',
    }
  }
  if (lineId === null) {
    const { id, name } = await getApplication(context, userId, applicationId ?? '')
    const href = applicationPath(id)
    return {
      what: 'application',
      name,
      href,
      isOn: true,
      switchPath: href,
      activityPath: `${href}#deliveries`,
    }
  }
  const { name } = await getOwnLine(context, userId, lineId)
  const { enabled } = await getConnection(context, userId, lineId)
  return {
    what: 'line',
    name,
    href: sectionPath(lineId, isOutgoingWebhook ? 'outgoing-webhook' : 'endpoints'),
    isOn: enabled,
    switchPath: sectionPath(lineId, 'connection'),
    activityPath: `/console/activity?line=${lineId}`,
  }
}

/** Newest first, at most one more than is shown. */
function findHeld({ db }: Context, userId: string, lineId: string | null, endpointId: string) {
  if (lineId === null) {
    return listAccountDeliveries(db, userId, { endpointId, status: 'held' }, { limit: MAX_SHOWN + 1 })
  }
  return listDeliveries(db, userId, { lineId, endpointId, status: 'held' }, { limit: MAX_SHOWN + 1 })
}

/** Some notices are for operators only. */
function isFor({ session }: Page) {
  return (type: EventType) =>
    !isOfAccount(type) || EVENT_TYPES[type].who !== 'operators' || session?.role === 'operator'
}

const WHAT_IS_SENT = {
  line: 'Messages this line receives are',
  application: 'Messages connected lines receive are',
  account: 'Your notices are',
} as const

function Head({ view }: { view: EndpointView }) {
  const { page, owner, endpoint, path } = view
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
          {owner.what === 'account' ? (
            <>
              Operational webhook of <a href={owner.href}>your account</a>
            </>
          ) : (
            <>
              {endpoint.isOutgoingWebhook ? 'Outgoing webhook' : 'Endpoint'} of the {owner.what}{' '}
              <a href={owner.href}>
                <UserText>{owner.name}</UserText>
              </a>
            </>
          )}
        </span>
      </p>
      <p>
        {WHAT_IS_SENT[owner.what]} sent to <code>{endpoint.url}</code>, signed.
      </p>
      <details open={page.fault?.action === action}>
        <summary>Edit</summary>
        <Form page={page} action={action}>
          <Field
            {...{ page, action }}
            name="url"
            label="Endpoint URL"
            type="url"
            value={endpoint.url}
            autocomplete="off"
            required
          />
          <NameField page={page} action={action} value={endpoint.name ?? ''} />
          {optInEventsOf(endpoint).length > 0 && (
            <OptInEvents
              {...{ page, action }}
              types={optInEventsOf(endpoint)}
              chosen={endpoint.optInEvents}
            />
          )}
          <button type="submit">Save</button>
        </Form>
      </details>
    </header>
  )
}

function Events({ view, shown }: { view: EndpointView; shown: Partial<Shown> }) {
  const { page, endpoint, owner, pause, held, work, path } = view
  return (
    <section id="events" aria-labelledby="events-title">
      <h2 id="events-title">Events</h2>
      {!owner.isOn && (
        <p class="empty">
          No events are sent while the developer connection is off. <a href={owner.switchPath}>Enable it</a>.
        </p>
      )}
      <Policy
        page={page}
        action={`${path}/policy`}
        policy={view.policy}
        types={unaskedEventsOf(endpoint).filter(isFor(page))}
        preview={shown.policyPreview}
      />
      {owner.isOn && (
        <TestEvent
          page={page}
          action={`${path}/test-event`}
          result={shown.testEvent}
          types={testEventTypesOf(endpoint).filter(isFor(page))}
        />
      )}
      <Health
        page={page}
        endpoint={{ ...endpoint, ...work }}
        enableAction={`${path}/enable`}
        activityPath={owner.activityPath}
        tryAction={`${path}/try-now`}
      />
      <PauseEvents page={page} endpoint={pause} action={path} />
      {hasHeld(view) && (
        <HeldEvents
          page={page}
          action={`${path}/send-held-events`}
          held={held}
          maySend={maySendHeld(view)}
          isConnected={owner.isOn}
        />
      )}
      {owner.isOn && (
        <>
          <h3 id="replay">Replay</h3>
          <Replay
            page={page}
            action={`${path}/replay`}
            types={testEventTypesOf(endpoint).filter(isFor(page))}
            missed={view.missed}
            counted={shown.replayCount}
          />
        </>
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
        label="Delete endpoint…"
        consequence="It gets no more events, and those that wait for it end. Its secret is not used again."
        button="Delete the endpoint"
      />
    </section>
  )
}

function hasHeld({ held, work }: EndpointView): boolean {
  return held.length + work.heldCount > 0
}

function maySendHeld(view: EndpointView): boolean {
  return view.owner.isOn && view.endpoint.disabledAt === null && hasHeld(view)
}

/** What was wrong with a form that is not on the page now. */
function strayFault(view: EndpointView): string | undefined {
  const { page, endpoint, owner, pause, work, path } = view
  const isDisabled = endpoint.disabledAt !== null
  const offers = [
    ...['fields', 'policy', 'policy/preview', 'rotate-secret', 'delete'].map((form) => `${path}/${form}`),
    ...(owner.isOn ? [`${path}/test-event`, `${path}/replay`] : []),
    ...(isDisabled ? [`${path}/enable`] : []),
    ...(!isDisabled && endpoint.failingSince !== null && work.waitingCount > 0 ? [`${path}/try-now`] : []),
    ...(maySendHeld(view) ? [`${path}/send-held-events`] : []),
    ...offerOfPause(page, pause, path),
  ]
  return page.fault === undefined || offers.includes(page.fault.action) ? undefined : page.fault.message
}
