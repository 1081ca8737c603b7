import { EVENTS_COUNTED, type DayEvents, type EventHour } from '../../database/lines/line-health.js'

const HOURS = 24
const BAR = 4
const HEIGHT = 20
/** This keeps one event among hundreds visible. */
const LEAST = 2

/** Draws a bar for each of the last 24 hours, with failures on top and the count beside it. It needs no script. */
export function Sparkline({ events }: { events: DayEvents }) {
  return (
    <span class="spark">
      <Bars hours={events.hours} height={HEIGHT} />
      <span>{describeCount(events)}</span>
    </span>
  )
}

/** Draws the same in the full width, with its axis; nothing for a day without events. */
export function EventChart({ events }: { events: DayEvents }) {
  const { hours, isInPart } = events
  const { delivered, failed } = sumOf(hours)
  if (delivered + failed === 0) return null
  const most = mostOf(hours)
  return (
    <figure class="chart">
      <figcaption>
        {describeCount(events)} {delivered + failed === 1 ? 'event' : 'events'}{' '}
        {failed > 0 && <span class="why">{failed.toLocaleString('en')} failed</span>}{' '}
        {isInPart && <>Only those among the newest {EVENTS_COUNTED} are shown.</>}
      </figcaption>
      <div class="scale">{most.toLocaleString('en')} an hour</div>
      <Bars hours={hours} height={HEIGHT} />
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

function Bars({ hours, height }: { hours: readonly EventHour[]; height: number }) {
  const most = mostOf(hours)
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(LEAST, (count / most) * height))
  const { delivered, failed } = sumOf(hours)
  const summary = `Newest events in 24 h: ${delivered} delivered, ${failed} failed`
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${HOURS * BAR} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={summary}
    >
      <title>{summary}</title>
      <path class="ground" d={`M0 ${height}H${HOURS * BAR}`} />
      {hours
        .filter(({ hoursAgo }) => hoursAgo >= 0 && hoursAgo < HOURS)
        .map(({ hoursAgo, delivered, failed }) => {
          const [good, bad] = [heightOf(delivered), heightOf(failed)]
          const x = (HOURS - 1 - hoursAgo) * BAR
          const scale = Math.min(1, height / Math.max(1, good + bad))
          return (
            <g key={hoursAgo}>
              <rect class="good" x={x} y={height - good * scale} width={BAR - 1} height={good * scale} />
              <rect
                class="bad"
                x={x}
                y={height - (good + bad) * scale}
                width={BAR - 1}
                height={bad * scale}
              />
            </g>
          )
        })}
    </svg>
  )
}

function mostOf(hours: readonly EventHour[]): number {
  return Math.max(1, ...hours.map(({ delivered, failed }) => delivered + failed))
}

function sumOf(hours: readonly EventHour[]): { delivered: number; failed: number } {
  const sum = (of: 'delivered' | 'failed') => hours.reduce((total, hour) => total + hour[of], 0)
  return { delivered: sum('delivered'), failed: sum('failed') }
}
