/**
 * Returns the number in a `tel:` URI (RFC 3966), which people copy from links and address books:
 * `tel:+1-201-555-0123` → `+1-201-555-0123`. The beginning of a local number is in `;phone-context=+1`; without it
 * the number counts as one of the line's country. Text that is not a `tel:` URI is returned unchanged.
 *
 * @returns undefined if a text cannot reach the target: an extension or a subaddress after a number, or a number that
 *   only some company's own switchboard knows (`;phone-context=example.com`)
 */
export function withoutTelScheme(written: string): string | undefined {
  const [, uri] = /^tel:(?:\/\/)?(.*)$/is.exec(written) ?? []
  if (uri === undefined) return written
  const [number = '', ...parameters] = decode(uri).split(';')
  const given = new Map(parameters.map(readParameter))
  if (given.has('ext') || given.has('isub')) return undefined
  const context = given.get('phone-context')
  if (context === undefined || number.startsWith('+')) return number
  return /^\+[\d().-]+$/.test(context) ? `${context} ${number}` : undefined
}

function readParameter(parameter: string): [name: string, value: string] {
  const [name = '', ...value] = parameter.split('=')
  return [name.trim().toLowerCase(), value.join('=')]
}

function decode(uri: string): string {
  try {
    return decodeURIComponent(uri)
  } catch (error) {
    if (error instanceof URIError) return uri
    throw error
  }
}
