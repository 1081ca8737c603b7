import type { SmppSettings } from '../settings.js'

type ReceiptIdForm = SmppSettings['receiptIds']

/** Returns the id of a `submit_sm_resp` in the form that the account's receipts will have, in which we keep it. */
export function idInReceipts(id: string, form: ReceiptIdForm): string {
  if (form === 'hex-to-decimal' && HEX.test(id)) return BigInt(`0x${id}`).toString()
  if (form === 'decimal-to-hex' && DECIMAL.test(id)) return BigInt(id).toString(16)
  return id
}

/** Returns the id in a receipt's text in the form that we keep: SMSCs pad with zeros, and write hex in either case. */
export function idOfReceipt(id: string, form: ReceiptIdForm): string {
  if (form === 'hex-to-decimal' && DECIMAL.test(id)) return BigInt(id).toString()
  if (form === 'decimal-to-hex' && HEX.test(id)) return BigInt(`0x${id}`).toString(16)
  return id
}

const DECIMAL = /^\d+$/
const HEX = /^[0-9a-f]+$/i
/** SMSCs pad with zeros to one of these lengths: SMPP 3.3 has 8 digits of hex, and the example of SMPP 3.4 has 10. */
const FILLED = [8, 10, 12, 16, 20]

/**
 * Returns the other forms in which the SMSC may have written this id in its response: in the other case, with or
 * without zeros before it, in hex or in decimal. Several messages may match one of these, so only those of the
 * receipt's number are searched.
 */
export function otherFormsOf(id: string): string[] {
  const numbers = [
    id,
    ...(DECIMAL.test(id) ? [BigInt(id).toString(16)] : []),
    ...(HEX.test(id) ? [BigInt(`0x${id}`).toString()] : []),
  ].flatMap(withZeros)
  const forms = new Set(numbers.flatMap((form) => [form, form.toLowerCase(), form.toUpperCase()]))
  forms.delete(id)
  return [...forms]
}

function withZeros(id: string): string[] {
  if (!HEX.test(id)) return [id]
  const bare = id.replace(/^0+(?=.)/, '')
  return [
    id,
    bare,
    ...FILLED.filter((length) => length > bare.length).map((length) => bare.padStart(length, '0')),
  ]
}
