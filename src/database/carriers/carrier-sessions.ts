import type { CarrierAccount } from './carrier-accounts.js'
import type { Database } from '../connection.js'

/** The state of an account's sessions at its carrier. */
export interface CarrierSessions {
  /** True if a process holds them, or tries to. */
  isHeld: boolean
  /** The version of the account that they were opened with. */
  version: number | null
  boundCount: number
  /** How many there should be. */
  sessionCount: number
  /** The time when the number of bound sessions last changed; null if none was ever bound. */
  changedAt: Date | null
  lastError: string | null
  lastErrorAt: Date | null
  /** More about open sessions in words, such as the network. */
  details: string | null
}

export interface SessionsReport {
  accountId: string
  version: number
  boundCount: number
  sessionCount: number
  fault: { text: string; ageMs: number } | undefined
  details?: string | undefined
}

type HeldAccountRow = Pick<CarrierAccount, 'id' | 'name' | 'kind' | 'version'>

/**
 * Renews the leases of this process, and takes over those of accounts that no process holds any more.
 *
 * @returns the accounts of these kinds that this process holds now
 */
export async function renewHolds(
  db: Database,
  { holderId, kinds, leaseMs }: { holderId: string; kinds: readonly string[]; leaseMs: number },
): Promise<HeldAccountRow[]> {
  const { rows } = await db.raw<{ rows: HeldAccountRow[] }>(
    `with held as (
       insert into carrier_sessions as s (account_id, holder_id, lease_until)
       select id, :holderId, clock_timestamp() + :leaseMs * interval '1 ms'
       from carrier_accounts where kind = any (:kinds) order by id
       on conflict (account_id) do update set
         holder_id = excluded.holder_id, lease_until = excluded.lease_until,
         -- What another process had is over.
         version = case when s.holder_id = excluded.holder_id then s.version end,
         bound_count = case when s.holder_id = excluded.holder_id then s.bound_count else 0 end,
         changed_at = case when s.holder_id = excluded.holder_id then s.changed_at else clock_timestamp() end
       where s.holder_id = excluded.holder_id or s.lease_until < clock_timestamp()
       returning account_id
     )
     select a.id, a.name, a.kind, a.version from held join carrier_accounts a on a.id = held.account_id order by a.name`,
    { holderId, kinds: [...kinds], leaseMs },
  )
  return rows
}

/** Does nothing if another process holds them by now. */
export async function recordSessions(
  db: Database,
  holderId: string,
  { accountId, version, boundCount, sessionCount, fault, details }: SessionsReport,
): Promise<void> {
  await db('carrier_sessions')
    .where({ account_id: accountId, holder_id: holderId })
    .update({
      version,
      bound_count: boundCount,
      session_count: sessionCount,
      details: details ?? null,
      changed_at: db.raw('case when bound_count = ? then changed_at else clock_timestamp() end', [
        boundCount,
      ]),
      ...(fault === undefined
        ? {}
        : {
            last_error: fault.text,
            last_error_at: db.raw(`clock_timestamp() - ? * interval '1 ms'`, [fault.ageMs]),
          }),
    })
}

/** Releases the account, so that another process may take it immediately. */
export async function releaseAccount(db: Database, holderId: string, accountId: string): Promise<void> {
  await db('carrier_sessions')
    .where({ account_id: accountId, holder_id: holderId })
    .update({
      lease_until: db.raw('clock_timestamp()'),
      bound_count: 0,
      changed_at: db.raw('clock_timestamp()'),
    })
}

/** Lists the sessions by account, for accounts whose sessions were ever held. */
export async function listCarrierSessions(db: Database): Promise<Map<string, CarrierSessions>> {
  const { rows } = await db.raw<{ rows: (CarrierSessions & { accountId: string })[] }>(
    `select account_id as "accountId", lease_until > clock_timestamp() as "isHeld", version,
            bound_count as "boundCount", session_count as "sessionCount", changed_at as "changedAt",
            last_error as "lastError", last_error_at as "lastErrorAt", details
     from carrier_sessions`,
  )
  return new Map(rows.map(({ accountId, ...sessions }) => [accountId, sessions]))
}

/** The secret that was last tried at the carrier and has not worked yet, sealed. */
export async function findTriedSecret(db: Database, accountId: string): Promise<Buffer | undefined> {
  const row = await db('carrier_sessions')
    .where({ account_id: accountId })
    .first<{ sealed: Buffer | null } | undefined>({ sealed: 'tried_sealed' })
  return row?.sealed ?? undefined
}

export async function noteTriedSecret(db: Database, accountId: string, sealed: Buffer | null): Promise<void> {
  await db('carrier_sessions').where({ account_id: accountId }).update({ tried_sealed: sealed })
}
