/** The events of one hour. */
export interface Hour {
  hoursAgo: number
  delivered: number
  failed: number
}

const HOURS = 24
const BAR = 4
const HEIGHT = 20
/** This keeps one event among hundreds visible. */
const LEAST = 2

/** A bar for each of the last 24 hours, with failures on top and the count beside it. It needs no script. */
export function Sparkline({ hours }: { hours: readonly Hour[] }) {
  const { delivered, failed } = sumOf(hours)
  return (
    <span class="spark">
      <Bars hours={hours} height={HEIGHT} />
      <span>{(delivered + failed).toLocaleString('en')}</span>
    </span>
  )
}

/** The same in the full width, with its axis. */
export function EventChart({ hours }: { hours: readonly Hour[] }) {
  const { delivered, failed } = sumOf(hours)
  const most = mostOf(hours)
  return (
    <figure class="chart">
      <figcaption>
        {(delivered + failed).toLocaleString('en')} {delivered + failed === 1 ? 'event' : 'events'}{' '}
        {failed > 0 && <span class="why">{failed.toLocaleString('en')} failed</span>}
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

function Bars({ hours, height }: { hours: readonly Hour[]; height: number }) {
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
      <path class="ground" d={`M0 ${height - 0.5}H${HOURS * BAR}`} />
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

function mostOf(hours: readonly Hour[]): number {
  return Math.max(1, ...hours.map(({ delivered, failed }) => delivered + failed))
}

function sumOf(hours: readonly Hour[]): { delivered: number; failed: number } {
  const sum = (of: 'delivered' | 'failed') => hours.reduce((total, hour) => total + hour[of], 0)
  return { delivered: sum('delivered'), failed: sum('failed') }
}
