/**
 * @param ending a single character
 * @returns the text without the ending, however often it stands there. A regular expression such as `/\/+$/` would
 * begin anew at each of many slashes that do not stand at the end, and take the square of their number.
 */
export function withoutEnding(text: string, ending: string): string {
  let length = text.length
  while (text[length - 1] === ending) length -= 1
  return text.slice(0, length)
}
