import { isUtf8 } from 'node:buffer'
import iconv from 'iconv-lite'
import { alphabetOf, ESCAPE, extensionOf } from '../../kit/text/gsm7.js'

/**
 * Decodes GSM-7 with an octet for each septet, as SMSCs unpack it. An octet from 0x80 on is not a septet: then the SMSC
 * has not turned the text into GSM-7 at all, and it is read as UTF-8 if it is valid, otherwise as Latin-1 with the
 * additional characters of Windows.
 *
 * An escape without an extension character after it is left out, as phones do.
 *
 * @param locking, single national language identifiers; 0 and unknown ones mean the default tables
 */
export function decodeGsm7(bytes: Buffer, locking: number, single: number): string {
  if (bytes.some((octet) => octet >= 0x80))
    return isUtf8(bytes) ? bytes.toString('utf8') : iconv.decode(bytes, 'windows-1252')
  const alphabet = alphabetOf({ locking, single })
  const extension = extensionOf({ locking, single })
  let text = ''
  let isEscaped = false
  for (const septet of bytes) {
    if (isEscaped) text += extension.get(septet) ?? (septet === ESCAPE ? ' ' : alphabet.charAt(septet))
    else if (septet !== ESCAPE) text += alphabet.charAt(septet)
    isEscaped = !isEscaped && septet === ESCAPE
  }
  return text
}
