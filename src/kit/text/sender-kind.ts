/**
 * What a line sends as: a phone number (E.164), a short code, a name (an alphanumeric sender, to which nobody can write), or
 * a service of its carrier, which chooses one of its numbers (Twilio's Messaging Service).
 */
export type SenderKind = 'number' | 'short_code' | 'name' | 'service'

/** What a line's number is. It is kept so that the number alone says it. */
export function senderKindOf(number: string): SenderKind {
  if (number.startsWith('+')) return 'number'
  if (/^\d{3,8}$/.test(number)) return 'short_code'
  return /^MG[0-9a-f]{32}$/.test(number) ? 'service' : 'name'
}
