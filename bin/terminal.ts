/**
 * Enough of a number to know it again, and not enough to call it. Of short ones, which are no person's, and of names
 * less is left.
 */
export function maskNumber(number: string): string {
  if (number.length <= 8) return `•••${number.slice(-2)}`
  return `${number.startsWith('+') ? number.slice(0, 2) : ''}•••${number.slice(-4)}`
}

/** What others have written, without what would steer the terminal, in one line. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
}

/** Rows whose cells stand below each other. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [n, cell] of row.entries()) widths[n] = Math.max(widths[n] ?? 0, cell.length)
  }
  return rows.map((row) =>
    row
      .map((cell, n) => cell.padEnd(widths[n] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** What is known of one thing: a word for each, and what it is. What is null or empty is left out. */
export function facts(given: Record<string, string | null>): string[] {
  return table(
    Object.entries(given).flatMap(([word, value]) =>
      value === null || value === '' ? [] : [[`  ${word}`, value]],
    ),
  )
}
