/**
 * Shows enough of a number to recognize it, and not enough to call it. Short numbers, which are no person's, and
 * names keep less.
 */
export function maskNumber(number: string): string {
  if (number.length <= 8) return `•••${number.slice(-2)}`
  return `${number.startsWith('+') ? number.slice(0, 2) : ''}•••${number.slice(-4)}`
}

/** Makes text from others safe for a terminal: one line without control characters. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
}

/** Does so for output of several lines, if it goes to a terminal: a file or a program gets it unchanged. */
export function printableFor({ isTTY }: { isTTY?: boolean }, text: string): string {
  return isTTY === true ? text.split(/\r?\n/).map(printable).join('\n') : text
}

/** Aligns the cells of rows in columns. */
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

/** Formats the facts about one thing, each with its label. Facts that are null or empty are left out. */
export function facts(given: Record<string, string | null>): string[] {
  return table(
    Object.entries(given).flatMap(([word, value]) =>
      value === null || value === '' ? [] : [[`  ${word}`, value]],
    ),
  )
}

/** Prints to standard error, so that a program that reads the command's output finds nothing else. */
export function say(sentence: string): void {
  process.stderr.write(`${sentence}\n`)
}
