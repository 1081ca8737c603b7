import { describeCount, describeMs } from '../../../../domain/operating/overview/figures.js'

/** One line of a chart. */
export interface Series {
  /** The name of its colour in console.css. */
  look: string
  label: string
  /** The legend's figure beside the label. */
  figure: string
  /** The list of what the figure counts. */
  href?: string | undefined
  /** undefined if there is nothing to show. */
  values: readonly (number | undefined)[]
  /** True if its line is drawn across missing values. */
  isJoined?: true
}

/** The figures at the bottom and at the top, and the position of a figure between them, from 0 to 1. */
export interface Scale {
  bottom: string
  top: string
  heightOf: (value: number) => number
  /** Writes one value, such as that of the newest point. */
  write: (value: number) => string
}

const WIDTH = 600
const HEIGHT = 120

/**
 * Draws a chart without a script. It takes the width that it gets, so words are beside the drawing, where they keep
 * their size.
 */
export function Chart(props: {
  title: string
  /** The chart in words, for people who cannot see it. */
  summary: string
  series: readonly Series[]
  scale: Scale
  since: string
}) {
  const { title, summary, series, scale, since } = props
  const lines = linesOf(series)
  // Failures, which are zero nearly always, would cover the others at the bottom.
  const drawn = [...lines.filter(isFailure), ...lines.filter((each) => !isFailure(each))]
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <div class="scale">{scale.bottom === '0' ? scale.top : `${scale.bottom} to ${scale.top}`}</div>
      {/* Only the lines are stretched. Points and words around them keep their size. */}
      <svg class="plot" role="img" aria-label={summary}>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" width="100%" height="100%">
          {[0, 0.5, 1].map((height) => (
            <line key={height} class="grid" x1={0} x2={WIDTH} y1={yOf(height)} y2={yOf(height)} />
          ))}
          {drawn.map(({ look, values, isJoined = false }) => (
            <path key={look} class={`series ${look}`} d={drawLine(values, scale, isJoined)} />
          ))}
        </svg>
        {newestOf(lines, scale).map(({ look, x, height, words }) => (
          <g key={look}>
            <circle class={`series ${look}`} cx={`${x}%`} cy={`${100 - height}%`} r={3.5} />
            <text x="100%" dx={10} y={`${100 - height}%`} dy={4}>
              {words}
            </text>
          </g>
        ))}
      </svg>
      <div class="scale">
        <span>{since}</span>
        <span>now</span>
      </div>
      <ul class="legend">
        {series.map(({ look, label, figure, href }) => (
          <li key={look}>
            <svg viewBox="0 0 20 8" aria-hidden="true">
              <path class={`series ${look}`} d="M0 4H20" />
            </svg>
            {label} <strong>{href === undefined ? figure : <a href={href}>{figure}</a>}</strong>
          </li>
        ))}
      </ul>
    </figure>
  )
}

/** Leaves out lines that are zero throughout: they say no more than the grid. One stays if all are. */
function linesOf(series: readonly Series[]): readonly Series[] {
  const lines = series.filter(({ values }) => values.some((value) => value !== undefined && value > 0))
  return lines.length === 0 ? series.slice(0, 1) : lines
}

function isFailure({ look }: Series): boolean {
  return ['failed', 'unknown', 'attemptsFailed'].includes(look)
}

/** The labels of two points need this percentage of the height between them, on a phone too. */
const APART = 22

/** Returns the newest point of each series, in percent, with its figure. Where points meet, only the first is labelled. */
function newestOf(series: readonly Series[], { heightOf, write }: Scale) {
  const shown: { look: string; x: number; height: number; words: string }[] = []
  for (const { look, values } of series) {
    const n = values.findLastIndex(isKnown)
    const value = values[n]
    if (value === undefined) continue
    const height = round(Math.min(1, Math.max(0, heightOf(value))) * 100)
    if (shown.some((other) => Math.abs(other.height - height) < APART)) continue
    shown.push({ look, x: round((n / Math.max(1, values.length - 1)) * 100), height, words: write(value) })
  }
  return shown
}

function yOf(height: number): number {
  return round((1 - Math.min(1, Math.max(0, height))) * HEIGHT)
}

/** A value without neighbours is a short stroke: a point has no length, and would be invisible. */
function drawLine(values: readonly (number | undefined)[], { heightOf }: Scale, isJoined: boolean): string {
  const step = WIDTH / Math.max(1, values.length - 1)
  const [firstKnown, lastKnown] = isJoined
    ? [values.findIndex(isKnown), values.findLastIndex(isKnown)]
    : [Infinity, -Infinity]
  let path = ''
  values.forEach((value, n) => {
    if (value === undefined) return
    const [x, y] = [round(n * step), yOf(heightOf(value))]
    if (values[n - 1] !== undefined || n > firstKnown) path += `L${x} ${y}`
    else if (values[n + 1] !== undefined || n < lastKnown) path += `M${x} ${y}`
    else path += `M${round(Math.min(WIDTH - step, Math.max(0, x - step / 2)))} ${y}h${round(step)}`
  })
  return path
}

function isKnown(value: number | undefined): boolean {
  return value !== undefined
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

/** Makes a scale from zero to the next round figure above. */
export function countScale(highest: number): Scale {
  const top = roundUp(Math.max(highest, 1))
  return { bottom: '0', top: describeCount(top), heightOf: (value) => value / top, write: writeRate }
}

/** Rates of a few per minute differ only in their tenths. */
function writeRate(value: number): string {
  return value < 10 ? String(round(value)) : describeCount(Math.round(value))
}

/** Makes a scale of times, which may be a thousandth of the longest: each factor of ten has the same height. */
export function timeScale(highestMs: number): Scale {
  const bottom = 10
  const top = TIMES.find((ms) => ms >= highestMs) ?? highestMs
  const heightOf = (ms: number) => Math.log(Math.max(ms, bottom) / bottom) / Math.log(top / bottom)
  return { bottom: describeMs(bottom), top: describeMs(top), heightOf, write: describeMs }
}

/** These are 1 s, 10 s, a minute, 10 minutes, an hour, 10 hours, a week. */
const TIMES = [1e3, 1e4, 6e4, 6e5, 3.6e6, 3.6e7, 6.048e8]

/** Rounds up to 1, 2 or 5 with as many zeros as needed. */
function roundUp(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value))
  return (([1, 2, 5, 10] as const).find((factor) => factor * unit >= value) ?? 10) * unit
}
