import { isUtf8 } from 'node:buffer'
import iconv from 'iconv-lite'
import { NATIONAL_TABLES } from './national-tables.js'

const ESCAPE = 0x1b

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

/**
 * Decodes GSM-7 with an octet for each septet, as SMSCs unpack it. An octet from 0x80 on is not a septet: then the
 * SMSC has not turned the text into GSM-7 at all, and it is read as UTF-8 if it is valid, otherwise as Latin-1 with
 * the additional characters of Windows.
 *
 * An escape that no extension character follows is left out, as phones do.
 *
 * @param locking, single national language identifiers; 0 and unknown ones mean the default tables
 */
export function decodeGsm7(bytes: Buffer, locking: number, single: number): string {
  if (bytes.some((octet) => octet >= 0x80))
    return isUtf8(bytes) ? bytes.toString('utf8') : iconv.decode(bytes, 'windows-1252')
  const alphabet = LOCKING.get(locking) ?? DEFAULT_ALPHABET
  const extension = SINGLE.get(single) ?? DEFAULT_EXTENSION
  let text = ''
  let isEscaped = false
  for (const septet of bytes) {
    if (isEscaped) text += extension.get(septet) ?? (septet === ESCAPE ? ' ' : alphabet.charAt(septet))
    else if (septet !== ESCAPE) text += alphabet.charAt(septet)
    isEscaped = !isEscaped && septet === ESCAPE
  }
  return text
}
