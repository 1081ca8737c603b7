import type { Database } from '../../database/connection.js'
import type { ChangedMessage, Changes } from '../../database/messages/announcing.js'
import { applyReceipts, type Receipt } from '../../database/messages/receipts.js'
import { requeueHeads } from '../../database/messages/requeueing.js'
import { asError } from '../../errors.js'
import type { Queues } from '../../queues/queues.js'

interface Tools {
  db: Database
  queues: Queues
}

export interface ReceiptAnswer {
  /** The account that it was let in by: nothing was done. */
  isAccountChanged: boolean
  /** There is a message that it is of. */
  isKnown: boolean
  /** The message, if it changed. */
  changed: ChangedMessage | undefined
}

/**
 * Takes in a batch of receipts. Those of one message go one after another, so that each state is told as if they had come
 * alone; all others go together.
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
      places.forEach((place, n) => (answers[place] = given[n] ?? new Error('a round gave no answer')))
    } catch (error) {
      // What the first rounds did is done, and is answered.
      if (answers.length === 0) throw error
      for (const place of places) answers[place] = asError(error)
    }
  }
  return answers
}

async function receiveRound(tools: Tools, receipts: readonly Receipt[]): Promise<ReceiptAnswer[]> {
  const { found, outdated, ...changes } = await applyReceipts(tools.db, receipts)
  await followReceipts(tools, changes)
  const changed = new Map(changes.changed.map((message) => [message.id, message]))
  const byPlace = new Map(found.map((each) => [each.n, each]))
  return receipts.map((_, n) => {
    const known = byPlace.get(n)
    return {
      isAccountChanged: outdated.includes(n),
      isKnown: known !== undefined,
      changed: known?.isGiven === true ? changed.get(known.messageId) : undefined,
    }
  })
}

/** The places of the first receipts of each message, of the second ones, and so on. */
function inRounds(receipts: readonly Receipt[]): number[][] {
  const counts = new Map<string, number>()
  const rounds: number[][] = []
  receipts.forEach(({ messageId, carrier, carrierMessageId }, place) => {
    const key = messageId ?? `${carrier} ${carrierMessageId}`
    const round = counts.get(key) ?? 0
    counts.set(key, round + 1)
    ;(rounds[round] ??= []).push(place)
  })
  return rounds
}

/**
 * What receipts bring about, once they are committed: events that tell of them, and the turn of the next message to
 * a number whose message was under way (its worker died, or has not been answered yet).
 */
export async function followReceipts({ db, queues }: Tools, { changed, deliveries }: Changes): Promise<void> {
  void queues.enqueueDeliveries(deliveries)
  const over = changed.filter(({ statusBefore }) => statusBefore === 'sending' || statusBefore === 'queued')
  if (over.length > 0) void queues.enqueueMessages(await requeueHeads(db, over))
}
