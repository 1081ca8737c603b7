import { readCharge } from '../kit/charge.js'
import { textAt } from '../kit/reading.js'
import type { Charge, ListedCharge } from '../records.js'
import { createdAtOf, type TwilioApi } from './api.js'

/** The bound of 100,000 records stops a list that would otherwise never end. */
const MAX_PAGES = 1000

/** In these states, Twilio may still set a price; in any other, it has done so or never will. */
const UNDER_WAY = new Set(['accepted', 'scheduled', 'queued', 'sending', 'sent', 'delivered'])
/** A price that is still missing after this never comes. */
const PATIENCE_MS = 24 * 3_600_000

/**
 * The price comes some time after the message was sent, as a negative number; the number of segments is 0 until it is
 * known.
 */
export function chargeOf(record: Record<string, unknown>): Charge | undefined {
  return readCharge({
    price: textAt(record, 'price'),
    currency: textAt(record, 'price_unit'),
    segments: textAt(record, 'num_segments'),
  })
}

/**
 * Lists the costs of the messages that the account has sent since then. No callback has them, so Twilio's list is
 * read, newest first.
 *
 * @throws CarrierRefused
 */
export async function* listCharges(
  api: TwilioApi,
  since: Date,
  signal: AbortSignal,
): AsyncGenerator<ListedCharge[]> {
  const list = { path: '/Messages.json', name: 'messages', maxPages: MAX_PAGES, since: since.getTime() }
  for await (const records of api.pages(list, signal))
    yield records.filter((each) => textAt(each, 'direction').startsWith('outbound')).map(readRecord)
}

function readRecord(record: Record<string, unknown>): ListedCharge {
  const charge = chargeOf(record)
  const createdAt = createdAtOf(record)
  const isLate = !(createdAt > Date.now() - PATIENCE_MS)
  return {
    carrierMessageId: textAt(record, 'sid'),
    charge,
    sentAt: new Date(createdAt),
    isFinal: charge?.price !== undefined || isLate || !UNDER_WAY.has(textAt(record, 'status')),
  }
}
