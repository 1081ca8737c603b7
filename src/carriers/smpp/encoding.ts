import { cutIntoSegments } from '../../segments.js'
import { smpp } from './package.js'
import type { SmppSettings } from './settings.js'

type Alphabet = SmppSettings['defaultAlphabet']

const UCS_2 = 8

export interface EncodedText {
  dataCoding: number
  /** One for each segment. In GSM-7 an octet for each septet: the SMSC packs them. */
  parts: Buffer[]
}

/** What data_coding 0 stands for is the SMSC's choice; what its alphabet does not have goes as UCS-2. */
export function encodeText(text: string, alphabet: Alphabet): EncodedText {
  const isForeign = alphabet === 'latin-1' && /[^\0-\xff]/.test(text)
  const { encoding, parts } = cutIntoSegments(text, isForeign ? 'UCS-2' : undefined)
  if (encoding === 'UCS-2') return { dataCoding: UCS_2, parts: parts.map(smpp.encodings.UCS2.encode) }
  const { encode } = alphabet === 'latin-1' ? smpp.encodings.LATIN1 : smpp.encodings.ASCII
  return { dataCoding: 0, parts: parts.map(encode) }
}

/**
 * By data_coding (SMPP 3.4 §5.2.19; 3GPP TS 23.038 §4 for those above 15). Half of a surrogate pair stays what it
 * is: the other half may be in the next part.
 *
 * @returns undefined for what is not a text
 */
export function decodeText(bytes: Buffer, dataCoding: number, alphabet: Alphabet): string | undefined {
  switch (codingOf(dataCoding)) {
    case 'default':
      return alphabet === 'latin-1' ? bytes.toString('latin1') : decodeGsm7(bytes)
    case 'latin-1':
      return bytes.toString('latin1')
    case 'iso-8859-5':
      return new TextDecoder('iso-8859-5').decode(bytes)
    case 'iso-8859-8':
      return new TextDecoder('iso-8859-8').decode(bytes)
    case 'ucs-2':
      return Buffer.from(bytes.subarray(0, bytes.length & ~1))
        .swap16()
        .toString('utf16le')
    case 'binary':
      return undefined
  }
}

function codingOf(dataCoding: number) {
  if (dataCoding >= 0xf0) return (dataCoding & 4) === 0 ? 'default' : 'binary'
  if (dataCoding >= 0xe0) return 'ucs-2'
  if (dataCoding >= 0x10)
    return (['default', 'binary', 'ucs-2', 'binary'] as const)[(dataCoding >> 2) & 3] ?? 'binary'
  switch (dataCoding) {
    case 0:
      return 'default'
    case 1:
    case 3:
      return 'latin-1'
    case 6:
      return 'iso-8859-5'
    case 7:
      return 'iso-8859-8'
    case UCS_2:
      return 'ucs-2'
    default:
      return 'binary'
  }
}

/** An escape before what is no extension character is left out, as phones do. */
function decodeGsm7(septets: Buffer): string {
  return smpp.encodings.ASCII.decode(septets).replaceAll('\x1b', '')
}
