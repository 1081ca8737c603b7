import type { Context as KoaContext, Middleware } from 'koa'
import type { Context } from '../../domain/context.js'
import {
  readOwnTraffic,
  OWN_DIMENSIONS,
  type OwnDimension,
} from '../../domain/operating/overview/own-traffic.js'
import { isSpan, SPANS, type Span } from '../../domain/operating/overview/spans.js'
import { UserError } from '../../errors.js'
import type { Busiest } from '../../database/operating/overview/busiest.js'
import { queryOf } from './form-values.js'
import { Empty, Time } from './form.js'
import { Layout } from './layout.js'
import { linePath } from './lines/line/section.js'
import { BusyTable } from './operating/overview/busiest.js'
import { Charts } from './operating/overview/charts.js'
import { answerPage, pageOf } from './page.js'
import { PageHead } from './parts/page-head.js'
import { sessionOf } from './people/session.js'
import { writeInstant } from './time-filter.js'

const TRAFFIC = '/console/traffic'

/** Shows the traffic of the user's own lines, as the overview does for all lines. */
export function showTraffic(context: Context): Middleware {
  return async (ctx) => {
    const { span, by } = asked(ctx)
    const { traffic, busiest, lookedBackTo } = await readOwnTraffic(context, sessionOf(ctx).userId, span, by)
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
                  {SPANS[each].label}
                </Choice>
              ))}
            </nav>
          }
        />
        <CompleteSince at={lookedBackTo} of="messages and events" />
        <Charts
          traffic={traffic}
          countedAt="arrival"
          hrefOf={(name) =>
            name in links ? activityPath({ ...links[name], from: writeInstant(since) }) : undefined
          }
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
          <OwnBusiest {...{ busiest, by, span, since }} />
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

/** The filter of the activity that lists what a figure of a line counts. */
const OF_FIGURES = {
  out: { direction: 'outbound' },
  in: { direction: 'inbound' },
  failed: { direction: 'outbound', status: 'failed' },
}

function OwnBusiest(props: { busiest: Busiest; by: OwnDimension; span: Span; since: Date }) {
  const { busiest, by, span, since } = props
  const noun = by === 'line' ? 'messages' : 'events'
  if (busiest.rows.length === 0)
    return (
      <Empty>
        No {noun} in {SPANS[span].words}.
      </Empty>
    )
  return (
    <>
      <BusyTable
        rows={busiest.rows.map((busy) => ({ ...busy, ownerEmail: null }))}
        {...{ by, span }}
        pathOf={({ id }) => (by === 'line' ? linePath(id) : endpointPath(id))}
        figurePathOf={({ id }, figure) =>
          by === 'line'
            ? activityPath({ line: id, ...OF_FIGURES[figure], from: writeInstant(since) })
            : endpointPath(id)
        }
      />
      <CompleteSince at={busiest.lookedBackTo} of={noun} />
    </>
  )
}

function CompleteSince({ at, of }: { at: Date | null; of: string }) {
  if (at === null) return null
  return (
    <p class="muted">
      Complete since <Time at={at} />. Earlier {of} of your busiest lines are not counted.
    </p>
  )
}

function endpointPath(id: string): string {
  return `/console/endpoints/${id}`
}

function activityPath(query: object): string {
  return `/console/activity?${new URLSearchParams(query as Record<string, string>).toString()}`
}

/** @throws UserError naming the possible values */
function asked(ctx: KoaContext): { span: Span; by: OwnDimension } {
  const [span, written] = [queryOf(ctx, 'span') || '24h', queryOf(ctx, 'by') || 'line']
  if (!isSpan(span)) throw new UserError(`span must be one of ${Object.keys(SPANS).join(', ')}`)
  const by = OWN_DIMENSIONS.find((each) => each === written)
  if (by === undefined) throw new UserError(`by must be one of ${OWN_DIMENSIONS.join(', ')}`)
  return { span, by }
}
