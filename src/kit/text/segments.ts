import { encoderOf, NO_SHIFT, type Encoder, type Shift } from './gsm7.js'
import { LANGUAGE_NAMES, LANGUAGES, NATIONAL_TABLES, type Language } from './national-tables.js'

/**
 * How a text is split for SMS (3GPP TS 23.038 and 23.040): in GSM-7, if all of its characters are in that alphabet, 160
 * septets in one segment and 153 in each of several; else in UCS-2, 70 and 67 units of 16 bits. Everything that counts,
 * limits, shows or sends segments uses this file.
 *
 * A carrier account may allow national tables. Then a text that only such a table covers is GSM-7 too, and each segment
 * has a header that names the tables and takes up room.
 */
export type Encoding = 'GSM-7' | 'UCS-2'

export interface Segments {
  encoding: Encoding
  /** The language of the national tables; null if it needs none. */
  language: Language | null
  shift: Shift
  /** The text of each piece that is sent and charged for; no character is split. */
  parts: string[]
  /** Septets or 16-bit units over all parts, without headers. */
  unitCount: number
  /** The units that a single segment holds, and each of several. */
  room: { single: number; part: number }
}

/** A segment has 140 octets. */
const OCTETS = 140
const BITS = { 'GSM-7': 7, 'UCS-2': 16 } as const
/** The reference, number and place of a part, in 8 bits each (3GPP TS 23.040 §9.2.3.24.1). */
const PART_OCTETS = 5
/** The element that names a table (§9.2.3.24.15 and .16). */
const TABLE_OCTETS = 3

/**
 * The septets or 16-bit units that a segment has room for beside a header. The text begins at a whole unit, so the bits
 * between are lost.
 */
export function roomOf(encoding: Encoding, headerOctets: number): number {
  return Math.floor(((OCTETS - headerOctets) * 8) / BITS[encoding])
}

/** A way to encode a text. */
interface EncodingScheme extends Pick<Segments, 'encoding' | 'language' | 'shift' | 'room'> {
  /** undefined for UCS-2, which has everything. */
  encoder: Encoder | undefined
}

function schemeOf(encoding: Encoding, language: Language | null = null, shift = NO_SHIFT): EncodingScheme {
  const tables = [shift.single, shift.locking].filter((each) => each !== 0).length * TABLE_OCTETS
  const roomBeside = (octets: number) => roomOf(encoding, octets === 0 ? 0 : 1 + octets)
  return {
    ...{ encoding, language, shift },
    room: { single: roomBeside(tables), part: roomBeside(tables + PART_OCTETS) },
    encoder: encoding === 'GSM-7' ? encoderOf(shift) : undefined,
  }
}

const GSM_7 = schemeOf('GSM-7')
const UCS_2 = schemeOf('UCS-2')

/**
 * The single shift comes first: a phone that does not know its table shows `s` for `ş`, and the rest of the text as it
 * is. With an unknown locking table it shows other characters throughout.
 */
const NATIONAL: readonly EncodingScheme[] = ['single', 'locking', 'both'].flatMap((tables) =>
  LANGUAGE_NAMES.flatMap((language) => {
    const id = LANGUAGES[language]
    const hasLocking = NATIONAL_TABLES.some((table) => table.language === id && table.locking !== undefined)
    if (tables !== 'single' && !hasLocking) return []
    const shift = { single: tables === 'locking' ? 0 : id, locking: tables === 'single' ? 0 : id }
    return [schemeOf('GSM-7', language, shift)]
  }),
)

export const LATIN_1 = 'latin-1'

/**
 * What an account can send with besides GSM-7 and UCS-2: the tables of a language, or Latin-1 in place of GSM-7, which
 * has neither the euro sign nor Greek letters.
 */
export type AccountTable = Language | typeof LATIN_1

export interface CutOptions {
  /** Those of the account. */
  languages?: readonly AccountTable[]
}

/**
 * An empty text is one empty segment. Of several national tables, the ones that make the fewest segments count: never
 * more than UCS-2 would make, because two septets have fewer bits than its unit.
 */
export function cutIntoSegments(text: string, { languages = [] }: CutOptions = {}): Segments {
  if (languages.includes(LATIN_1) && !IN_LATIN_1.test(text)) return cut(text, UCS_2)
  if (isGsm7(text)) return cut(text, GSM_7)
  const national = NATIONAL.filter(
    ({ language, encoder }) => language !== null && languages.includes(language) && hasAll(encoder, text),
  ).map((scheme) => cut(text, scheme))
  const fewest = Math.min(...national.map(({ parts }) => parts.length))
  return national.find(({ parts }) => parts.length === fewest) ?? cut(text, UCS_2)
}

function hasAll(encoder: Encoder | undefined, text: string): boolean {
  return encoder !== undefined && Array.from(text).every((character) => encoder.has(character))
}

function cut(text: string, { encoder, ...scheme }: EncodingScheme): Segments {
  const unitsOf = (character: string) => encoder?.get(character)?.length ?? character.length
  const characters = Array.from(text)
  const unitCount = characters.reduce((sum, character) => sum + unitsOf(character), 0)
  if (unitCount <= scheme.room.single) return { ...scheme, parts: [text], unitCount }

  const parts: string[] = []
  let part = ''
  let used = 0
  for (const character of characters) {
    const units = unitsOf(character)
    if (used + units > scheme.room.part) {
      parts.push(part)
      part = ''
      used = 0
    }
    part += character
    used += units
  }
  return { ...scheme, parts: [...parts, part], unitCount }
}

/** Matches texts that need no escape, which takes two septets that must not be separated. */
const WITHOUT_ESCAPES = matching([GSM_7], (septets) => septets.length === 1)
const IN_GSM_7 = matching([GSM_7])
const IN_ANY_TABLE = matching([GSM_7, ...NATIONAL])
const IN_LATIN_1 = /^[\0-\xff]*$/
const WITHOUT_SURROGATES = /^[^\ud800-\udfff]*$/

/** True if SMS can send the text in its default alphabet, GSM-7, with 160 characters in a segment. */
export function isGsm7(text: string): boolean {
  return IN_GSM_7.test(text)
}

/** True if the text is one segment in any encoding: each unit may take two septets, and a header eight of 160. */
export function isShort(text: string): boolean {
  return text.length <= UCS_2.room.single
}

/** True if the carrier account's languages may make a difference, so they have to be looked up. */
export function mayNeedLanguage(text: string): boolean {
  return isGsm7(text) ? !IN_LATIN_1.test(text) : IN_ANY_TABLE.test(text)
}

/** The number of parts that `cutIntoSegments` makes; for most texts in a twentieth of the time. */
export function countSegments(text: string, languages: readonly AccountTable[] = []): number {
  const { length } = text
  if (isShort(text)) return 1
  if (languages.includes(LATIN_1)) return cutIntoSegments(text, { languages }).parts.length
  if (WITHOUT_ESCAPES.test(text)) return length <= GSM_7.room.single ? 1 : Math.ceil(length / GSM_7.room.part)
  const isNational = languages.length > 0 && mayNeedLanguage(text)
  if (!isNational && !isGsm7(text) && WITHOUT_SURROGATES.test(text))
    return Math.ceil(length / UCS_2.room.part)
  return cutIntoSegments(text, { languages }).parts.length
}

function matching(
  schemes: readonly EncodingScheme[],
  isMeant: (septets: readonly number[]) => boolean = () => true,
): RegExp {
  const characters = schemes.flatMap(({ encoder }) =>
    Array.from(encoder ?? [], ([character, septets]) =>
      isMeant(septets) ? character.replace(/[\\\]^-]/, '\\$&') : '',
    ),
  )
  return new RegExp(`^[${[...new Set(characters)].join('')}]*$`)
}
