import type { CarrierClient } from '../../../carriers/carrier.js'
import type { ListedCharge } from '../../../carriers/records.js'
import type { CarrierKind } from '../../../carriers/kind.js'
import { movePolledUntil } from '../../../database/carriers/polled-accounts.js'
import { findByCarrierIds, noteCharges } from '../../../database/messages/charges.js'
import { indexable } from '../../../database/text.js'
import { pollAccounts } from '../../carriers/poll-accounts.js'
import type { Context } from '../../context.js'

/** Prices come some minutes after a text is sent, and a few minutes more do not matter. */
const POLL_EVERY_SECONDS = 600
/** The carrier's clock is not ours, and a message may appear in its list a little late. */
const OVERLAP_MS = 5 * 60_000

/**
 * Asks the carriers that report the costs of messages in neither responses nor receipts. Everything that an account got
 * before its `priced_until` has its price, or will never have one: each pass begins there, and ends at the oldest that
 * has none yet.
 *
 * @returns the number of messages that got a price or a number of segments
 */
export async function pollPrices(context: Context, signal: AbortSignal): Promise<number> {
  let total = 0
  const isFor = ({ listsCharges }: CarrierKind) => listsCharges === true
  await pollAccounts(
    context,
    { what: 'prices', isFor, everySeconds: POLL_EVERY_SECONDS, signal },
    async (carrier, { id, since, askedAt }) => {
      if (carrier.listCharges === undefined) return false
      let count = 0
      let until = askedAt.getTime()
      for await (const batch of carrier.listCharges(since, signal)) {
        const noted = await noteBatch(context, carrier, batch)
        count += noted
        total += noted
        for (const { isFinal, sentAt } of batch) {
          if (!isFinal) until = Math.min(until, sentAt.getTime())
        }
      }
      await movePolledUntil(context.db, 'prices', id, new Date(until - OVERLAP_MS))
      context.log.info({ carrier: carrier.name, count }, 'prices.asked')
      return true
    },
  )
  return total
}

/** Other programs may use the account too: messages that are not ours are skipped. Ids are stored as `indexable` makes them. */
async function noteBatch(
  { db }: Context,
  { name }: CarrierClient,
  batch: readonly ListedCharge[],
): Promise<number> {
  const priced = batch.filter(({ charge }) => charge !== undefined)
  if (priced.length === 0) return 0
  const ids = await findByCarrierIds(
    db,
    name,
    priced.map(({ carrierMessageId }) => indexable(carrierMessageId)),
  )
  const charges = priced.flatMap(({ carrierMessageId, charge }) => {
    const id = ids.get(indexable(carrierMessageId))
    return id === undefined ? [] : [{ id, ...charge }]
  })
  if (charges.length > 0) await noteCharges(db, charges)
  return charges.length
}
