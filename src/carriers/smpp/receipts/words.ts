/** The contents of a receipt's text (SMPP 3.4 appendix B, and what SMSCs make of it). */
export interface ReceiptWords {
  id: string | undefined
  /** The state in capitals. */
  stat: string | undefined
  err: string | undefined
}

const NAMES = {
  id: '(?:id|msg_?id|message_?id)',
  stat: '(?:stat|status)',
  err: '(?:err|error)',
} as const

/**
 * Fields may come in any order and case, parted by blanks, commas, semicolons or bars, with a colon or an equals
 * sign, and in quotes. `text:` comes last and may contain anything, so the rest is not read.
 *
 * Some SMSCs end the text with a NUL, or write two octets for a character that they declare as one, so NULs are
 * skipped. In GSM-7 an underscore is 0x11.
 */
export function readWords(receipt: string): ReceiptWords {
  const [fields = ''] = receipt
    .replaceAll('\0', '')
    .replaceAll('\x11', '_')
    .split(/\btext\s*[:=]/i)
  return {
    id: readWord(fields, NAMES.id),
    stat: readWord(fields, NAMES.stat)?.toUpperCase(),
    err: readWord(fields, NAMES.err),
  }
}

function readWord(fields: string, name: string): string | undefined {
  const [, ...words] =
    new RegExp(`(?:^|[\\s,;|"'{])${name}["']?\\s*[:=]\\s*(?:"([^"]*)"|'([^']*)'|([^\\s,;|"'}]+))`, 'i').exec(
      fields,
    ) ?? []
  return words.find(Boolean)
}
