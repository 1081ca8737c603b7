import { encoderOf, NO_SHIFT } from './gsm7.js'

/**
 * How a text is cut for SMS (3GPP TS 23.038 and 23.040): in GSM-7, if all of its characters are in that alphabet,
 * 160 septets in one segment and 153 in each of several; else in UCS-2, 70 and 67 units of 16 bits. Everybody who
 * counts, limits, shows or sends segments asks this file.
 */
export type Encoding = 'GSM-7' | 'UCS-2'

export interface Segments {
  encoding: Encoding
  /** The text of each piece that is sent and charged for; no character is cut in two. */
  parts: string[]
  /** Septets or 16-bit units over all parts. */
  unitCount: number
}

/** A segment has 140 octets. */
const OCTETS = 140
const BITS = { 'GSM-7': 7, 'UCS-2': 16 } as const
/** A header with the reference, number and place of a part in 8 bits each (3GPP TS 23.040 §9.2.3.24.1). */
const PART_HEADER_OCTETS = 6

/**
 * The septets or 16-bit units that a segment has room for beside a header. The text begins at a whole unit, so the bits
 * between are lost.
 */
export function roomOf(encoding: Encoding, headerOctets: number): number {
  return Math.floor(((OCTETS - headerOctets) * 8) / BITS[encoding])
}

const SINGLE = { 'GSM-7': roomOf('GSM-7', 0), 'UCS-2': roomOf('UCS-2', 0) }
const PART = { 'GSM-7': roomOf('GSM-7', PART_HEADER_OCTETS), 'UCS-2': roomOf('UCS-2', PART_HEADER_OCTETS) }

const DEFAULT = encoderOf(NO_SHIFT)

/** An empty text is one empty segment. */
export function cutIntoSegments(text: string, encoding: Encoding = encodingOf(text)): Segments {
  const characters = Array.from(text)
  const unitCount = characters.reduce((sum, character) => sum + unitsOf(character, encoding), 0)
  if (unitCount <= SINGLE[encoding]) return { encoding, parts: [text], unitCount }

  const parts: string[] = []
  let part = ''
  let used = 0
  for (const character of characters) {
    const units = unitsOf(character, encoding)
    if (used + units > PART[encoding]) {
      parts.push(part)
      part = ''
      used = 0
    }
    part += character
    used += units
  }
  return { encoding, parts: [...parts, part], unitCount }
}

/** Matches texts that need no escape, which takes two septets that must not be parted. */
const WITHOUT_ESCAPES = new RegExp(`^[${escapeForClass((septets) => septets.length === 1)}]*$`)
const IN_GSM_7 = new RegExp(`^[${escapeForClass(() => true)}]*$`)
const WITHOUT_SURROGATES = /^[^\ud800-\udfff]*$/

/** True if SMS can send the text in its default alphabet, GSM-7, with 160 characters in a segment. */
export function isGsm7(text: string): boolean {
  return IN_GSM_7.test(text)
}

/** The number of parts that `cutIntoSegments` makes; for most texts in a twentieth of the time. */
export function countSegments(text: string): number {
  const { length } = text
  // Each unit may take two septets.
  if (length <= SINGLE['UCS-2']) return 1
  if (WITHOUT_ESCAPES.test(text)) return length <= SINGLE['GSM-7'] ? 1 : Math.ceil(length / PART['GSM-7'])
  if (!IN_GSM_7.test(text) && WITHOUT_SURROGATES.test(text)) return Math.ceil(length / PART['UCS-2'])
  return cutIntoSegments(text).parts.length
}

function escapeForClass(isMeant: (septets: readonly number[]) => boolean): string {
  return Array.from(DEFAULT, ([character, septets]) =>
    isMeant(septets) ? character.replace(/[\\\]^-]/, '\\$&') : '',
  ).join('')
}

function encodingOf(text: string): Encoding {
  return isGsm7(text) ? 'GSM-7' : 'UCS-2'
}

function unitsOf(character: string, encoding: Encoding): number {
  return encoding === 'UCS-2' ? character.length : (DEFAULT.get(character)?.length ?? 0)
}
