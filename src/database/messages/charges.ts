import type { Database } from '../connection.js'
import { toJson } from '../text.js'

/** The cost of a message according to its carrier; `carriers/records.ts` has the same type. */
export interface SaidCharge {
  /** Exact, in whole units of the currency. */
  price?: string
  currency?: string
  segmentCount?: number
}

/** Keeps the costs of messages according to carriers (`note_charges`). */
export async function noteCharges(
  db: Database,
  charges: readonly (SaidCharge & { id: string })[],
): Promise<void> {
  await db.raw('select note_charges(?::jsonb)', [toJson(charges)])
}

/** An account whose carrier has to be asked about the costs of messages. */
export interface AccountToPrice {
  id: string
  name: string
  kind: string
  version: number
  /** All messages before this have their price, as far as there is one. */
  since: Date
  /** The time of the look, by Postgres's clock. */
  askedAt: Date
}

/**
 * Takes the accounts of these kinds that were not asked for this long; they count as asked from now on, because other
 * processes look too.
 */
export async function takeAccountsToPrice(
  db: Database,
  kinds: readonly string[],
  minAgeSeconds: number,
): Promise<AccountToPrice[]> {
  const { rows } = await db.raw<{ rows: AccountToPrice[] }>(
    `update carrier_accounts a set prices_asked_at = clock_timestamp()
     where a.kind = any (?) and (a.prices_asked_at is null or a.prices_asked_at <= clock_timestamp() - make_interval(secs => ?))
       and exists (select 1 from lines l where is_line_at(l.carrier, l.routes, a.name))
     returning a.id, a.name, a.kind, a.version, a.prices_asked_at as "askedAt",
       coalesce(a.priced_until, greatest(a.created_at, now() - interval '1 day')) as since`,
    [[...kinds], minAgeSeconds],
  )
  return rows
}

/** Moves the time forward, never back. */
export async function movePricedUntil(db: Database, id: string, until: Date): Promise<void> {
  await db.raw('update carrier_accounts set priced_until = greatest(priced_until, ?) where id = ?', [
    until,
    id,
  ])
}

/**
 * Finds our messages by the carrier's ids.
 *
 * @returns the newest message of an id that the carrier reused
 */
export async function findByCarrierIds(
  db: Database,
  carrier: string,
  carrierMessageIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await db.raw<{ rows: { carrierMessageId: string; id: string }[] }>(
    `select c.carrier_message_id as "carrierMessageId", c.message_id as id from carrier_message_ids c
     where c.carrier = ? and c.carrier_message_id = any (?)`,
    [carrier, [...carrierMessageIds]],
  )
  return new Map(rows.map(({ carrierMessageId, id }) => [carrierMessageId, id]))
}
