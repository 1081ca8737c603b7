import type { CustomHeaders } from './custom-headers.js'

/** This replaces a value that is not stored, or that is private. */
const HIDDEN = '•••'

/** Matches the usual names of sessions and credentials. */
const SECRET = /cookie|authorization|token|secret|passw|session|credential|api-?key/i
/** The bounds on a response's headers, which its server chooses: they are stored for each attempt. */
const MAX = { count: 40, valueLength: 256, totalLength: 2000 }

/**
 * Returns what is stored of a request's headers: the names of the endpoint's own, and all of ours except two, which
 * `headersOfAttempt` makes again.
 */
export function keepRequestHeaders(own: CustomHeaders, ours: Record<string, string>): Record<string, string> {
  const hidden = Object.keys(own).map((name) => [name, HIDDEN])
  return Object.fromEntries([
    ...hidden,
    ...Object.entries(ours).filter(([name]) => name !== 'webhook-id' && name !== 'webhook-timestamp'),
  ]) as Record<string, string>
}

/** Returns all headers of an attempt's request, except those that the connection adds. */
export function headersOfAttempt(
  kept: Record<string, string>,
  { eventId, startedAt }: { eventId: string; startedAt: Date },
): Record<string, string> {
  const { 'webhook-signature': signature, ...others } = kept
  return {
    ...others,
    'webhook-id': eventId,
    'webhook-timestamp': String(secondsOf(startedAt)),
    ...(signature === undefined ? {} : { 'webhook-signature': signature }),
  }
}

/** Returns `webhook-timestamp` for an attempt that began then. */
export function secondsOf(startedAt: Date): number {
  return Math.floor(startedAt.getTime() / 1000)
}

/** Returns what is stored of a response's headers: the first ones, shortened, without credentials. */
export function keepResponseHeaders(headers: Record<string, string>): Record<string, string> {
  const kept: [string, string][] = []
  let length = 0
  for (const [name, value] of Object.entries(headers).slice(0, MAX.count)) {
    const shown = shorten(withoutSecrets(name, value))
    length += name.length + shown.length
    if (length > MAX.totalLength) break
    kept.push([name, shown])
  }
  return Object.fromEntries(kept)
}

function withoutSecrets(name: string, value: string): string {
  if (SECRET.test(name)) return HIDDEN
  // The target of a redirect shows what is wrong, but its query is private.
  return name === 'location' ? value.replace(/[?#].*/s, `?${HIDDEN}`) : value
}

function shorten(value: string): string {
  return value.length > MAX.valueLength ? `${value.slice(0, MAX.valueLength - 1)}…` : value
}
