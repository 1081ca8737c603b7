import { isUtf8 } from 'node:buffer'
import iconv from 'iconv-lite'
import { decodeGsm7 } from './gsm7.js'
import { decodeJapanese } from './japanese.js'

/**
 * A text as a carrier delivered it. It is decoded when all of its parts have arrived, because a character may be split
 * between two.
 *
 * `coding`, which is kept with parts, is a name of `iconv-lite`; `gsm-7 <locking> <single>`; `jis-x-0208` or
 * `jis-x-0212`; `octets <data coding> <user data header in hexadecimal>`, which may or may not be a text; or `binary
 * …`, which is not a text.
 */
export interface EncodedText {
  bytes: Buffer
  coding: string
}

/**
 * Adjacent pieces with the same coding are joined first. A piece that cannot be decoded is shown in hexadecimal, so
 * that nothing is lost.
 */
export function readTexts(pieces: readonly EncodedText[]): string {
  return joinNeighbours(pieces)
    .map((piece) => decode(piece) ?? showBytes(piece))
    .join('')
}

function joinNeighbours(pieces: readonly EncodedText[]): EncodedText[] {
  const joined: EncodedText[] = []
  for (const { bytes, coding } of pieces) {
    const last = joined.at(-1)
    if (last?.coding === coding) last.bytes = Buffer.concat([last.bytes, bytes])
    else joined.push({ bytes, coding })
  }
  return joined
}

/** @returns undefined if it is not a text, or not in this coding */
export function decode({ bytes, coding }: EncodedText): string | undefined {
  const [name = '', first, second] = coding.split(' ')
  switch (name) {
    case 'gsm-7':
      return decodeGsm7(bytes, Number(first), Number(second))
    case 'utf-16be':
      return decodeUtf16(bytes)
    case 'utf-16le':
      return bytes.toString('utf16le')
    case 'jis-x-0208':
    case 'jis-x-0212':
      return decodeJapanese(bytes, name)
    case 'octets':
      return decodeOctets(bytes)
    case 'binary':
      return undefined
    default:
      return iconv.encodingExists(name) ? withoutFaults(iconv.decode(bytes, name)) : undefined
  }
}

function withoutFaults(text: string): string | undefined {
  return text.includes('\ufffd') ? undefined : text
}

/** Some SMSCs begin with a byte order mark, and some of those say little-endian. */
function decodeUtf16(bytes: Buffer): string {
  const whole = Buffer.from(bytes.subarray(0, bytes.length & ~1))
  if (whole.length >= 2 && whole.readUInt16LE(0) === 0xfeff) return whole.toString('utf16le', 2)
  return whole
    .swap16()
    .toString('utf16le')
    .replace(/^\ufeff/, '')
}

const PRINTABLE = /^[\t\n\f\r\x20-\x7e\u00a0-\uffff]*$/

/** Many SMSCs put texts into eight-bit data. They are recognized by having no control characters. */
function decodeOctets(bytes: Buffer): string | undefined {
  const text = bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1')
  return PRINTABLE.test(text) ? text : undefined
}

function showBytes({ bytes, coding }: EncodedText): string {
  const [name = '', dataCoding = '', header = ''] = coding.split(' ')
  const isNumbered = name === 'octets' || name === 'binary'
  const called = isNumbered ? `data coding ${dataCoding}` : name
  return `[${called}${header && isNumbered ? `, header ${header}` : ''}, not readable as text: ${bytes.toString('hex')}]`
}
