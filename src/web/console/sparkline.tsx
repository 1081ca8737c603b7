/** What came in one hour. */
export interface Hour {
  hoursAgo: number
  delivered: number
  failed: number
}

const HOURS = 24
const BAR = 4
const HEIGHT = 20
/** So that one event among hundreds is still to be seen. */
const LEAST = 2

/** A bar for each of the last 24 hours: what was delivered, and above it what failed. It needs no script. */
export function Sparkline({ hours }: { hours: readonly Hour[] }) {
  const most = Math.max(1, ...hours.map(({ delivered, failed }) => delivered + failed))
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(LEAST, (count / most) * HEIGHT))
  const sum = (of: 'delivered' | 'failed') => hours.reduce((total, hour) => total + hour[of], 0)
  const summary = `Newest events of 24 h: ${sum('delivered')} delivered, ${sum('failed')} failed`
  return (
    <svg class="sparkline" viewBox={`0 0 ${HOURS * BAR} ${HEIGHT}`} role="img" aria-label={summary}>
      <title>{summary}</title>
      <path class="ground" d={`M0 ${HEIGHT - 0.5}H${HOURS * BAR}`} />
      {hours
        .filter(({ hoursAgo }) => hoursAgo >= 0 && hoursAgo < HOURS)
        .map(({ hoursAgo, delivered, failed }) => {
          const [good, bad] = [heightOf(delivered), heightOf(failed)]
          const x = (HOURS - 1 - hoursAgo) * BAR
          const scale = Math.min(1, HEIGHT / Math.max(1, good + bad))
          return (
            <g key={hoursAgo}>
              <rect class="good" x={x} y={HEIGHT - good * scale} width={BAR - 1} height={good * scale} />
              <rect
                class="bad"
                x={x}
                y={HEIGHT - (good + bad) * scale}
                width={BAR - 1}
                height={bad * scale}
              />
            </g>
          )
        })}
    </svg>
  )
}
