import { addRepeated } from '../../kit/text/repeated.js'

/** The fields by name; repeated ones are a list. */
export type FormFields = Partial<Record<string, string | string[]>>

/**
 * Parses `name=value&…` as browsers write forms and queries (WHATWG URL §5.1): a plus sign is a space, and a percent
 * sign that begins no byte is a percent sign. The result has no prototype: its names are those that were sent.
 *
 * @param toText decodes the bytes of a name or a value, whether they came plain or percent-encoded; its errors are
 *   thrown
 */
export function parseFormFields(bytes: Buffer, toText: (bytes: Buffer) => string): FormFields {
  const fields = Object.create(null) as FormFields
  const decode = (part: string) => toText(unescape(part))
  // There is one character for each byte.
  for (const pair of bytes.toString('latin1').split('&')) {
    if (pair === '') continue
    const end = pair.includes('=') ? pair.indexOf('=') : pair.length
    addRepeated(fields, decode(pair.slice(0, end)), decode(pair.slice(end + 1)))
  }
  return fields
}

function unescape(part: string): Buffer {
  const bytes = part
    .replaceAll('+', ' ')
    .replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1')
}
