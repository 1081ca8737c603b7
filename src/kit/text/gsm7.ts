import { NATIONAL_TABLES } from './national-tables.js'

/** The septet before one of the extension table (3GPP TS 23.038 §6.2.1). */
export const ESCAPE = 0x1b

/** The tables of a text, as language identifiers; 0 means the default table. */
export interface Shift {
  locking: number
  single: number
}

export const NO_SHIFT: Shift = { locking: 0, single: 0 }

/** The table of 3GPP TS 23.038 §6.2.1. */
const DEFAULT_ALPHABET =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\x1bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'

/** The table of 3GPP TS 23.038 §6.2.1.1. */
const DEFAULT_EXTENSION = singleShiftOf({
  0x0a: '\f',
  0x14: '^',
  0x28: '{}',
  0x2f: '\\',
  0x3c: '[~]',
  0x40: '|',
  0x65: '€',
})

const LOCKING = new Map(NATIONAL_TABLES.map(({ language, locking }) => [language, locking]))
const SINGLE = new Map(NATIONAL_TABLES.map(({ language, single }) => [language, singleShiftOf(single)]))

function singleShiftOf(runs: Readonly<Record<number, string>>): ReadonlyMap<number, string> {
  return new Map(
    Object.entries(runs).flatMap(([first, characters]) =>
      Array.from(characters, (character, index) => [Number(first) + index, character] as const),
    ),
  )
}

/** The characters by their septets. Unknown languages have the default table. */
export function alphabetOf({ locking }: Shift): string {
  return LOCKING.get(locking) ?? DEFAULT_ALPHABET
}

/** The characters by the septet after an escape. Unknown languages have the default table. */
export function extensionOf({ single }: Shift): ReadonlyMap<number, string> {
  return SINGLE.get(single) ?? DEFAULT_EXTENSION
}

/** The septets of each character, one or two. */
export type Encoder = ReadonlyMap<string, readonly number[]>

const ENCODERS = new Map<string, Encoder>()

export function encoderOf(shift: Shift): Encoder {
  const key = `${shift.locking} ${shift.single}`
  const known = ENCODERS.get(key)
  if (known !== undefined) return known
  const encoder = new Map<string, readonly number[]>()
  for (const [septet, character] of extensionOf(shift)) encoder.set(character, [ESCAPE, septet])
  // What is in both tables takes one septet.
  for (const [septet, character] of Array.from(alphabetOf(shift)).entries())
    if (septet !== ESCAPE) encoder.set(character, [septet])
  ENCODERS.set(key, encoder)
  return encoder
}

/** Encodes a text of which `encoderOf` has every character, with an octet for each septet. */
export function encodeGsm7(text: string, shift: Shift): Buffer {
  const encoder = encoderOf(shift)
  return Buffer.from(Array.from(text).flatMap((character) => encoder.get(character) ?? []))
}
