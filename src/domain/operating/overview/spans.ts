/** The spans of time that the charts have. A bin is the span of one point of a chart. */
export const SPANS = {
  '1h': {
    label: '1\u00a0h',
    words: 'the last hour',
    binSeconds: 60,
    binCount: 60,
    rowSeconds: 60,
    keptMs: 2000,
  },
  '24h': {
    label: '24\u00a0h',
    words: 'the last 24 hours',
    binSeconds: 900,
    binCount: 96,
    rowSeconds: 900,
    keptMs: 15_000,
  },
  '7d': {
    label: '7\u00a0d',
    words: 'the last 7 days',
    binSeconds: 7200,
    binCount: 84,
    rowSeconds: 900,
    keptMs: 60_000,
  },
} as const

export type Span = keyof typeof SPANS

export function isSpan(value: string): value is Span {
  return Object.hasOwn(SPANS, value)
}
