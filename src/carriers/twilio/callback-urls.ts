/** What Twilio calls us for; the last part of the path below `/carriers/twilio/{accountId}/`. */
export type TwilioCallbackName = 'message' | 'status' | 'voice' | 'recording'

/** Where Twilio reaches us for an account. What is in the query comes back, covered by the callback's signature. */
export function callbackUrl(
  publicUrl: string,
  accountId: string,
  name: TwilioCallbackName,
  query: Record<string, string> = {},
): string {
  const search = new URLSearchParams(query).toString()
  return `${publicUrl}/carriers/twilio/${accountId}/${name}${search === '' ? '' : `?${search}`}`
}
