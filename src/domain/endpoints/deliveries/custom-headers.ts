import { placeOf } from '../../../database/operating/sealed-columns.js'
import { UserError } from '../../../errors.js'
import type { Secrets } from '../../../secrets.js'

/**
 * Headers that an endpoint's developer wants in each request, such as credentials; the spelling of names is preserved.
 */
export type CustomHeaders = Readonly<Record<string, string>>

const MAX_HEADERS = 20
const NAME = /^[\w!#$%&'*+.^`|~-]{1,100}$/
/** Values are visible ASCII with spaces inside. Together, they stay below what servers accept. */
const VALUE = /^[!-~](?:[ !-~]{0,998}[!-~])?$/
/** These are headers that we set, and those for the next hop (RFC 9110 §7.6.1). */
const OURS =
  /^(webhook-.*|ce-.*|proxy-.*|content-.*|accept-encoding|baggage|connection|expect|host|http2-settings|keep-alive|te|traceparent|tracestate|trailer|transfer-encoding|upgrade|user-agent)$/i

export function openHeaders(secrets: Secrets, endpointId: string, sealed: Buffer | null): CustomHeaders {
  if (sealed === null) return {}
  return JSON.parse(secrets.open(sealed, placeOf('customHeaders', endpointId))) as CustomHeaders
}

/** @returns null if there are none */
export function sealHeaders(secrets: Secrets, endpointId: string, headers: CustomHeaders): Buffer | null {
  return Object.keys(headers).length === 0
    ? null
    : secrets.seal(JSON.stringify(headers), placeOf('customHeaders', endpointId))
}

/**
 * Adds headers, or replaces those of the same names, ignoring case; null removes one.
 *
 * @throws UserError 400, which names the header and never its value
 */
export function changeHeaders(before: CustomHeaders, written: unknown): CustomHeaders {
  if (typeof written !== 'object' || written === null || Array.isArray(written)) {
    throw new UserError(
      'headers must be an object of names and values. Set a value to null to remove a header',
    )
  }
  const headers = new Map(Object.entries(before))
  for (const [name, value] of Object.entries(written as Record<string, unknown>)) {
    requireName(name)
    for (const known of headers.keys()) if (isSame(known, name)) headers.delete(known)
    if (value !== null) headers.set(name, readValue(name, value))
  }
  if (headers.size > MAX_HEADERS) throw new UserError(`headers must have at most ${MAX_HEADERS} entries`)
  return Object.fromEntries(headers)
}

function requireName(name: string): void {
  if (!NAME.test(name) || name === '__proto__') {
    throw new UserError('headers: each name must be 1 to 100 letters, digits or hyphens, such as X-Api-Key')
  }
  if (OURS.test(name))
    throw new UserError(`headers: ${name} is set by Linehook and cannot be changed. Remove it`)
}

function readValue(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value.trim() : ''
  if (VALUE.test(text)) return text
  throw new UserError(`headers: the value of ${name} must have 1 to 1,000 visible ASCII characters`)
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
