import { scrape } from '../../src/telemetry/metrics.js'

export interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

/** What Prometheus reads in the text that it gets. */
export function parseMetrics(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name = '', labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (value === undefined || line.startsWith('#')) return []
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [
      key,
      text,
    ])
    return [{ name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }]
  })
}

/** The sum of all series of a metric that have these labels; undefined: there is none. */
export function findMetric(
  samples: readonly Sample[],
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  const found = samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  )
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0)
}

type Counted = readonly [name: string, labels?: Record<string, string>]

/** By how much metrics of this process rise while something is done: other tests have counted before. */
export async function risesOf(counted: readonly Counted[], work: () => Promise<unknown>): Promise<number[]> {
  const read = async () => {
    const samples = parseMetrics((await scrape()).text)
    return counted.map(([name, labels]) => findMetric(samples, name, labels) ?? 0)
  }
  const before = await read()
  await work()
  return (await read()).map((value, n) => value - (before[n] ?? 0))
}
