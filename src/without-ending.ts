/**
 * @param ending a single character
 * @returns the text without the ending, however often it occurs. A regular expression such as `/\/+$/` would start over
 * at each of many slashes that are not at the end, and take time quadratic in their number.
 */
export function withoutEnding(text: string, ending: string): string {
  let length = text.length
  while (text[length - 1] === ending) length -= 1
  return text.slice(0, length)
}
