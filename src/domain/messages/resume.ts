import { releaseDeliveriesOfLine } from '../../database/endpoints/deliveries/creating.js'
import {
  eachWaitingLineBatch,
  endResumption,
  listResumptions,
  wakeMessages,
  type Resumption,
} from '../../database/messages/resumptions.js'
import type { Context } from '../context.js'
import { LOST_WAKER_MS } from '../leases.js'
import { tryWaiting } from './send/recovery.js'

/** Claims of the line wait as long as one batch takes, about 50 ms. */
const MESSAGES_AT_ONCE = 1000

/**
 * Enqueues the messages that waited for the end of a pause, oldest first, and the events that were held until their line was
 * enabled. Resuming and enabling only record it in the row, so that nothing is lost if a process dies on the way: the next
 * one begins again. Any number of processes may do it concurrently.
 *
 * @returns the number of messages that got a new job
 */
export async function enqueueResumed(context: Context): Promise<number> {
  // The sweep would enqueue what Redis does not take, one by one.
  if (context.redis.status !== 'ready') return 0
  let count = 0
  for (const resumption of await listResumptions(context.db)) {
    const { table: what, id } = resumption
    const wokenCount = await wakeLines(context, resumption)
    if (what === 'carrier_accounts' && id !== null) await tryWaiting(context, id)
    if (what === 'lines' && id !== null) await releaseEvents(context, id)
    await endResumption(context.db, resumption)
    context.log.info({ what, id, count: wokenCount }, 'sending.brought')
    count += wokenCount
  }
  return count
}

/** Events of a resumed line are not held, so most of the time there are none. */
async function releaseEvents({ db, queues }: Context, lineId: string): Promise<void> {
  for (;;) {
    const released = await releaseDeliveriesOfLine(db, lineId, MESSAGES_AT_ONCE)
    await queues.enqueueDeliveries(released)
    if (released.length < MESSAGES_AT_ONCE) return
  }
}

async function wakeLines(context: Context, resumption: Resumption): Promise<number> {
  let count = 0
  for await (const lineIds of eachWaitingLineBatch(context.db, resumption)) {
    for (const lineId of lineIds) count += await wakeLine(context, lineId)
  }
  return count
}

async function wakeLine({ db, queues }: Context, lineId: string): Promise<number> {
  let count = 0
  for (let after = '0'; ;) {
    const woken = await wakeMessages(db, lineId, {
      after,
      limit: MESSAGES_AT_ONCE,
      lookAgainMs: LOST_WAKER_MS,
    })
    const jobs = woken.flatMap(({ id, generation }) => (generation === null ? [] : [{ id, generation }]))
    await queues.enqueueMessages(jobs)
    count += jobs.length
    const last = woken.at(-1)
    if (last === undefined || woken.length < MESSAGES_AT_ONCE) return count
    after = last.position
  }
}
