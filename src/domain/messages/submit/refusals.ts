import { UserError } from '../../../errors.js'
import { countCharacters } from '../../../kit/text/characters.js'
import { OPTION_REFUSALS } from '../send-options.js'

/**
 * Twilio accepts no longer text (https://www.twilio.com/docs/api/errors/21617). This is already 11 segments of GSM-7.
 */
export const MAX_TEXT_LENGTH = 1600
/** The same in UTF-16 units: a longer text has more characters, however they are written. */
export const MAX_TEXT_UNITS = 2 * MAX_TEXT_LENGTH
/**
 * Clients make keys of 36 characters (a UUID) or a few more. Keys are stored for a day, so they must not be pages long.
 */
export const MAX_KEY_LENGTH = 255

/** Errors of an incoming webhook. `docs/http.md` lists them, and clients compare them word by word. */
export const REFUSALS = {
  tooLong: 'Text is too long',
  unsendable: 'Text contains a NUL character, which cannot be sent',
  notANumber: 'Provided toNumber phone number cannot be parsed',
  notAllowed: 'Destination is not allowed',
  nameNotTaken: 'The country of toNumber does not allow names as senders. Send from a number',
  shortCodeAbroad: 'A short code sends only within its own country',
  countryPaused: 'Sending to this country is paused',
  optedOut: 'Recipient has opted out',
  rateLimited: 'Rate limit exceeded',
  overCap: 'Daily segment cap reached',
  /** The name of the cap and the time of its reset follow this. */
  overMonthlyCap: 'Monthly spending cap reached',
  /** A repeat would send again, although a program whose variable is not set believes that it is safe. */
  keyEmpty: 'Idempotency-Key is empty. Give a key, or leave it out',
  keyTooLong: `Idempotency-Key is too long. Use at most ${MAX_KEY_LENGTH} characters`,
  keyReused: 'Idempotency-Key was used with another body. Use a new key for another message',
  keyInFlight: 'The first request with this Idempotency-Key is still being processed. Try again',
  ...OPTION_REFUSALS,
} as const

/** The refusal of the API and of lists. The incoming webhook of a disabled line is not found at all. */
export const LINE_DISABLED = 'This line is disabled and cannot send'

/** @throws UserError */
export function requireSendable(text: string): void {
  // Counting a text of megabytes takes seconds, and a character has at most two units.
  if (text.length > MAX_TEXT_UNITS || countCharacters(text) > MAX_TEXT_LENGTH)
    throw new UserError(REFUSALS.tooLong)
  if (text.includes('\0')) throw new UserError(REFUSALS.unsendable)
}

export function refusalOfKey(key: string | undefined): UserError | undefined {
  if (key === '') return new UserError(REFUSALS.keyEmpty)
  return key !== undefined && key.length > MAX_KEY_LENGTH ? new UserError(REFUSALS.keyTooLong) : undefined
}
