import { createHmac, randomInt } from 'node:crypto'

/**
 * The headers of a callback, signed both ways. `url` has the fields of a GET in its query already. The second header of
 * each pair is always signed with the token of the main account, which the stand-in's account is.
 */
export function signPlivo(
  token: string,
  method: 'GET' | 'POST',
  url: string,
  fields: Record<string, string>,
  only: 'V2' | 'V3' | undefined,
): Record<string, string> {
  const nonce = String(randomInt(10 ** 12)).padStart(20, '0')
  const v2 = sign(token, `${withoutQuery(url)}${nonce}`)
  const v3 = sign(token, `${method === 'GET' ? textOfGet(new URL(url)) : textOfPost(url, fields)}.${nonce}`)
  return {
    ...(only === 'V3'
      ? {}
      : { 'X-Plivo-Signature-V2': v2, 'X-Plivo-Signature-Ma-V2': v2, 'X-Plivo-Signature-V2-Nonce': nonce }),
    ...(only === 'V2'
      ? {}
      : { 'X-Plivo-Signature-V3': v3, 'X-Plivo-Signature-Ma-V3': v3, 'X-Plivo-Signature-V3-Nonce': nonce }),
  }
}

function sign(token: string, text: string): string {
  return createHmac('sha256', token).update(text).digest('base64')
}

/** V2: the address without its query, and the nonce: https://docs.plivo.com/docs/messaging/concepts/signature-validation */
function withoutQuery(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? ''
}

function sortedQuery(url: URL): string {
  const pairs = [...url.searchParams.entries()].sort(([a, x], [b, y]) => compare(a, b) || compare(x, y))
  return pairs.map(([name, value]) => `${name}=${value}`).join('&')
}

/** V3 of a GET: the address with all parameters in order, not escaped. */
function textOfGet(url: URL): string {
  return `${withoutQuery(url.href)}?${sortedQuery(url)}`
}

/** V3 of a POST: the address, `?`, its query in order and a dot if there is one, and the fields in order, names and values. */
function textOfPost(url: string, fields: Record<string, string>): string {
  const query = sortedQuery(new URL(url))
  const names = Object.keys(fields).sort(compare)
  return `${withoutQuery(url)}?${query}${query === '' ? '' : '.'}${names.map((name) => name + (fields[name] ?? '')).join('')}`
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
