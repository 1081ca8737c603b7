import { explainCarrierCode } from '../../carriers/codes.js'
import { givingWay, transaction, type Database } from '../../database/connection.js'
import type { ChangedMessage, Changes } from '../../database/messages/announcing.js'
import { applyReceipts, type Receipt } from '../../database/messages/receipts.js'
import { noteCharges } from '../../database/messages/charges.js'
import { requeueHeads } from '../../database/messages/requeueing.js'
import { asError } from '../../errors.js'
import type { Queues } from '../../queues/queues.js'
import { boundedCode } from '../../telemetry/bounded-code.js'
import { carrierCodes, receipts as receiptCounts } from '../../telemetry/metrics.js'
import { idOf, logPlain, word } from '../../telemetry/plain-line.js'
import type { ReceiptAnswer } from '../batched.js'
import type { Context } from '../context.js'
import { writeCarrierOptOut } from './opt-out/carrier-opt-out.js'
import { AccountChanged } from './receive.js'

/** The effect of a carrier's report on a message. */
export type ReceiptOutcome = 'changed' | 'unchanged' | 'of_nothing'

export interface ReceiptOfKind extends Receipt {
  /** The kind of the account, which gives the code its meaning; without it the meaning is unknown. */
  carrierKind?: string
}

/**
 * Takes a carrier's report on a message that it took.
 *
 * @throws AccountChanged
 */
export async function takeReceipt(
  context: Context,
  { carrierKind, ...receipt }: ReceiptOfKind,
): Promise<ReceiptOutcome> {
  const meaning = explainCarrierCode(carrierKind ?? null, receipt.carrierCode ?? null)
  const explained = meaning === null ? receipt : { carrierReason: meaning.reason, ...receipt }
  const { isAccountChanged, isKnown, changed } = await context.batched.receiveReceipt(explained)
  if (isAccountChanged) throw new AccountChanged()
  const outcome = changed !== undefined ? 'changed' : isKnown ? 'unchanged' : 'of_nothing'
  // The search may be repeated, so the caller that gives up counts it.
  if (outcome !== 'of_nothing') countReceipt(receipt, outcome)
  if (changed === undefined) return outcome
  if (receipt.isOptedOut === true)
    context.log.info({ messageId: changed.id, lineId: changed.lineId }, 'opt_out.noted')
  logPlain(context.log, { messageId: idOf(changed.id), outcome: word(receipt.status) }, 'receipt.received')
  return 'changed'
}

export function countReceipt(
  { status, carrierAccount, carrierCode }: Receipt,
  outcome: ReceiptOutcome,
): void {
  receiptCounts.inc({ status, outcome })
  if (outcome !== 'changed' || carrierCode === undefined) return
  carrierCodes.inc({ carrier: carrierAccount, code: boundedCode(carrierCode) })
}

/**
 * Does the same as `takeReceipt` for a caller that does not try again, so a receipt of no message counts immediately.
 *
 * @returns true if it changed anything
 */
export async function receiveReceipt(context: Context, receipt: ReceiptOfKind): Promise<boolean> {
  const outcome = await takeReceipt(context, receipt)
  if (outcome === 'of_nothing') countReceipt(receipt, outcome)
  return outcome === 'changed'
}

interface Tools {
  db: Database
  queues: Queues
}

/**
 * Processes a batch of receipts. Receipts of one message are applied one after another, so that endpoints are notified
 * of each state; all others are applied together.
 */
export async function receiveReceipts(
  tools: Tools,
  receipts: readonly Receipt[],
): Promise<(ReceiptAnswer | Error)[]> {
  const answers: (ReceiptAnswer | Error)[] = []
  for (const places of inRounds(receipts)) {
    const round = places.flatMap((n) => receipts[n] ?? [])
    try {
      const given = await receiveRound(tools, round)
      places.forEach(
        (place, n) => (answers[place] = given[n] ?? new Error('a batch returned too few results')),
      )
    } catch (error) {
      // The first rounds are committed, so their answers are returned.
      if (answers.length === 0) throw error
      for (const place of places) answers[place] = asError(error)
    }
  }
  return answers
}

async function receiveRound(tools: Tools, receipts: readonly Receipt[]): Promise<ReceiptAnswer[]> {
  const { found, outdated, ...changes } = await apply(tools.db, receipts)
  await followReceipts(tools, changes)
  // A process that dies in between has not responded to the carrier, which then repeats the receipt.
  const charges = found.flatMap(({ n, messageId: id }) => {
    const charge = receipts[n]?.charge
    return charge === undefined ? [] : [{ id, ...charge }]
  })
  if (charges.length > 0) await noteCharges(tools.db, charges)
  const changedOf = changedByPlace({ found, ...changes })
  const known = new Set(found.map(({ n }) => n))
  return receipts.map((_, n) => ({
    isAccountChanged: outdated.includes(n),
    isKnown: known.has(n),
    changed: changedOf.get(n),
  }))
}

type Applied = Awaited<ReturnType<typeof applyReceipts>>

/**
 * An opt-out that a receipt tells is noted in the same transaction: when the carrier repeats the receipt, the message does
 * not change any more.
 */
async function apply(db: Database, receipts: readonly Receipt[]): Promise<Applied> {
  if (!receipts.some(({ isOptedOut }) => isOptedOut === true))
    return givingWay(() => applyReceipts(db, receipts))
  return transaction(db, async (trx) => {
    const applied = await applyReceipts(trx, receipts)
    const byPeer = new Map<string, ChangedMessage>()
    for (const [n, message] of changedByPlace(applied)) {
      if (receipts[n]?.isOptedOut === true) byPeer.set(`${message.lineId} ${message.toNumber}`, message)
    }
    const deliveries = [...applied.deliveries]
    // In one order, so that two batches do not lock two peers the other way round.
    for (const [, message] of [...byPeer].sort(([one], [other]) => (one < other ? -1 : 1)))
      deliveries.push(...(await writeCarrierOptOut(trx, message)))
    return { ...applied, deliveries }
  })
}

/** The messages that changed, by the places of the receipts that changed them. */
function changedByPlace({ found, changed }: Pick<Applied, 'found' | 'changed'>): Map<number, ChangedMessage> {
  const byId = new Map(changed.map((message) => [message.id, message]))
  return new Map(
    found.flatMap(({ n, messageId, isGiven }) => {
      const message = isGiven ? byId.get(messageId) : undefined
      return message === undefined ? [] : [[n, message] as const]
    }),
  )
}

/**
 * Returns positions in the batch in rounds: first those of each message's first receipt, then those of each second
 * one, and so on.
 */
function inRounds(receipts: readonly Receipt[]): number[][] {
  const counts = new Map<string, number>()
  const rounds: number[][] = []
  receipts.forEach(({ messageId, carrierAccount, carrierMessageId }, place) => {
    const key = messageId ?? `${carrierAccount} ${carrierMessageId}`
    const round = counts.get(key) ?? 0
    counts.set(key, round + 1)
    ;(rounds[round] ??= []).push(place)
  })
  return rounds
}

/**
 * Does what follows from committed receipts: their events go out; and if the message was still under way (its worker
 * died, or waits for the carrier's answer), the next message to the number gets its turn.
 */
export async function followReceipts({ db, queues }: Tools, { changed, deliveries }: Changes): Promise<void> {
  void queues.enqueueDeliveries(deliveries)
  const over = changed.filter(({ statusBefore }) => statusBefore === 'sending' || statusBefore === 'queued')
  if (over.length > 0) void queues.enqueueMessages(await requeueHeads(db, over))
}
