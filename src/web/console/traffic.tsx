import type { Middleware } from 'koa'
import type { Context } from '../../domain/context.js'
import {
  readOwnTraffic,
  OWN_DIMENSIONS,
  type OwnDimension,
} from '../../domain/operating/overview/own-traffic.js'
import { SPANS, type Span } from '../../domain/operating/overview/spans.js'
import type { CountName } from '../../domain/operating/overview/traffic.js'
import type { Busiest } from '../../database/operating/overview/busiest.js'
import { endpointPath } from './endpoints/path.js'
import { Empty, Time } from './form.js'
import { Layout } from './layout.js'
import { linePath } from './lines/line/section.js'
import { BusyTable } from './operating/overview/busiest.js'
import { Charts } from './operating/overview/charts.js'
import { DimensionLinks, dimensionOf, SpanLinks, spanOf } from './operating/overview/links.js'
import { answerPage, pageOf } from './page.js'
import { PageHead } from './parts/page-head.js'
import { sessionOf } from './people/session.js'
import { filterPath, writeInstant } from './time-filter.js'

const TRAFFIC = '/console/traffic'
const ACTIVITY = '/console/activity'

/** Shows the traffic of the user's own lines, as the overview does for all lines. */
export function showTraffic(context: Context): Middleware {
  return async (ctx) => {
    const [span, by] = [spanOf(ctx) ?? '24h', dimensionOf(ctx, OWN_DIMENSIONS)]
    const { traffic, busiest, lookedBackTo } = await readOwnTraffic(context, sessionOf(ctx).userId, span, by)
    const since = traffic.bins[0]?.at ?? new Date()
    answerPage(
      ctx,
      <Layout page={pageOf(ctx, context)} title="Traffic">
        <PageHead title="Traffic" acts={<SpanLinks path={TRAFFIC} span={span} by={by} />} />
        <CompleteSince at={lookedBackTo} of="messages and events" />
        <Charts
          traffic={traffic}
          countedAt="arrival"
          hrefOf={(name) =>
            OF_MESSAGES[name] && filterPath(ACTIVITY, { ...OF_MESSAGES[name], from: writeInstant(since) })
          }
        />
        <section id="busiest" aria-labelledby="busiest-title">
          <h2 id="busiest-title">Busiest</h2>
          <DimensionLinks path={TRAFFIC} span={span} by={by} dimensions={OWN_DIMENSIONS} />
          <OwnBusiest {...{ busiest, by, span, since }} />
        </section>
      </Layout>,
    )
  }
}

/** The filter of the activity that lists what a figure counts. */
const OF_MESSAGES: Partial<Record<CountName, Record<string, string>>> = {
  accepted: { direction: 'outbound' },
  delivered: { direction: 'outbound', status: 'delivered' },
  failed: { direction: 'outbound', status: 'failed' },
  unknown: { direction: 'outbound', status: 'unknown' },
  received: { direction: 'inbound' },
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
            ? filterPath(ACTIVITY, { line: id, ...OF_FIGURES[figure], from: writeInstant(since) })
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
