import * as kit from '../kit.js'

/**
 * V2 is described at https://docs.plivo.com/docs/messaging/concepts/signature-validation, V3 at
 * https://docs.plivo.com/docs/voice/xml/request/validation. The signature with `Ma` is made with the token of the
 * main account, the other with that of a subaccount.
 */
export function isSignedByPlivo(
  { authToken, signatures }: { authToken: string; signatures: 'V2' | 'V3' },
  { url, fields, header }: kit.CallbackRequest,
): boolean {
  const name = `X-Plivo-Signature-${signatures}`
  const nonce = header(`${name}-Nonce`)
  const [address = ''] = url.split('?')
  const over = signatures === 'V2' ? address + nonce : `${addressOf(url)}${wordsOf(fields)}.${nonce}`
  const given = [header(name), header(`X-Plivo-Signature-Ma-${signatures}`)].join().split(',')
  return (
    nonce !== '' &&
    given.some((each) =>
      kit.verify.isHmac({ encoding: 'base64', secret: authToken, over, given: each.trim() }),
    )
  )
}

/** Returns the address, and its query sorted by name, unescaped. A full stop separates what follows. */
function addressOf(url: string): string {
  const pairs = sorted(new URL(url).searchParams).map(([name, value]) => `${name}=${value}`)
  const [address = ''] = url.split('?')
  return `${address}?${pairs.join('&')}${pairs.length === 0 ? '' : '.'}`
}

/** Joins the fields, sorted by name, each name with its value, which may be empty, and nothing in between. */
function wordsOf(fields: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((each) => [name, String(each)] as const),
  )
  return sorted(pairs).flat().join('')
}

/** Sorts by name, and then by value, in the order of code points. */
function sorted(pairs: Iterable<readonly [string, string]>) {
  const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
  return [...pairs].sort(([a, x], [b, y]) => compare(a, b) || compare(x, y))
}
