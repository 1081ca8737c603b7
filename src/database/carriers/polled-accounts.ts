import type { Database } from '../connection.js'

/** An account whose carrier has to be asked. */
export interface PolledAccount {
  id: string
  name: string
  kind: string
  version: number
  /** Everything before this is known already. */
  since: Date
  /** The time of the look, by Postgres's clock. */
  askedAt: Date
}

/**
 * For each thing that carriers are asked about, the columns that say when they were last asked, and up to when the
 * answers are known.
 */
const POLLED = {
  received: { asked: 'received_asked_at', until: 'received_until' },
  prices: { asked: 'prices_asked_at', until: 'priced_until' },
  /** Only the present state of a phone matters. */
  phones: { asked: 'phones_asked_at', until: 'phones_asked_at' },
} as const

export type Polled = keyof typeof POLLED

/**
 * Takes the accounts with lines whose carriers were last asked longer ago than this. They count as asked from now on,
 * so that only one of many processes asks. An account that was never asked is asked for the last day, or for the time
 * since it was added.
 *
 * @param kinds the kinds of carriers that can be asked; undefined for all
 */
export async function takeAccountsToPoll(
  db: Database,
  what: Polled,
  kinds: readonly string[] | undefined,
  minAgeSeconds: number,
): Promise<PolledAccount[]> {
  const { asked, until } = POLLED[what]
  const { rows } = await db.raw<{ rows: PolledAccount[] }>(
    `update carrier_accounts a set ${asked} = clock_timestamp()
     where coalesce(a.kind = any (:kinds::text[]), true)
       and (a.${asked} is null or a.${asked} <= clock_timestamp() - make_interval(secs => :minAgeSeconds))
       and exists (select 1 from lines l where is_line_at(l.carrier, l.routes, a.name))
     returning a.id, a.name, a.kind, a.version, a.${asked} as "askedAt",
       coalesce(a.${until}, greatest(a.created_at, now() - interval '1 day')) as since`,
    { kinds: kinds === undefined ? null : [...kinds], minAgeSeconds },
  )
  return rows
}

/** Moves the time before which everything is known forward, never back. */
export async function movePolledUntil(
  db: Database,
  what: Exclude<Polled, 'phones'>,
  id: string,
  until: Date,
): Promise<void> {
  await db.raw('update carrier_accounts set :column: = greatest(:column:, :until) where id = :id', {
    column: POLLED[what].until,
    until,
    id,
  })
}
