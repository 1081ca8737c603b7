/** Counts as people and JSON Schema do: an emoji of one code point is one. */
export function countCharacters(text: string): number {
  return Array.from(text).length
}

/**
 * A text that takes no more room than this, written as its receiver wants it. It ends with … where something was cut
 * off, and what people see as one character is never cut in two, nor what stands for it in writing, such as `&amp;`.
 *
 * @param room in UTF-16 units
 * @param write each character as the receiver reads it
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
