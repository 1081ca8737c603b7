import iconv from 'iconv-lite'

type Set = 'ascii' | 'katakana' | 'jis-x-0208' | 'jis-x-0212'

/** The character sets, keyed by the text after ESC (RFC 1468, RFC 2237, and JIS X 0201's half-width katakana). */
const SETS: Readonly<Record<string, Set>> = {
  '(B': 'ascii',
  '(J': 'ascii',
  '(I': 'katakana',
  $B: 'jis-x-0208',
  '$@': 'jis-x-0208',
  '$(B': 'jis-x-0208',
  '$(@': 'jis-x-0208',
  '$(D': 'jis-x-0212',
}
// oxlint-disable-next-line no-control-regex -- the escape is what it is about
const ESCAPES = /\x1b(\([BJI]|\$\([B@D]|\$[B@])/
/** Matches pairs of seven-bit octets. */
const PAIRS = /^(?:[\x21-\x7e]{2})+$/
/** The rows of hiragana and katakana, which almost every Japanese text contains. */
const KANA_ROWS = new Set([0x24, 0x25])

/**
 * Decodes what SMSCs send as JIS (data_coding 5 and 13) or ISO-2022-JP (10). That is one of three things: text with
 * escapes; text in eight bits, which is Shift_JIS or else EUC-JP; or pairs of seven bits without escapes, as the
 * standard itself says. Some of these are valid ASCII too: they count as Japanese if they contain kana, and always as
 * `bare` if that is given.
 *
 * @param bare the set of pairs without escapes
 * @returns undefined if it is none of these
 */
export function decodeJapanese(bytes: Buffer, bare: 'jis-x-0208' | 'jis-x-0212'): string | undefined {
  const text = bytes.toString('latin1')
  if (ESCAPES.test(text)) return decodeEscaped(text)
  if (bytes.some((octet) => octet >= 0x80)) return decodeEither(bytes, ['shift_jis', 'euc-jp'])
  if (
    PAIRS.test(text) &&
    (bare === 'jis-x-0212' || bytes.some((octet, n) => n % 2 === 0 && KANA_ROWS.has(octet)))
  ) {
    const decoded = decodeSet(text, bare)
    if (!decoded.includes('\ufffd')) return decoded
  }
  return text
}

function decodeEither(bytes: Buffer, encodings: readonly string[]): string | undefined {
  return encodings.map((encoding) => iconv.decode(bytes, encoding)).find((text) => !text.includes('\ufffd'))
}

function decodeEscaped(text: string): string {
  const [head = '', ...pieces] = text.split(ESCAPES)
  let decoded = head
  for (let n = 0; n + 1 < pieces.length; n += 2)
    decoded += decodePiece(pieces[n + 1] ?? '', SETS[pieces[n] ?? ''] ?? 'ascii')
  return decoded
}

/**
 * A character that is in no table, such as an emoji of an operator's own, is shown in hexadecimal. A decoder that meets
 * one loses its place among the pairs, so each is decoded alone.
 */
function decodePiece(text: string, set: Set): string {
  const decoded = decodeSet(text, set)
  if (!decoded.includes('\ufffd')) return decoded
  return text.replaceAll(/[\x21-\x7e]{1,2}/g, (pair) => {
    const one = decodeSet(pair, set)
    return one.includes('\ufffd') ? `[${Buffer.from(pair, 'latin1').toString('hex')}]` : one
  })
}

/** Decodes through EUC-JP, which has all of these sets. Line ends and blanks are the same in each. */
function decodeSet(text: string, set: Set): string {
  if (set === 'ascii') return text
  return text.replaceAll(/[\x21-\x7e]+/g, (run) => {
    const octets = Array.from(run, (_, n) => run.charCodeAt(n) | 0x80)
    if (set === 'katakana') return decodeEuc(octets.flatMap((octet) => [0x8e, octet]))
    return decodeEuc(
      set === 'jis-x-0208' ? octets : octets.flatMap((octet, n) => (n % 2 ? octet : [0x8f, octet])),
    )
  })
}

function decodeEuc(octets: readonly number[]): string {
  return iconv.decode(Buffer.from(octets), 'euc-jp')
}
