import type { Context as KoaContext, Middleware } from 'koa'
import type { Context } from '../../domain/context.js'
import {
  lookAtOwnTraffic,
  OWN_DIMENSIONS,
  type OwnDimension,
} from '../../domain/operating/overview/own-traffic.js'
import { describeCount } from '../../domain/operating/overview/figures.js'
import { isSpan, SPANS, type Span } from '../../domain/operating/overview/spans.js'
import { UserError } from '../../errors.js'
import type { Busiest, Busy } from '../../database/operating/overview/busiest.js'
import { queryOf } from './form-values.js'
import { Empty, Time } from './form.js'
import { Layout } from './layout.js'
import { linePath } from './lines/line/section.js'
import { Bars } from './operating/overview/busiest.js'
import { Charts } from './operating/overview/charts.js'
import { answerPage, pageOf } from './page.js'
import { PageHead } from './parts/page-head.js'
import { sessionOf } from './people/session.js'
import { UserText } from './user-text.js'

const TRAFFIC = '/console/traffic'

/** What came and went on the user's own lines, as operators see it of all. */
export function showTraffic(context: Context): Middleware {
  return async (ctx) => {
    const { span, by } = asked(ctx)
    const { traffic, busiest } = await lookAtOwnTraffic(context, sessionOf(ctx).userId, span, by)
    const since = traffic.bins[0]?.at ?? new Date()
    const links = { ...OF_MESSAGES, received: { direction: 'inbound' } } as Record<string, object>
    answerPage(
      ctx,
      <Layout page={pageOf(ctx, context)} title="Traffic">
        <PageHead
          title="Traffic"
          acts={
            <nav class="spans" aria-label="Time range">
              {(Object.keys(SPANS) as Span[]).map((each) => (
                <Choice key={each} href={`${TRAFFIC}?span=${each}&by=${by}`} isHere={each === span}>
                  {each}
                </Choice>
              ))}
            </nav>
          }
        />
        <Charts
          traffic={traffic}
          hrefOf={(name) => (name in links ? activityPath({ ...links[name], ...sinceOf(since) }) : undefined)}
        />
        <section id="busiest" aria-labelledby="busiest-title">
          <h2 id="busiest-title">Busiest</h2>
          <nav class="spans" aria-label="Split by">
            {OWN_DIMENSIONS.map((each) => (
              <Choice
                key={each}
                href={`${TRAFFIC}?span=${span}&by=${each}#busiest`}
                isHere={each === by}
              >{`By ${each}`}</Choice>
            ))}
          </nav>
          <BusyTable {...{ busiest, by, span, since }} />
        </section>
      </Layout>,
    )
  }
}

/** The filter of the activity that lists what a figure counts. */
const OF_MESSAGES = {
  accepted: { direction: 'outbound' },
  delivered: { direction: 'outbound', status: 'delivered' },
  failed: { direction: 'outbound', status: 'failed' },
  unknown: { direction: 'outbound', status: 'unknown' },
}

function Choice({ href, isHere, children }: { href: string; isHere: boolean; children: string }) {
  return (
    <a href={href} {...(isHere ? { 'aria-current': 'page' as const } : {})}>
      {children}
    </a>
  )
}

function BusyTable(props: { busiest: Busiest; by: OwnDimension; span: Span; since: Date }) {
  const { busiest, by, span, since } = props
  if (busiest.rows.length === 0) return <Empty>No messages in {SPANS[span].words}.</Empty>
  const of = (busy: Busy, query: object) =>
    by === 'line'
      ? activityPath({ line: busy.id, ...query, ...sinceOf(since) })
      : `/console/endpoints/${busy.id}`
  const noun = by === 'line' ? 'Line' : 'Endpoint'
  return (
    <>
      <table class="rows">
        <thead>
          <tr>
            <th>{noun}</th>
            <th class="r">{by === 'line' ? 'Sent' : 'Events'}</th>
            {by === 'line' && <th class="r">Received</th>}
            <th class="r">Failed</th>
            <th class="r">Over time</th>
          </tr>
        </thead>
        <tbody>
          {busiest.rows.map((busy) => (
            <tr key={busy.id}>
              <td data-label={noun}>
                <a href={by === 'line' ? linePath(busy.id) : `/console/endpoints/${busy.id}`}>
                  <UserText>{busy.name}</UserText>
                </a>
              </td>
              <td data-label={by === 'line' ? 'Sent' : 'Events'} class="r">
                <a href={of(busy, { direction: 'outbound' })}>{describeCount(busy.outCount)}</a>
              </td>
              {by === 'line' && (
                <td data-label="Received" class="r">
                  <a href={of(busy, { direction: 'inbound' })}>{describeCount(busy.inCount)}</a>
                </td>
              )}
              <td data-label="Failed" class="r">
                <a href={of(busy, { direction: 'outbound', status: 'failed' })}>
                  {describeCount(busy.failedCount)}
                </a>
              </td>
              <td data-label="Over time" class="r">
                <Bars busy={busy} count={SPANS[span].binCount} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {busiest.lookedBackTo !== null && (
        <p class="muted">
          Based on the newest {by === 'line' ? 'messages' : 'events'}, since{' '}
          <Time at={busiest.lookedBackTo} />.
        </p>
      )}
    </>
  )
}

function activityPath(query: object): string {
  return `/console/activity?${new URLSearchParams(query as Record<string, string>).toString()}`
}

/** As the activity's own form writes it. */
function sinceOf(since: Date): { from: string; zone: string } {
  return { from: since.toISOString().slice(0, 16), zone: 'UTC' }
}

/** @throws UserError naming what may be asked for */
function asked(ctx: KoaContext): { span: Span; by: OwnDimension } {
  const [span, written] = [queryOf(ctx, 'span') || '24h', queryOf(ctx, 'by') || 'line']
  if (!isSpan(span)) throw new UserError(`span must be one of ${Object.keys(SPANS).join(', ')}`)
  const by = OWN_DIMENSIONS.find((each) => each === written)
  if (by === undefined) throw new UserError(`by must be one of ${OWN_DIMENSIONS.join(', ')}`)
  return { span, by }
}
