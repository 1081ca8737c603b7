import { EVENTS_COUNTED, type DayEvents, type EventHour } from '../../database/lines/line-health.js'

const HOURS = 24
const HEIGHT = 20
/** This keeps one event among hundreds visible. */
const LEAST = 2

/** Draws a bar for each of the last 24 hours, with the count beside it. */
export function Sparkline({ events }: { events: DayEvents }) {
  return (
    <span class="spark">
      <EventBars hours={events.hours} />
      <span>{describeCount(events)}</span>
    </span>
  )
}

/** Draws the same in the full width, with its axis; nothing for a day without events. */
export function EventChart({ events }: { events: DayEvents }) {
  const { hours, isInPart } = events
  const { delivered, failed } = sumOf(hours)
  if (delivered + failed === 0) return null
  const most = Math.max(1, ...hours.map(({ delivered, failed }) => delivered + failed))
  return (
    <figure class="chart">
      <figcaption>
        {describeCount(events)} {delivered + failed === 1 ? 'event' : 'events'}{' '}
        {failed > 0 && <span class="why">{failed.toLocaleString('en')} failed</span>}{' '}
        {isInPart && <>Only those among the newest {EVENTS_COUNTED} are shown.</>}
      </figcaption>
      <div class="scale">{most.toLocaleString('en')} an hour</div>
      <EventBars hours={hours} />
      <div class="scale">
        <span>24 h ago</span>
        <span>now</span>
      </div>
    </figure>
  )
}

/** Describes the number of events, with a plus if there were more. */
function describeCount({ hours, isInPart }: DayEvents): string {
  const { delivered, failed } = sumOf(hours)
  return `${(delivered + failed).toLocaleString('en')}${isInPart ? '+' : ''}`
}

function EventBars({ hours }: { hours: readonly EventHour[] }) {
  const { delivered, failed } = sumOf(hours)
  return (
    <Bars
      count={HOURS}
      summary={`Newest events in 24 h: ${delivered} delivered, ${failed} failed`}
      bars={hours
        .filter(({ hoursAgo }) => hoursAgo >= 0 && hoursAgo < HOURS)
        .map(({ hoursAgo, delivered: good, failed: bad }) => ({ at: HOURS - 1 - hoursAgo, good, bad }))}
    />
  )
}

/**
 * Draws a bar for each piece of a time, with failures on top. It needs no script, and has its own scale.
 *
 * @param props.bars those that are not empty, with their places from the left
 */
export function Bars(props: {
  count: number
  bars: readonly { at: number; good: number; bad: number }[]
  summary: string
}) {
  const { count, bars, summary } = props
  const most = Math.max(1, ...bars.map(({ good, bad }) => good + bad))
  const heightOf = (of: number) => (of === 0 ? 0 : Math.max(LEAST, (of / most) * HEIGHT))
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${count} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={summary}
    >
      <title>{summary}</title>
      <path class="ground" d={`M0 ${HEIGHT}H${count}`} />
      {bars.map(({ at, ...of }) => {
        const [good, bad] = [heightOf(of.good), heightOf(of.bad)]
        const scale = Math.min(1, HEIGHT / Math.max(1, good + bad))
        return (
          <g key={at}>
            <rect class="good" x={at} y={HEIGHT - good * scale} width={0.75} height={good * scale} />
            <rect class="bad" x={at} y={HEIGHT - (good + bad) * scale} width={0.75} height={bad * scale} />
          </g>
        )
      })}
    </svg>
  )
}

function sumOf(hours: readonly EventHour[]): { delivered: number; failed: number } {
  const sum = (of: 'delivered' | 'failed') => hours.reduce((total, hour) => total + hour[of], 0)
  return { delivered: sum('delivered'), failed: sum('failed') }
}
