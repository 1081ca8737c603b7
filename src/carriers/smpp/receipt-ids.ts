import type { SmppSettings } from './settings.js'

type Manner = SmppSettings['receiptIds']

/** The id of a `submit_sm_resp` as the account's receipts will write it: that is how we keep it. */
export function idInReceipts(id: string, manner: Manner): string {
  if (manner === 'hex-to-decimal' && HEX.test(id)) return BigInt(`0x${id}`).toString()
  if (manner === 'decimal-to-hex' && DECIMAL.test(id)) return BigInt(id).toString(16)
  return id
}

/** The id in a receipt's text as we keep it: SMSCs fill with zeros, and write hex in either case. */
export function idOfReceipt(id: string, manner: Manner): string {
  if (manner === 'hex-to-decimal' && DECIMAL.test(id)) return BigInt(id).toString()
  if (manner === 'decimal-to-hex' && HEX.test(id)) return BigInt(`0x${id}`).toString(16)
  return id
}

const DECIMAL = /^\d+$/
const HEX = /^[0-9a-f]+$/i
/** To so many digits SMSCs fill with zeros: SMPP 3.3 has 8 of hex, and the example of SMPP 3.4 has 10. */
const FILLED = [8, 10, 12, 16, 20]

/**
 * How else the SMSC may have written this id in its response: in the other case, with or without zeros before it, in hex
 * or in decimal. Several messages may match one of these, so they are looked for among those of the receipt's number only.
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
