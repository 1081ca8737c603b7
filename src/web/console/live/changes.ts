/** Either a run of pieces that the reader has, as the first one and their number, or the new text. */
export type Change = readonly [from: number, count: number] | string

/**
 * Cuts HTML into pieces: each begins with the start of an element that pages repeat, so that a changed row is a
 * separate piece.
 */
export function toPieces(html: string): string[] {
  return html.split(/(?=<(?:section|article|figure|div|ul|ol|dl|table|tr|li|p)[ >])/)
}

/** Returns how a reader that has the pieces `before` makes the pieces `after`. */
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
