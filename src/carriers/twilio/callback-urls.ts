/** What Twilio calls us for; the last part of the path below `/carriers/twilio/{accountId}/`. */
export const TWILIO_CALLBACKS = ['message', 'status', 'voice', 'recording'] as const
export type TwilioCallbackName = (typeof TWILIO_CALLBACKS)[number]

/**
 * How Twilio is to call us: up to five more times, whatever went wrong (by itself it only repeats a connection that it
 * did not get), each connection being given up after 3 s; all of it within its 15 s
 * (https://www.twilio.com/docs/usage/webhooks/webhooks-connection-overrides). Twilio keeps the fragment to itself: it
 * is neither in the request nor under the signature.
 */
const CONNECTION_OVERRIDES = 'rc=5&rp=all&ct=3000'

/**
 * The URL at which Twilio reaches us for an account. What is in the query comes back, covered by the callback's
 * signature.
 */
export function callbackUrl(
  publicUrl: string,
  accountId: string,
  name: TwilioCallbackName,
  query: Record<string, string> = {},
): string {
  const search = new URLSearchParams(query).toString()
  const path = `/carriers/twilio/${accountId}/${name}${search === '' ? '' : `?${search}`}`
  return `${publicUrl}${path}#${CONNECTION_OVERRIDES}`
}
