import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from './connection.js'
import { DatabaseUnavailable } from './outage.js'

/**
 * While a lock of a whole table is waited for, every other user of the table waits behind it, for as long as any
 * earlier reader takes: a backup may take hours. So the wait is short, and is retried.
 */
const LOCK_MS = 100
const MAX_TRIES = 20
const PAUSE_MS = 250

/**
 * Runs a transaction that locks whole tables.
 *
 * @returns undefined if somebody else held one of them the whole time
 */
export async function withTableLock<T>(
  db: Database,
  work: (trx: Database) => Promise<T>,
): Promise<T | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await db.transaction(async (trx) => {
        await trx.raw(`set local lock_timeout = ${LOCK_MS}`)
        return await work(trx)
      })
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error
      if (tries >= MAX_TRIES) return undefined
      await sleep(PAUSE_MS * (1 + Math.random()))
    }
  }
}
