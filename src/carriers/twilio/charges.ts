import { readCharge } from '../kit/charge.js'
import type { Charge, ListedCharge } from '../records.js'
import { createdAtOf, textOf } from './answers.js'
import type { TwilioApi } from './api.js'

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
    price: textOf(record.price),
    currency: textOf(record.price_unit),
    segments: textOf(record.num_segments),
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
  const list = { path: '/Messages.json', name: 'messages', query: {}, maxPages: MAX_PAGES }
  for await (const records of api.pages(list, signal)) {
    yield records.filter(({ direction }) => textOf(direction).startsWith('outbound')).map(readRecord)
    const oldest = records.at(-1)
    if (oldest && createdAtOf(oldest) < since.getTime()) return
  }
}

function readRecord(record: Record<string, unknown>): ListedCharge {
  const charge = chargeOf(record)
  const createdAt = createdAtOf(record)
  const isLate = !(createdAt > Date.now() - PATIENCE_MS)
  return {
    carrierMessageId: textOf(record.sid),
    charge,
    sentAt: new Date(createdAt),
    isFinal: charge?.price !== undefined || isLate || !UNDER_WAY.has(textOf(record.status)),
  }
}
