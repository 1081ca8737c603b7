/** Writes a duration such as `40 ms`, `2.5 s`, `12 min`, `3 h`, `2 days`: two digits are enough. */
export function describeMs(ms: number): string {
  if (ms < 1000) return `${Math.max(1, Math.round(ms))} ms`
  for (const [limitMs, unitMs, unit] of UNITS) {
    const count = ms / unitMs
    if (ms < limitMs) return `${count < 10 ? Math.round(count * 10) / 10 : Math.round(count)} ${unit}`
  }
  return `${Math.round(ms / 86_400_000)} days`
}

const UNITS = [
  [90_000, 1000, 's'],
  [5_400_000, 60_000, 'min'],
  [172_800_000, 3_600_000, 'h'],
] as const

/** Writes a number such as `1,234`. */
export function describeCount(count: number): string {
  return count.toLocaleString('en')
}

/** Writes a count such as `1 message` and `2 messages`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? `1 ${one}` : `${describeCount(count)} ${many}`
}

/** Writes a size such as `1.5 GB`. */
export function describeBytes(bytes: number): string {
  let value = bytes
  for (const unit of ['B', 'kB', 'MB', 'GB'] as const) {
    if (value < 1000) return `${value < 10 && unit !== 'B' ? value.toFixed(1) : Math.round(value)} ${unit}`
    value /= 1000
  }
  return `${value.toFixed(1)} TB`
}
