import type { CarrierReason } from '../../../carrier-reasons.js'
import { bytesField, type Pdu } from '../pdu.js'
import { linesOf, readReceiptError } from '../setting-lines.js'
import type { SmppSettings } from '../settings.js'
import { withoutEnding } from '../../../without-ending.js'

/** Real ones have three characters by the specification and at most eight in practice. */
const MAX_LENGTH = 20
const PRINTABLE = /^[\x21-\x7e]+$/

export interface ReceiptError {
  /** As the SMSC writes it. */
  code: string
  /** The meaning by the account's settings; undefined if they do not list it. */
  reason: CarrierReason | undefined
}

/**
 * Returns the error that a receipt gives. SMPP 3.4 leaves its meaning to each SMSC (appendix B), so only the account's
 * settings can explain it.
 *
 * The text has it as `err:`, and the TLV `network_error_code` as a network type and a number (§5.3.2.31). The two may
 * differ, and SMSCs that fill only the TLV write zeros in the text
 * (https://github.com/onlinecity/php-smpp/issues/70). So one that the settings list counts before one that they do
 * not, and the text before the TLV.
 *
 * @param err undefined if the text has none
 * @returns undefined if there is no error
 */
export function receiptErrorOf(
  pdu: Pdu,
  err: string | undefined,
  { receiptErrors }: Pick<SmppSettings, 'receiptErrors'>,
): ReceiptError | undefined {
  const reasons = new Map(
    linesOf(receiptErrors)
      .map(readReceiptError)
      .flatMap(({ codes, reason }) => codes.map((code) => [plain(code), reason] as const)),
  )
  const given = [err, networkErrorOf(pdu)].flatMap((code) =>
    code === undefined || !PRINTABLE.test(code) || plain(code) === '0'
      ? []
      : [{ code: code.slice(0, MAX_LENGTH), reason: reasons.get(plain(code)) }],
  )
  return given.find(({ reason }) => reason !== undefined) ?? given[0]
}

/**
 * Returns the code in the form in which codes are compared. SMSCs write `27`, `027` and `0027` for one error, some of
 * them `0x1B` (https://github.com/kneodev/ksmppd/issues/145), and others letters, such as `21b`
 * (https://github.com/twitter-archive/cloudhopper-smpp/issues/40).
 */
function plain(code: string): string {
  const number = /^0x[0-9a-f]{1,8}$/i.test(code) ? String(Number(code)) : code
  return number.toLowerCase().replace(/^0+(?=.)/, '')
}

/**
 * Some SMSCs write the three characters of `err:` here too. The network types of the specification are below 9, so
 * these cannot be mistaken for one.
 */
function networkErrorOf(pdu: Pdu): string | undefined {
  const bytes = bytesField(pdu, 'network_error_code')
  if (bytes === undefined || bytes.length < 3) return undefined
  const written = withoutEnding(bytes.toString('latin1'), '\0')
  return /^[0-9a-z]{3,4}$/i.test(written) ? written : String(bytes.readUInt16BE(1))
}
