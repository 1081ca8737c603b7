import { CarrierRefused, type CarrierClient } from '../../carriers/carrier.js'
import type { ReceivedRecord } from '../../carriers/records.js'
import {
  findReceivedIds,
  listNumbersAt,
  noteReceivedId,
  whileReceiving,
} from '../../database/carriers/carrier-received.js'
import { movePolledUntil, type PolledAccount } from '../../database/carriers/polled-accounts.js'
import { indexable } from '../../database/text.js'
import { asError, Unavailable } from '../../errors.js'
import { createSemaphore, type Semaphore } from '../../kit/process/semaphore.js'
import { pollAccounts } from '../carriers/poll-accounts.js'
import type { Context } from '../context.js'
import { canReceive } from '../lines/senders.js'
import { senderKindOf } from '../../kit/text/sender-kind.js'
import { receiveMessage } from './receive.js'

/** Carriers are asked every few minutes, and immediately when a process starts. */
const POLL_EVERY_SECONDS = 180

/**
 * Each poll looks this far back: a record may appear in the carrier's list late, a recording is listed long before it
 * is finished, and the carrier's clock is not ours.
 */
const OVERLAP_MS = 30 * 60_000

const DAY_MS = 86_400_000

/** Newer records are left alone: their callback may still be on its way, and has more details than the list. */
const TOO_NEW_MS = 60_000

/**
 * Asks carriers what our lines have received, and receives what no callback delivered: if we were down for longer than
 * a carrier repeats its callbacks, they are lost. The carrier's ids decide what is new, as they do for callbacks,
 * except that they are looked up under all accounts of the kind.
 *
 * Everything before an account's `received_until` has been received. It moves forward only after a poll without
 * failure. If it has not moved for a long time, retention has deleted the ids of what came since then, so anything
 * older than MESSAGE_RETENTION_DAYS is ignored, because all of it would count as new.
 *
 * @param options.isStart true if the process has just started: accounts that were asked shortly before are asked
 *   again
 * @returns the number of messages received
 */
export async function catchUp(
  context: Context,
  { isStart, signal }: { isStart: boolean; signal: AbortSignal },
): Promise<number> {
  let total = 0
  const inTurn = createSemaphore({ atOnce: 1, maxWaiting: Infinity, busy: '' })
  await pollAccounts(
    context,
    { what: 'received', everySeconds: isStart ? 0 : POLL_EVERY_SECONDS, signal },
    async (carrier, account) => {
      if (carrier.listReceived === undefined) return false
      const lineSince = await findLines(context, account.name)
      const keptSince = findKeptSince(context, account)
      const { kind } = account
      const keptUntil = account.askedAt.getTime() - TOO_NEW_MS
      const poll: Poll = {
        carrier,
        kind,
        lineSince,
        keptSince,
        keptUntil,
        signal,
        inTurn,
        taken: 0,
        failed: 0,
      }
      const from = new Date(Math.max(account.since.getTime() - OVERLAP_MS, keptSince))
      try {
        for await (const batch of carrier.listReceived([...lineSince.keys()], from, signal)) {
          await receiveRecords(context, poll, batch)
        }
      } finally {
        total += poll.taken
        if (poll.taken > 0)
          context.log.info({ carrier: account.name, count: poll.taken }, 'received.caught_up')
      }
      if (poll.failed === 0) await movePolledUntil(context.db, 'received', account.id, account.askedAt)
      return true
    },
  )
  return total
}

/** The first time whose ids are certainly kept, by any clock and until this poll is over. */
function findKeptSince({ config }: Context, { askedAt }: PolledAccount): number {
  const { messageRetentionDays: days } = config
  return days === 0 ? -Infinity : askedAt.getTime() - days * DAY_MS + OVERLAP_MS
}

/** Returns the times since which the numbers of the account are lines. */
async function findLines({ db }: Context, account: string): Promise<Map<string, Date>> {
  const lines = (await listNumbersAt(db, account)).filter(({ number }) => canReceive(senderKindOf(number)))
  return new Map(lines.map(({ number, createdAt }) => [number, createdAt]))
}

interface Poll {
  carrier: CarrierClient
  kind: string
  /** The time when each number became a line. */
  lineSince: ReadonlyMap<string, Date>
  /** Older records are left alone. A carrier may list more than it was asked for. */
  keptSince: number
  /**
   * Newer ones are left to the next poll (`TOO_NEW_MS`). This is by Postgres's clock, as `received_until` is: by a clock
   * that is half an hour behind, they would still be too new when no poll looks back at them any more.
   */
  keptUntil: number
  signal: AbortSignal
  /** Runs the work of one account after another's. */
  inTurn: Semaphore
  taken: number
  failed: number
}

/** A record that cannot be received does not stop the others, but `received_until` then stays where it is. */
async function receiveRecords(context: Context, poll: Poll, batch: readonly ReceivedRecord[]): Promise<void> {
  const { carrier, kind, keptSince, keptUntil, signal } = poll
  const records = batch.filter(
    ({ receivedAt }) => receivedAt.getTime() >= keptSince && receivedAt.getTime() <= keptUntil,
  )
  const ids = records.map(({ id }) => indexable(id))
  const knownIds = await findReceivedIds(context.db, kind, ids)
  for (const record of records) {
    signal.throwIfAborted()
    try {
      await receiveRecord(context, poll, record, knownIds)
    } catch (error) {
      if (error instanceof Unavailable || error instanceof CarrierRefused || signal.aborted) throw error
      poll.failed += 1
      context.log.error({ carrier: carrier.name, err: asError(error) }, 'received.not_taken')
    }
  }
}

async function receiveRecord(
  context: Context,
  poll: Poll,
  record: ReceivedRecord,
  knownIds: ReadonlySet<string>,
): Promise<void> {
  const { receivedAt } = record
  const carrierMessageId = indexable(record.id)
  if (knownIds.has(carrierMessageId)) return
  const found = await record.read(poll.signal)
  const lineSince = found && poll.lineSince.get(found.toNumber)
  // Messages from before the number became a line belonged to another user.
  if (found === undefined || lineSince === undefined || receivedAt < lineSince) return
  const { kind, carrier } = poll
  // Entries of the same account at the provider list it at the same time, here or in other processes. Each turn holds one
  // connection while it needs another.
  await poll.inTurn(() =>
    whileReceiving(context.db, kind, carrierMessageId, async () => {
      if ((await findReceivedIds(context.db, kind, [carrierMessageId])).size > 0) return
      const inbound = { carrierAccount: carrier.name, carrierMessageId, ...found, receivedAt }
      const outcome = await receiveMessage(context, inbound)
      if (outcome.kind !== 'received') return
      poll.taken += 1
      const { messageId } = outcome
      await noteReceivedId(context.db, kind, found.toNumber, { carrierMessageId, messageId })
    }),
  )
}
