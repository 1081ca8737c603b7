import {
  listRecoveries,
  wakeUnreached,
  wakeUnreachedOfFailing,
} from '../../../database/messages/recoveries.js'
import { asError } from '../../../errors.js'
import type { Context } from '../../context.js'
import { createPace } from '../../due-work.js'

/**
 * How messages that wait for the next try of their carrier, for up to 5 minutes, find out that it works again.
 *
 * An account is failing from the first message that it certainly did not take until the next one that it takes
 * (`orNextRoute`). Only that change is written, so a message costs nothing more while an account works, and only an
 * index look-up a second later.
 *
 * A sign of life, such as a session that is bound again, a phone that calls, or changed settings, is no proof: a few
 * messages are tried (`tryWaiting`). The first one that is taken is the proof. Then `maintenance` wakes the others
 * (`wakeRecovered`), more and more each second, and stops at the first new failure. Windows, paces, pauses and the
 * order of each number apply to them as always.
 */

/** After a failure that was shorter, the next tries of messages come as soon as waking would. */
export const BRIEF_MS = 10_000
/** These are few, because a carrier may hang after its sign of life, and each takes a slot of a worker for its time-out. */
const TRIED = 10
/**
 * By then the next tries of all messages have come, which are up to 6 minutes away (`hand-over.ts`). After a long
 * outage, so many wait that waking them takes minutes.
 */
const WAKING_MS = 360_000
const FIRST_AT_ONCE = 10
/** Each batch is a statement that locks its rows, and a worker may want one of them. */
const MOST_AT_ONCE = 1000

/**
 * A look reads what waits for any account, which takes 75 ms for 100,000 messages (measured). While it finds nothing to
 * wake, it takes at most this share of the time.
 */
const LOOKS_SHARE = 0.01
const LOOKS_PAUSE_MS = 15_000

/**
 * Makes a `wakeRecovered` that may be called every second, also while many messages wait for another account. It looks at
 * once when an account recovers, because the number that it wakes grows with the age of the recovery.
 */
export function createWaking(wake = wakeRecovered, now = () => performance.now()): typeof wakeRecovered {
  const pace = createPace(LOOKS_SHARE, LOOKS_PAUSE_MS, now)
  let lastCount = 0
  let known = new Set<string>()
  return async (context) => {
    const recoveries = await listRecoveries(context.db, WAKING_MS)
    const names = recoveries.map(({ accountId, recoveredAt }) => `${accountId} ${recoveredAt}`)
    const isNew = names.some((name) => !known.has(name))
    if (lastCount === 0 && !isNew && !pace.isDue()) return 0
    lastCount = await pace.during(() => wake(context))
    known = new Set(names)
    return lastCount
  }
}

/**
 * Tries some of the messages that wait for an account that was failing and has given a sign of life. Never fails: they
 * are tried later anyway.
 */
export async function tryWaiting({ db, queues, log }: Context, accountId: string): Promise<void> {
  try {
    const woken = await wakeUnreachedOfFailing(db, accountId, TRIED)
    if (woken.length === 0) return
    log.info({ carrierAccountId: accountId, count: woken.length }, 'carrier.tried_again')
    void queues.enqueueMessages(woken)
  } catch (error) {
    log.warn({ carrierAccountId: accountId, err: asError(error) }, 'carrier.not_tried_again')
  }
}

/**
 * Wakes messages of accounts that have recovered: 10 at first, then up to twice as many each second. Any number of
 * processes may do it concurrently.
 *
 * @returns the number of messages that got a new job
 */
export async function wakeRecovered({ db, queues, log, redis }: Context): Promise<number> {
  // The sweep would enqueue what Redis does not take, one by one.
  if (redis.status !== 'ready') return 0
  let count = 0
  for (const recovery of await listRecoveries(db, WAKING_MS)) {
    const { accountId: carrierAccountId, ageMs } = recovery
    const limit = Math.min(MOST_AT_ONCE, FIRST_AT_ONCE * 2 ** Math.floor(ageMs / 1000))
    const woken = await wakeUnreached(db, recovery, limit)
    await queues.enqueueMessages(woken)
    if (woken.length > 0) log.info({ carrierAccountId, count: woken.length }, 'carrier.messages_woken')
    count += woken.length
  }
  return count
}
