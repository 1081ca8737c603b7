/** A run of pieces that the reader has: from which one, and how many. Or what is new. */
export type Change = readonly [from: number, count: number] | string

/**
 * HTML in pieces: each begins with the start of an element that pages repeat, so that a row that changed is a piece of its own.
 */
export function toPieces(html: string): string[] {
  return html.split(/(?=<(?:section|article|figure|div|ul|ol|dl|table|tr|li|p)[ >])/)
}

/** How one who has the pieces `before` makes those of `after` of them. */
export function changesBetween(before: readonly string[], after: readonly string[]): Change[] {
  const places = new Map<string, number>()
  before.forEach((piece, n) => places.set(piece, n))
  const changes: Change[] = []
  for (const piece of after) {
    const last = changes.at(-1) ?? ''
    if (typeof last !== 'string' && before[last[0] + last[1]] === piece) {
      changes[changes.length - 1] = [last[0], last[1] + 1]
      continue
    }
    const place = places.get(piece)
    changes.push(place === undefined ? piece : [place, 1])
  }
  return changes
}
