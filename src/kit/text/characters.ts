/** Counts as people and JSON Schema do: an emoji of one code point is one. */
export function countCharacters(text: string): number {
  return Array.from(text).length
}

/**
 * Cuts a text so that, written as its receiver wants it, it fits this room. It ends with … if something was cut off. A
 * character as people see it is never split, and neither is its escape, such as `&amp;`.
 *
 * @param room in UTF-16 units
 * @param write writes each character as the receiver reads it
 */
export function shorten(text: string, room: number, write = (part: string) => part): string {
  const whole = write(text)
  if (whole.length <= room) return whole
  let kept = ''
  for (const { segment } of graphemes.segment(text)) {
    const longer = kept + write(segment)
    if (longer.length >= room) break
    kept = longer
  }
  return `${kept}…`
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
