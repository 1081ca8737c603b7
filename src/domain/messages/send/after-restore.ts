import { setTimeout as sleep } from 'node:timers/promises'
import { transaction } from '../../../database/connection.js'
import { requeueHeads } from '../../../database/messages/requeueing.js'
import { countQueuedBefore, makeQueuedUnknown } from '../../../database/messages/stranded.js'
import { findAllSending } from '../../../database/operating/pauses.js'
import { stopTextLists } from '../../../database/operating/tasks.js'
import { UserError } from '../../../errors.js'
import { record } from '../../operating/audit.js'
import type { Context } from '../../context.js'
import { givePlacesBack } from './give-places-back.js'

/** Each batch is a transaction that locks its rows. */
const BATCH = 1000
/** One that somebody has locked is free after this. */
const LOCKED_MS = 100

/**
 * Handles messages after the database was restored from a backup: those that were waiting then may have been sent
 * since, and would be sent again. They become `unknown`, and are never sent automatically; a user checks and decides.
 *
 * @returns the number of messages
 * @throws UserError 409 unless all sending is paused: otherwise a worker may send one in the meantime
 */
export async function makeWaitingUnknown(context: Context, before: Date): Promise<number> {
  const { db, queues } = context
  await requirePause(context)
  for (let total = 0; ;) {
    const { changed, deliveries } = await transaction(db, async (trx) => {
      const changes = await makeQueuedUnknown(trx, before, BATCH)
      const count = changes.changed.length
      if (count > 0) await record(context, trx, { action: 'sending.after_restore', after: { count } })
      return changes
    })
    await queues.enqueueNext({ deliveries, requeued: await requeueHeads(db, changed) })
    await givePlacesBack(
      context,
      changed.filter(({ statusBefore }) => statusBefore === 'queued'),
    )
    total += changed.length
    if (changed.length === BATCH) continue
    // The sweep, or a worker that finds the pause, may have one locked just now. Passed over, it would be sent again.
    if ((await countQueuedBefore(db, before)) === 0) return total
    await sleep(LOCKED_MS)
  }
}

const RESTORED = 'The database was restored from a backup. Texts that were waiting may have been sent since'

/**
 * Stops text lists after the database was restored from a backup: their texts have no messages yet, so they are not
 * among those of `makeWaitingUnknown`, and would be sent again. The user sees in the results which rows have a message.
 *
 * @returns the number of lists
 * @throws UserError 409 unless all sending is paused
 */
export async function stopListsUnderWay(context: Context, before: Date): Promise<number> {
  await requirePause(context)
  return transaction(context.db, async (trx) => {
    const lists = await stopTextLists(trx, before, RESTORED)
    for (const { id, userId, ...after } of lists) {
      await record(context, trx, { action: 'task.stopped', subjectId: id, userId, after })
    }
    return lists.length
  })
}

async function requirePause({ db }: Context): Promise<void> {
  if ((await findAllSending(db)).pausedAt === null) {
    throw new UserError('Pause all sending first, with `linehook sending pause`', 409)
  }
}
