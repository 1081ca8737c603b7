import type { Context as KoaContext, Middleware } from 'koa'
import { DEFAULT_RETRY_WORDS } from '../../../domain/endpoints/deliveries/retry-schedule.js'
import type { Context } from '../../../domain/context.js'
import { EVENT_TYPES, isOfAccount, type EventType } from '../../../event-types.js'
import { MAX_COUNTED } from '../../../domain/endpoints/deliveries/endpoint-work.js'
import { findMissed } from '../../../domain/endpoints/deliveries/replay.js'
import { getEndpoint } from '../../../domain/endpoints/endpoints.js'
import { optInEventsOf, unaskedEventsOf } from '../../../domain/endpoints/opt-in-events.js'
import { revealSigningSecret } from '../../../domain/endpoints/signing-secrets.js'
import { testEventTypesOf, type TestEventResult } from '../../../domain/endpoints/test-event.js'
import { withHost } from '../../../domain/operating/overview/endpoints.js'
import { actingFor } from '../../actor.js'
import { queryOf } from '../form-values.js'
import { Confirm, Field, Form } from '../form.js'
import { Layout } from '../layout.js'
import { linePath, LINES } from '../lines/line/section.js'
import { live } from '../live.js'
import { answerPage, shownOnce, type Page } from '../page.js'
import { Fact, Facts } from '../parts/facts.js'
import { LivePiece } from '../parts/live-piece.js'
import { PageHead, type Crumbs } from '../parts/page-head.js'
import { EventChart } from '../sparkline.js'
import { isConfirmed } from '../people/session.js'
import { NeedsSignIn } from '../portal/needs-sign-in.js'
import { UserText } from '../user-text.js'
import { askedEndpoint } from './acts.js'
import { Health, needsAct, Places } from './health.js'
import { loadNow, type EndpointView } from './endpoint-view.js'
import { HeldEvents } from './held-events.js'
import { EndpointName, NameField } from './name.js'
import { OptInEvents } from './opt-in-events.js'
import { PauseEvents } from './pause.js'
import { Policy, scheduleWords, SHAPE_WORDS, type ShownPreview } from './policy.js'
import { Replay, type CountedReplay } from './replay.js'
import { EndpointSecret, SIGNING_SECRET, WhatItIsFor } from './signing-secret.js'
import { EndpointState } from './state.js'
import { TestEvent } from './test-event.js'

/** The results of the forms. */
interface Shown {
  testEvent: TestEventResult
  policyPreview: ShownPreview
  replayCount: CountedReplay
}

/**
 * Shows an endpoint of a line, an application or an account: the URL of its events, its health, and the acts on it.
 */
export function showEndpoint(context: Context): Middleware {
  return async (ctx) => {
    const { caller, id } = askedEndpoint(ctx)
    const endpoint = await getEndpoint(context, caller, id)
    const isAsked = ctx.method === 'GET' && queryOf(ctx, 'show') === 'secret'
    if (isAsked && !isConfirmed(ctx, `${ctx.url}#${SIGNING_SECRET}`)) return
    const secret = isAsked ? await revealSigningSecret(actingFor(ctx, context), caller, id) : undefined
    const now = await loadNow(context, ctx)
    const mayReplay = now.owner.isOn && endpoint.disabledAt === null
    const view: EndpointView = {
      ...now,
      missed: mayReplay
        ? await findMissed(context, { of: 'endpoint', caller, endpointId: id, userId: endpoint.userId })
        : undefined,
    }
    const { owner } = view
    answerPage(
      ctx,
      <Layout
        page={view.page}
        place={crumbsOf(view)[0]?.[1]}
        title={`${endpoint.name ?? withHost(endpoint).host} · ${owner.name}`}
      >
        <Head view={view} />
        <div class="with-facts">
          <div class="stack">
            <LivePart view={view} part="health" class="stack" />
            <Events view={view} shown={shownOnce<Shown>(ctx)} />
            {view.page.isPortal ? (
              <NeedsSignIn what="change the URL, see the signing secret, replay events or delete this endpoint" />
            ) : (
              <Secret view={view} secret={secret} />
            )}
            <Settings view={view} preview={shownOnce<Shown>(ctx).policyPreview} />
          </div>
          <aside>
            <LivePart view={view} part="facts" />
          </aside>
        </div>
      </Layout>,
    )
  }
}

/** These parts change by themselves. Each is separate, because people type in the forms between them. */
const PARTS = { health: HealthNow, facts: EndpointFacts, state: StateNow }

type Part = keyof typeof PARTS

/** The form that was refused stays until it is sent again. */
function LivePart({ view, part, ...more }: { view: EndpointView; part: Part; class?: string }) {
  const Now = PARTS[part]
  return (
    <LivePiece {...more} at={view.page.fault === undefined ? `${view.path}/live?part=${part}` : undefined}>
      <Now view={view} />
    </LivePiece>
  )
}

export function liveEndpoint(context: Context): Middleware {
  const render = async (ctx: KoaContext) => {
    const part = queryOf(ctx, 'part')
    const Now = PARTS[Object.hasOwn(PARTS, part) ? (part as Part) : 'health']
    return <Now view={await loadNow(context, ctx)} />
  }
  return live(context, render, (ctx) => {
    const { caller, id } = askedEndpoint(ctx)
    return getEndpoint(context, caller, id)
  })
}

/** Some notifications are for operators only. */
function isFor({ session }: Page) {
  return (type: EventType) =>
    !isOfAccount(type) || EVENT_TYPES[type].who !== 'operators' || session?.role === 'operator'
}

const WHAT_IS_SENT = {
  line: 'Messages this line receives',
  application: 'Messages connected lines receive',
  account: 'Your notifications',
} as const

function Head({ view }: { view: EndpointView }) {
  const { owner, endpoint } = view
  return (
    <>
      <PageHead
        crumbs={crumbsOf(view)}
        title={<EndpointName endpoint={endpoint} />}
        beside={<LivePart view={view} part="state" />}
      />
      {!owner.isOn && (
        <p class="fault">
          No events are sent while the developer connection is off.{' '}
          {!view.page.isPortal && (
            <>
              <a href={owner.switchPath}>Enable it</a>.
            </>
          )}
        </p>
      )}
    </>
  )
}

function StateNow({ view: { endpoint } }: { view: EndpointView }) {
  return <EndpointState endpoint={endpoint} />
}

function crumbsOf({ owner: { what, name, href }, endpoint: { lineId } }: EndpointView): Crumbs {
  if (what === 'account')
    return [['Settings', '/console/settings'] as const, ['Operational webhooks', href] as const]
  if (what === 'application' || lineId === null)
    return [
      ['Applications', '/console/applications'],
      [name, href],
    ]
  return [
    ['Lines', LINES],
    [name, linePath(lineId)],
    ['Receive', href],
  ]
}

/** Shows its URL and the form of its events, each value to copy. */
function EndpointFacts({ view: { endpoint, owner, work, policy } }: { view: EndpointView }) {
  const { waitingCount, heldCount } = work
  return (
    <Facts>
      <Fact label="URL" copyId="fact-url" what="the URL" isStacked>
        <code>{endpoint.url}</code>
      </Fact>
      <Fact label="Endpoint ID" copyId="fact-id" what="the endpoint ID" isStacked>
        <code>{endpoint.id}</code>
      </Fact>
      {owner.what !== 'account' && (
        <Fact label={owner.what === 'line' ? 'Line' : 'Application'}>
          <a href={owner.href}>
            <UserText>{owner.name}</UserText>
          </a>
        </Fact>
      )}
      <Fact label="Events">{WHAT_IS_SENT[owner.what]}</Fact>
      <Fact label="Waiting">
        {countWords(waitingCount)}
        {heldCount > 0 && `, ${countWords(heldCount)} held`}
      </Fact>
      <Fact label="Receives">
        <Places endpoint={work} />
      </Fact>
      <Fact label="Payload format">{SHAPE_WORDS[policy.shape]}</Fact>
      <Fact label="Retries">
        {policy.retrySchedule === 'default' ? DEFAULT_RETRY_WORDS : scheduleWords(policy)}
      </Fact>
      <Fact label="Signature">{policy.signature}</Fact>
    </Facts>
  )
}

function countWords(count: number): string {
  return count > MAX_COUNTED ? `${MAX_COUNTED}+` : String(count)
}

/** Shows its health first: the fault, the fix, and the last day; then what is held. */
function HealthNow({ view }: { view: EndpointView }) {
  const { page, endpoint, owner, pause, held, work, path, events } = view
  return (
    <>
      <section id="health" aria-labelledby="health-title">
        <h2 id="health-title">Health</h2>
        <Health
          page={page}
          endpoint={{ ...endpoint, ...work }}
          enableAction={`${path}/enable`}
          activityPath={owner.activityPath}
          tryAction={`${path}/try-now`}
        />
        {pause.pausedAt !== null && <PauseEvents page={page} endpoint={pause} action={path} />}
        {events !== undefined && <EventChart events={events} />}
      </section>
      {hasHeld(view) && (
        <section aria-labelledby="held">
          <HeldEvents
            page={page}
            action={`${path}/send-held-events`}
            held={held}
            maySend={maySendHeld(view)}
            isConnected={owner.isOn}
          />
        </section>
      )}
    </>
  )
}

function Events({ view, shown }: { view: EndpointView; shown: Partial<Shown> }) {
  const { page, endpoint, owner, work, path } = view
  if (!owner.isOn) return null
  return (
    <>
      <section id="test" aria-labelledby="test-title">
        <h2 id="test-title">Test event</h2>
        <TestEvent
          page={page}
          action={`${path}/test-event`}
          result={shown.testEvent}
          types={testEventTypesOf(endpoint).filter(isFor(page))}
          isPrimary={!needsAct({ ...endpoint, ...work })}
        />
      </section>
      {!page.isPortal && (
        <section aria-labelledby="replay">
          <h2 id="replay">Replay</h2>
          <Replay
            page={page}
            action={`${path}/replay`}
            types={testEventTypesOf(endpoint).filter(isFor(page))}
            missed={view.missed}
            counted={shown.replayCount}
          />
        </section>
      )}
    </>
  )
}

/** Rare acts are folded. */
function Settings({ view, preview }: { view: EndpointView; preview: ShownPreview | undefined }) {
  const { page, endpoint, pause, path } = view
  const action = `${path}/fields`
  return (
    <section id="settings" aria-labelledby="settings-title">
      <h2 id="settings-title">Settings</h2>
      <div class="folds">
        {!page.isPortal && (
          <details open={page.fault?.action === action}>
            <summary>URL and name</summary>
            <Form page={page} action={action}>
              <Field
                name="url"
                label="Endpoint URL"
                type="url"
                value={endpoint.url}
                autocomplete="off"
                required
              />
              <NameField value={endpoint.name ?? ''} />
              {optInEventsOf(endpoint).length > 0 && (
                <OptInEvents types={optInEventsOf(endpoint)} chosen={endpoint.optInEvents} />
              )}
              <button type="submit">Save</button>
            </Form>
          </details>
        )}
        <Policy
          page={page}
          action={`${path}/policy`}
          policy={view.policy}
          types={unaskedEventsOf(endpoint).filter(isFor(page))}
          preview={preview}
        />
        {pause.pausedAt === null && <PauseEvents page={page} endpoint={pause} action={path} />}
        {!page.isPortal && (
          <Confirm
            page={page}
            action={`${path}/delete`}
            label="Delete endpoint"
            consequence="It gets no more events, and the ones still waiting are dropped. Its secret is not used again."
            button="Delete endpoint"
          />
        )}
      </div>
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
        rotatedAt={endpoint.secretRotatedAt}
        rotateAction={`${path}/rotate-secret`}
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
