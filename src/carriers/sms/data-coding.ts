import type { EncodedText } from '../alphabets/encoded-text.js'

/** What `data_coding` 0 means; a modem always has GSM-7. */
export type Alphabet = 'gsm-7' | 'latin-1'

export const UCS_2 = 8
const UCS_2_CODING = 'utf-16be'
/** Compressed texts (3GPP TS 23.042) are not known to be in use. */
const COMPRESSED = 0x20

/** The contents of a user data header (3GPP TS 23.040 §9.2.3.24) about the text after it. */
export interface TextHeader {
  /** The national language identifiers (3GPP TS 23.038 §6.2.1.2). */
  locking?: number | undefined
  single?: number | undefined
  /** All of it except the elements about parts, for texts that cannot be decoded. */
  rest: Buffer
}

const NO_HEADER: TextHeader = { rest: Buffer.alloc(0) }

/** Returns the text with the coding of its `data_coding` (SMPP 3.4 §5.2.19; 3GPP TS 23.038 §4 for those above 15). */
export function encodedText(
  bytes: Buffer,
  dataCoding: number,
  alphabet: Alphabet,
  header: TextHeader = NO_HEADER,
): EncodedText {
  return { bytes, coding: codingOf(dataCoding, alphabet, header) }
}

/** The names in `EncodedText` of the protocol's own codings. SMPP 5.0 has the same. */
const CODINGS: Readonly<Record<number, string>> = {
  1: 'windows-1252',
  3: 'windows-1252',
  5: 'jis-x-0208',
  6: 'iso-8859-5',
  7: 'iso-8859-8',
  [UCS_2]: UCS_2_CODING,
  10: 'jis-x-0208',
  13: 'jis-x-0212',
  14: 'cp949',
}

function codingOf(dataCoding: number, alphabet: Alphabet, { locking, single, rest }: TextHeader): string {
  const isNational = locking !== undefined || single !== undefined
  const byDefault =
    alphabet === 'latin-1' && !isNational ? 'windows-1252' : `gsm-7 ${locking ?? 0} ${single ?? 0}`
  const details = `${dataCoding} ${rest.toString('hex')}`.trimEnd()
  if (dataCoding === 0) return byDefault
  if (dataCoding < 0x10) return CODINGS[dataCoding] ?? `octets ${details}`
  if (dataCoding >= 0xf0) return (dataCoding & 4) === 0 ? byDefault : `octets ${details}`
  if (dataCoding >= 0xe0) return UCS_2_CODING
  // These are reserved, or signal a waiting voice mail.
  if (dataCoding >= 0x80) return byDefault
  if ((dataCoding & COMPRESSED) !== 0) return `binary ${details}`
  return [byDefault, `octets ${details}`, UCS_2_CODING][(dataCoding >> 2) & 3] ?? `octets ${details}`
}
