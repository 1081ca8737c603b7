import type { Database } from '../connection.js'

/** An account whose carrier has to be asked what its lines have received. */
export interface AccountToPoll {
  id: string
  name: string
  kind: string
  version: number
  /** Everything that the carrier got before this has been taken in. */
  since: Date
  /** The time of the look, by Postgres's clock. */
  askedAt: Date
}

/**
 * Takes the accounts with lines that were not asked for this long. They count as asked from now on, so that only one
 * of many processes asks. An account that was never asked is asked for the last day, or for the time since it was
 * added.
 */
export async function takeAccountsToPoll(db: Database, minAgeSeconds: number): Promise<AccountToPoll[]> {
  const { rows } = await db.raw<{ rows: AccountToPoll[] }>(
    `update carrier_accounts a set received_asked_at = clock_timestamp()
     where (a.received_asked_at is null or a.received_asked_at <= clock_timestamp() - make_interval(secs => ?))
       and exists (select 1 from lines l where is_line_at(l.carrier, l.routes, a.name))
     returning a.id, a.name, a.kind, a.version, a.received_asked_at as "askedAt",
       coalesce(a.received_until, greatest(a.created_at, now() - interval '1 day')) as since`,
    [minAgeSeconds],
  )
  return rows
}

/** Moves the time forward, never back. */
export async function moveReceivedUntil(db: Database, id: string, until: Date): Promise<void> {
  await db.raw('update carrier_accounts set received_until = greatest(received_until, ?) where id = ?', [
    until,
    id,
  ])
}

/** Returns the numbers of an account's lines, and the times since which they are lines. */
export async function listNumbersAt(
  db: Database,
  carrier: string,
): Promise<{ number: string; createdAt: Date }[]> {
  return db('lines')
    .whereRaw('is_line_at(carrier, routes, ?)', [carrier])
    .orderBy('id')
    .select<{ number: string; createdAt: Date }[]>({ number: 'number', createdAt: 'created_at' })
}

/** Which of these the carrier has delivered already, by its ids. */
export async function findReceivedIds(
  db: Database,
  carrier: string,
  carrierMessageIds: readonly string[],
): Promise<Set<string>> {
  const ids = await db('carrier_message_ids')
    .where({ carrier })
    .whereRaw('carrier_message_id = any (?)', [[...carrierMessageIds]])
    .pluck<string[]>('carrier_message_id')
  return new Set(ids)
}
