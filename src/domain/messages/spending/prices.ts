import type { CarrierClient } from '../../../carriers/carrier.js'
import type { ListedCharge } from '../../../carriers/records.js'
import {
  findByCarrierIds,
  movePricedUntil,
  noteCharges,
  takeAccountsToPrice,
  type AccountToPrice,
} from '../../../database/messages/charges.js'
import { asError } from '../../../errors.js'
import { findCarrierClient } from '../../carriers/carrier-clients.js'
import type { Context } from '../../context.js'

/** Prices come some minutes after a text is sent, and a few minutes more do not matter. */
const POLL_EVERY_SECONDS = 600
/** The carrier's clock is not ours, and a message may be in its list a little late. */
const OVERLAP_MS = 5 * 60_000

/**
 * Asks the carriers that give the costs of messages in neither answers nor reports. Everything that an account got
 * before its `priced_until` has its price, or will never have one: each pass begins there, and ends at the oldest
 * that has none yet.
 *
 * @returns the number of messages that got a price or a number of segments
 */
export async function pollPrices(context: Context, signal: AbortSignal): Promise<number> {
  const kinds = [...context.carriers.kinds].flatMap(([kind, { listsCharges }]) =>
    listsCharges ? [kind] : [],
  )
  const accounts = await takeAccountsToPrice(context.db, kinds, POLL_EVERY_SECONDS)
  const counts = await Promise.all(accounts.map((account) => pollAccount(context, account, signal)))
  return counts.reduce((sum, count) => sum + count, 0)
}

async function pollAccount(context: Context, account: AccountToPrice, signal: AbortSignal): Promise<number> {
  const { db, log } = context
  let count = 0
  try {
    const carrier = await findCarrierClient(context, account)
    if (carrier?.listCharges === undefined) return 0
    let until = account.askedAt.getTime()
    for await (const batch of carrier.listCharges(account.since, signal)) {
      count += await noteBatch(context, carrier, batch)
      for (const { isFinal, sentAt } of batch) {
        if (!isFinal) until = Math.min(until, sentAt.getTime())
      }
    }
    await movePricedUntil(db, account.id, new Date(until - OVERLAP_MS))
    log.info({ carrier: account.name, count }, 'prices.asked')
  } catch (error) {
    if (!signal.aborted) log.warn({ carrier: account.name, err: asError(error) }, 'prices.not_listed')
  }
  return count
}

/** Other programs may use the account too: messages that are not ours are skipped. */
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
    priced.map(({ carrierMessageId }) => carrierMessageId),
  )
  const charges = priced.flatMap(({ carrierMessageId, charge }) => {
    const id = ids.get(carrierMessageId)
    return id === undefined ? [] : [{ id, ...charge }]
  })
  if (charges.length > 0) await noteCharges(db, charges)
  return charges.length
}
