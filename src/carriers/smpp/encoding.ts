import { encodeGsm7, type Shift } from '../../kit/text/gsm7.js'
import { cutIntoSegments, LATIN_1 } from '../../kit/text/segments.js'
import type { Language } from '../../kit/text/national-tables.js'
import { decode } from '../alphabets/encoded-text.js'
import { encodedText, UCS_2, type Alphabet } from '../sms/data-coding.js'
import { smpp } from './package.js'

export interface TextToSend {
  dataCoding: number
  /** One for each segment. GSM-7 has an octet for each septet: the SMSC packs them. */
  parts: Buffer[]
  /** The national tables, which each part's header has to name. */
  shift: Shift
}

/** The SMSC chooses what data_coding 0 means; a text that does not fit its alphabet is sent as UCS-2. */
export function encodeText(
  text: string,
  alphabet: Alphabet,
  codings = { gsm: 0, unicode: UCS_2 },
  languages: readonly Language[] = [],
): TextToSend {
  const { encoding, parts, shift } = cutIntoSegments(text, {
    languages: alphabet === LATIN_1 ? [LATIN_1] : languages,
  })
  if (encoding === 'UCS-2')
    return { dataCoding: codings.unicode, parts: parts.map(smpp.encodings.UCS2.encode), shift }
  const encode = (part: string) =>
    alphabet === 'latin-1' ? Buffer.from(part, 'latin1') : encodeGsm7(part, shift)
  return { dataCoding: codings.gsm, parts: parts.map(encode), shift }
}

/**
 * Decodes a text that is whole.
 *
 * @returns undefined if it is not a text
 */
export function decodeText(bytes: Buffer, dataCoding: number, alphabet: Alphabet): string | undefined {
  return decode(encodedText(bytes, dataCoding, alphabet))
}
