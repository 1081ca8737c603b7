import { describeCount, describeMs } from '../../../../domain/operating/overview/figures.js'
import type { Percentiles } from '../../../../domain/operating/overview/percentiles.js'
import { SPANS } from '../../../../domain/operating/overview/spans.js'
import type { CountName, Traffic, TrafficBin } from '../../../../domain/operating/overview/traffic.js'
import { Chart, countScale, timeScale, type Series } from './chart.js'
import { FiguresTable, type CountedAt } from './figures-table.js'

const OUT = [
  ['accepted', 'accepted'],
  ['sent', 'sent'],
  ['delivered', 'delivered'],
  ['failed', 'failed'],
  ['unknown', 'unknown'],
] as const

const IN = [
  ['received', 'received'],
  ['eventsDelivered', 'events delivered'],
  ['attemptsFailed', 'failed attempts'],
] as const

/** @param props.hrefOf the list of what a figure counts, where there is one */
export function Charts({
  traffic,
  hrefOf,
  countedAt,
}: Pick<ChartProps, 'traffic' | 'hrefOf'> & { countedAt: CountedAt }) {
  const { bins, totals } = traffic
  return (
    <>
      {traffic.countedAt === null ? (
        <p class="empty">
          No data for the last day. Start a <code>maintenance</code> process to collect it.
        </p>
      ) : (
        <div class="charts">
          <CountChart title="Outbound messages per minute" counts={OUT} {...{ traffic, hrefOf }} />
          <CountChart title="Inbound messages and events per minute" counts={IN} {...{ traffic, hrefOf }} />
          <WaitChart title="Time from acceptance to the carrier" kind="carrier" traffic={traffic} />
          <WaitChart title="Time from event to endpoint" kind="endpoint" traffic={traffic} />
        </div>
      )}
      {(traffic.countedAt !== null || Object.values(totals).some((total) => total > 0)) && (
        <FiguresTable bins={bins} countedAt={countedAt} />
      )}
    </>
  )
}

interface ChartProps {
  title: string
  traffic: Traffic
  hrefOf?: ((name: CountName) => string | undefined) | undefined
}

function CountChart(props: ChartProps & { counts: readonly (readonly [CountName, string])[] }) {
  const { title, traffic, counts, hrefOf } = props
  const { bins, totals, span } = traffic
  const series = counts.map(([name, label]) => ({
    look: name,
    label,
    figure: describeCount(totals[name]),
    href: hrefOf?.(name),
    values: bins.map(({ counts: of, minutes }) => (minutes === 0 ? undefined : of[name] / minutes)),
  }))
  const figures = series.map(({ label, figure }) => `${figure} ${label}`).join(', ')
  return (
    <Chart
      title={title}
      summary={`${title}, in ${SPANS[span].words}. Total: ${figures}.`}
      series={series}
      scale={countScale(highestOf(series))}
      since={sinceOf(traffic)}
    />
  )
}

function WaitChart({ title, traffic, kind }: ChartProps & { kind: 'carrier' | 'endpoint' }) {
  const { bins, waits, span } = traffic
  const of = ({ waits: { [kind]: wait } }: Pick<TrafficBin, 'waits'>) => wait
  const inAll = of({ waits })
  if (inAll === undefined) {
    return (
      <figure class="chart">
        <figcaption>{title}</figcaption>
        <p class="empty">Nothing to measure in {SPANS[span].words}.</p>
      </figure>
    )
  }
  const ofPercentile = (look: string, label: string, name: keyof Percentiles): Series => ({
    ...{ look, label, figure: describeMs(inAll[name]), isJoined: true },
    values: bins.map((bin) => of(bin)?.[name]),
  })
  const series = [ofPercentile('half', 'median', 'p50Ms'), ofPercentile('most', 'p95', 'p95Ms')]
  const figures = series.map(({ label, figure }) => `${label} ${figure}`).join(', ')
  return (
    <Chart
      title={title}
      summary={`${title}, in ${SPANS[span].words}: ${figures}.`}
      series={series}
      scale={timeScale(highestOf(series))}
      since={sinceOf(traffic)}
    />
  )
}

function highestOf(series: readonly Series[]): number {
  return Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)))
}

function sinceOf({ span }: Traffic): string {
  return { '1h': 'an hour ago', '24h': '24 hours ago', '7d': '7 days ago' }[span]
}
