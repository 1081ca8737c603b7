import { callFunction } from '../answers.js'
import type { Database } from '../connection.js'
import type { Requeued } from './requeueing.js'

/** A carrier account that has accepted a message again, or was resumed, and has not failed since. */
export interface Recovery {
  accountId: string
  /** The name of the account. */
  carrier: string
  /** The time as text, because a Date would lose its microseconds. */
  recoveredAt: string
  ageMs: number
}

/** Lists recoveries that are not older than this. */
export async function listRecoveries(db: Database, maxAgeMs: number): Promise<Recovery[]> {
  const { rows } = await db.raw<{ rows: Recovery[] }>(
    `select id as "accountId", name as carrier, recovered_at::text as "recoveredAt",
       (extract(epoch from clock_timestamp() - recovered_at) * 1000)::double precision as "ageMs"
     from carrier_accounts
     where avoided_count = 0 and recovered_at > clock_timestamp() - make_interval(secs => ?)`,
    [maxAgeMs / 1000],
  )
  return rows
}

/** Makes messages due that have waited for the account since before its recovery (`wake_unreached`). */
export async function wakeUnreached(
  db: Database,
  { carrier, recoveredAt }: Pick<Recovery, 'carrier' | 'recoveredAt'>,
  limit: number,
): Promise<Requeued[]> {
  return callFunction<'wake_unreached', Requeued>(
    db,
    'wake_unreached',
    '?::text, ?::timestamptz, ?::integer',
    [carrier, recoveredAt, limit],
  )
}

/** Does the same for an account that has not accepted a message since it failed. Does nothing for any other one. */
export async function wakeUnreachedOfFailing(
  db: Database,
  accountId: string,
  limit: number,
): Promise<Requeued[]> {
  const { rows } = await db.raw<{ rows: Requeued[] }>(
    `select w.id, w.generation from carrier_accounts a
     cross join lateral wake_unreached(a.name, clock_timestamp(), ?::integer) w
     where a.id = ? and a.avoided_count > 0`,
    [limit, accountId],
  )
  return rows
}
