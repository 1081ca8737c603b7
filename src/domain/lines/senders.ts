import { UserError } from '../../errors.js'
import { senderKindOf, type SenderKind } from '../../kit/text/sender-kind.js'
import { cutIntoSegments } from '../../kit/text/segments.js'
import { parseE164, parseNumber } from '../messages/phone-number.js'
import { hintFor, isCountry } from './countries.js'

/** Phones show no more of a name (3GPP TS 23.040 §9.1.2.5: 11 characters of 7 bits). */
const MAX_NAME_LENGTH = 11

/**
 * Countries whose networks take no names as senders. They are those for which two carriers say so: Amazon ("Supports
 * Sender IDs: No", https://docs.aws.amazon.com/sms-voice/latest/userguide/phone-numbers-sms-by-country.html) and
 * Kaleyra ("Delivers via Numeric Sender", International Sender Id Policies); for Puerto Rico Amazon and Telnyx
 * (https://developers.telnyx.com/docs/messaging/messages/alphanumeric-sender-id). If only some networks refuse a
 * name, or want it registered, the carrier refuses it.
 */
const WITHOUT_NAMES = new Set('AR BR CA CL CO CR DO EC HU KR MX MY NZ PR US UY ZA'.split(' '))

export interface Sender {
  /** The stored form: E.164, the digits of a short code, a name, or the SID of a service. */
  number: string
  /** An ISO 3166 code. */
  country: string | null
}

/**
 * Reads the sender of a new line.
 *
 * @param country ISO 3166, which a short code needs; with a name or a service, numbers may be written as people there
 *   do
 * @throws UserError naming the field
 */
export function readSender(
  written: string,
  country: string | undefined,
  carrierKind: string | undefined,
): Sender {
  const tidy = written.normalize('NFC').trim()
  const given = country?.trim().toUpperCase() ?? ''
  if (given !== '' && !isCountry(given)) {
    throw new UserError(`country must be a two-letter ISO 3166 code, such as US${hintFor(given)}`)
  }
  const parsed = parseE164(tidy)
  if (parsed !== undefined) {
    if (given !== '' && given !== parsed.country) {
      throw new UserError(
        'country is only for short codes and names, because a phone number has its own. Leave it out',
      )
    }
    return { number: parsed.number, country: parsed.country ?? null }
  }
  const service = /^mg[0-9a-f]{32}$/i.test(tidy) ? `MG${tidy.slice(2).toLowerCase()}` : undefined
  const number = service ?? tidy
  const kind = senderKindOf(number)
  if (kind === 'service' && carrierKind !== 'twilio') {
    throw new UserError(
      'number is a Messaging Service SID, which works only with a Twilio account. Choose one, or give a phone number',
    )
  }
  if (kind === 'short_code' && given === '') {
    throw new UserError('country is required for a short code. Give its two letters, such as US')
  }
  // This many digits are meant as a phone number, whatever surrounds them.
  if (kind === 'number' || (kind === 'name' && (!hasLetter(number) || /\d{7}/.test(number)))) {
    throw new UserError('number must be in E.164 format, such as +15551234567')
  }
  if (kind === 'name' && !isName(number)) {
    throw new UserError(`number is a name and must have 1 to ${MAX_NAME_LENGTH} GSM-7 characters`)
  }
  return { number, country: given === '' ? null : given }
}

function hasLetter(written: string): boolean {
  return /\p{L}/u.test(written)
}

function isName(written: string): boolean {
  const { encoding, unitCount } = cutIntoSegments(written)
  // A line feed is a GSM character, too.
  return (
    encoding === 'GSM-7' && unitCount <= MAX_NAME_LENGTH && hasLetter(written) && !/[\p{Cc}]/u.test(written)
  )
}

/** Normalizes a line's number for a search; anything but a phone number is compared unchanged. */
export function asSender(written: string): string {
  const tidy = written.normalize('NFC').trim()
  return senderKindOf(tidy) === 'short_code' ? tidy : (parseNumber(tidy, null)?.number ?? tidy)
}

/** True if a line may have this number. */
export function isSender(number: string): boolean {
  const kind = senderKindOf(number)
  return kind === 'name' ? isName(number) : kind !== 'number' || parseE164(number) !== undefined
}

export type SenderFault = 'name_not_taken' | 'short_code_abroad'

/** Explains why a sender does not reach a country; undefined if it may. */
export function faultOfSender(
  { number, country }: Sender,
  toCountry: string | undefined,
): SenderFault | undefined {
  switch (senderKindOf(number)) {
    case 'name':
      return toCountry !== undefined && WITHOUT_NAMES.has(toCountry) ? 'name_not_taken' : undefined
    case 'short_code':
      return toCountry === country ? undefined : 'short_code_abroad'
    case 'number':
    case 'service':
      return undefined
  }
}

/** True if people can write to it. */
export function canReceive(kind: SenderKind): boolean {
  return kind !== 'name'
}
