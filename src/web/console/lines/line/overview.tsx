import type { Context as KoaContext, Middleware } from 'koa'
import type { VNode } from 'preact'
import { findFirstSteps } from '../../../../database/lines/first-steps.js'
import { listLineHealth } from '../../../../database/lines/line-health.js'
import type { OwnLine } from '../../../../database/lines/lines.js'
import type { Context } from '../../../../domain/context.js'
import { causesOfLine, groupCauses } from '../../../../domain/operating/causes.js'
import { countryName } from '../../../../domain/messages/country-guard.js'
import { MAX_COUNTED } from '../../../../domain/endpoints/deliveries/endpoint-work.js'
import { EndpointState, OnOff } from '../../endpoints/state.js'
import { ActivityList } from '../../messages/activity/list.js'
import { readActivityPage } from '../../messages/activity/page-model.js'
import { Ago, Empty } from '../../form.js'
import { live } from '../../live.js'
import { Attention } from '../../attention.js'
import { pageOf, type Page } from '../../page.js'
import { PhoneNumber } from '../../messages/phone-number.js'
import { Fact, Facts } from '../../parts/facts.js'
import { LivePiece } from '../../parts/live-piece.js'
import { countDay, Figures } from '../../parts/figures.js'
import { EventChart } from '../../sparkline.js'
import { FirstStepsLink } from '../start/steps.js'
import { askedLine } from './act.js'
import { Rename } from './head.js'
import { PageLink } from '../../portal/page-link.js'
import { hasPhones, linePath, sectionPath, type LineView, type SectionId } from './section.js'
import { lineTab } from './tab.js'

/** This number of rows fits beside the line's state. */
const RECENT = 8
/** All messages belong to one line, so no names are needed. */
const NO_NAMES = new Map<string, string>()

/** Shows the latest messages, beside the facts about the line. */
export function showLine(context: Context): Middleware {
  return lineTab(context, 'overview', async (_ctx, view) => (
    <>
      {!view.page.isPortal && (
        <FirstStepsLink line={view.line} steps={await findFirstSteps(context.db, view.line.id)} />
      )}
      <div class="with-facts">
        <LivePiece at={`${view.path}/live`}>{await now(context, view.page, view.line)}</LivePiece>
        <aside>
          <LineFacts view={view} />
          <Rename view={view} />
          {!view.page.isPortal && (
            <p>
              <a href={`${view.path}/export.zip`}>Export as ZIP</a>
            </p>
          )}
        </aside>
      </div>
    </>
  ))
}

export function liveLine(context: Context): Middleware {
  const lineOf = (ctx: KoaContext) => askedLine(context, ctx)
  return live(context, async (ctx) => now(context, pageOf(ctx, context), await lineOf(ctx)), lineOf)
}

async function now(context: Context, page: Page, line: OwnLine): Promise<VNode> {
  const [recent, [health], figures] = await Promise.all([
    readActivityPage(context, line.userId, { lineId: line.id }, { limit: RECENT }),
    listLineHealth(context.db, line.userId, line.id),
    countDay(context, line.userId, { lineId: line.id }),
  ])
  const needs = groupCauses(causesOfLine(line, health))
  return (
    <div class="stack">
      {needs.length > 0 && (
        <section aria-labelledby="needs">
          <h2 id="needs">Needs attention</h2>
          <Attention {...{ page, needs }} userId={line.userId} back={linePath(line.id)} />
        </section>
      )}
      <Figures figures={figures} lineId={line.id} />
      {health?.endpoints[0] !== undefined && <EventChart events={health.events} />}
      <section aria-labelledby="recent">
        <div class="title">
          <h2 id="recent">Recent activity</h2>
          <a href={`/console/activity?line=${line.id}`}>All activity</a>
        </div>
        {recent.activities.length === 0 ? (
          <Empty>No activity yet. This line's messages appear here automatically.</Empty>
        ) : (
          <ActivityList {...recent} zone={undefined} lineNames={NO_NAMES} />
        )}
      </section>
    </div>
  )
}

/** Shows the line's settings and state, each with a link to its section. */
function LineFacts({ view }: { view: LineView }) {
  const { line, connection, work, limits } = view
  const { heldCount = 0, calledAt = null, lastFailure = null } = work ?? {}
  const link = (section: SectionId, label: string) => (
    <PageLink page={view.page} href={sectionPath(line.id, section)}>
      {label}
    </PageLink>
  )
  return (
    <Facts>
      <Fact label="Number" copyId="fact-number">
        <PhoneNumber number={line.number} />
      </Fact>
      <Fact label="Line ID" copyId="fact-id" what="the line ID">
        <code>{line.id}</code>
      </Fact>
      <Fact label="Carrier">
        {line.carrierAccount}
        {hasPhones(view) && (
          <>
            {' '}
            (<a href="/simulator">phone simulator</a>)
          </>
        )}
      </Fact>
      <Fact label={link('connection', 'Connection')}>
        <OnOff isOn={connection.enabled} />
      </Fact>
      <Fact label={link('incoming-webhook', 'Webhook')}>
        <OnOff isOn={connection.incomingWebhook !== null} />
      </Fact>
      <Fact label={link('outgoing-webhook', 'Endpoint')}>
        <EndpointState endpoint={connection.endpoint && { ...connection.endpoint, calledAt, lastFailure }} />
      </Fact>
      <Fact label="Held">
        {heldCount > MAX_COUNTED ? `${MAX_COUNTED}+` : heldCount} {heldCount === 1 ? 'event' : 'events'}
      </Fact>
      <Fact label={link('limits', 'Rate limit')}>
        {limits.line.used} of {limits.line.limit} a minute
      </Fact>
      <Fact label="Sends to">{line.allowedCountries?.map(countryName).join(', ') ?? 'All countries'}</Fact>
      <Fact label="Last activity">
        {line.lastActivityAt === null ? 'None yet' : <Ago at={line.lastActivityAt} />}
      </Fact>
    </Facts>
  )
}
