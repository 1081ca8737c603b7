/**
 * The kind of sender of a line: a phone number (E.164), a short code, a name (an alphanumeric sender, to which people
 * cannot reply), or a service of its carrier, which chooses one of its numbers (Twilio's Messaging Service).
 */
export type SenderKind = 'number' | 'short_code' | 'name' | 'service'

/** Returns the kind of a line's number. Numbers are stored in a form from which the kind is clear. */
export function senderKindOf(number: string): SenderKind {
  if (number.startsWith('+')) return 'number'
  if (/^\d{3,8}$/.test(number)) return 'short_code'
  return /^MG[0-9a-f]{32}$/.test(number) ? 'service' : 'name'
}
