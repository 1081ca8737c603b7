/** The recipient has texted STOP, and Twilio sends them nothing more from this number. */
const OPTED_OUT = '21610'

export function isOptOut(code: string): boolean {
  return code === OPTED_OUT
}

/** Twilio's codes in words, for what its answer or its callback gives by number only. */
const WORDS: Record<string, string> = {
  [OPTED_OUT]: 'the recipient has opted out (STOP)',
  21614: 'the number cannot receive text messages',
  30001: "the number's queue at Twilio overflowed",
  30002: 'the account at Twilio is suspended',
  30003: 'the phone cannot be reached: it is off, or has no service',
  30004: 'the message was blocked: the recipient has blocked the line or cannot receive such messages',
  30005: 'the number does not exist any more',
  30006: 'the number is a landline, or its carrier cannot be reached',
  30007: 'the message was filtered by Twilio or the carrier as unwanted',
  30008: 'the carrier gave no reason',
  30009: 'a part of the message was lost on the way',
  30010: 'the price of the message is above the limit of the account',
  30034: 'the number is not registered for messages from programs (A2P 10DLC)',
}

export function explainCode(code: string): string | undefined {
  return Object.hasOwn(WORDS, code) ? WORDS[code] : undefined
}
