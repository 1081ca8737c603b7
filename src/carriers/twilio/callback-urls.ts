import { callbackUrlOf } from '../callbacks.js'

/** The callbacks of Twilio; each is the last part of the path below `/carriers/twilio/{accountId}/`. */
export const TWILIO_CALLBACKS = ['message', 'status', 'voice', 'recording'] as const
export type TwilioCallbackName = (typeof TWILIO_CALLBACKS)[number]

/**
 * Makes Twilio call us up to five more times, whatever went wrong (by default it only repeats a connection that
 * failed). It gives up on each connection after 3 s, and altogether after 15 s
 * (https://www.twilio.com/docs/usage/webhooks/webhooks-connection-overrides). The fragment is neither in the request
 * nor covered by the signature.
 */
const CONNECTION_OVERRIDES = 'rc=5&rp=all&ct=3000'

/**
 * Returns the URL where Twilio reaches us for an account. The values in the query come back, covered by the
 * callback's signature.
 */
export function callbackUrl(
  publicUrl: string,
  accountId: string,
  name: TwilioCallbackName,
  query: Record<string, string> = {},
): string {
  return `${callbackUrlOf(publicUrl, { kind: 'twilio', accountId, name }, query)}#${CONNECTION_OVERRIDES}`
}
