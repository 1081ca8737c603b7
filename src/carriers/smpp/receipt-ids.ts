import type { SmppSettings } from './settings.js'

type Manner = SmppSettings['receiptIds']

/** The id of a `submit_sm_resp` as the account's receipts will write it: that is how we keep it. */
export function idInReceipts(id: string, manner: Manner): string {
  if (manner === 'hex-to-decimal' && /^[0-9a-f]+$/i.test(id)) return BigInt(`0x${id}`).toString()
  if (manner === 'decimal-to-hex' && /^\d+$/.test(id)) return BigInt(id).toString(16)
  return id
}

/** The id in a receipt's text as we keep it: SMSCs fill with zeros, and write hex in either case. */
export function idOfReceipt(id: string, manner: Manner): string {
  if (manner === 'hex-to-decimal' && /^\d+$/.test(id)) return BigInt(id).toString()
  if (manner === 'decimal-to-hex' && /^[0-9a-f]+$/i.test(id)) return BigInt(`0x${id}`).toString(16)
  return id
}
