import type { Database } from '../connection.js'
import { toJson } from '../text.js'

/** What is kept of a phone; `carriers/records.ts` has what each field means. */
export interface KeptPhone {
  /** A date, as JSON has it. */
  contactAt: string
  awayAfterMs: number
  batteryPercent?: number
  isCharging?: boolean
}

/** By the carrier's ids of them. */
export type KeptPhones = Readonly<Record<string, KeptPhone>>

export interface NewPhone extends Omit<KeptPhone, 'contactAt'> {
  id: string
  contactAt: Date
}

/**
 * Keeps how phones of an account are. What was heard of a phone later wins, and what it did not say then stays.
 *
 * @param areAll the account has no others any more
 */
export async function notePhones(
  db: Database,
  accountId: string,
  phones: readonly NewPhone[],
  { areAll }: { areAll: boolean },
): Promise<void> {
  const byId = Object.fromEntries(phones.map(({ id, ...phone }) => [id, phone]))
  await db.raw(
    `update carrier_accounts a
     set phones = (case when ? then '{}' else a.phones end) || (
       select coalesce(jsonb_object_agg(n.key,
         case when (a.phones -> n.key ->> 'contactAt')::timestamptz > (n.value ->> 'contactAt')::timestamptz
           then n.value || (a.phones -> n.key)
           else coalesce(a.phones -> n.key, '{}') || n.value end), '{}')
       from jsonb_each(?::jsonb) n)
     where a.id = ?`,
    [areAll, toJson(byId), accountId],
  )
}

/** An account whose carrier is to be asked how its phones are. */
export interface AccountOfPhones {
  id: string
  name: string
  kind: string
  version: number
}

/** Takes those with lines that were not asked for so long; they count as asked from now on, as others may look too. */
export async function takeAccountsOfPhones(
  db: Database,
  kinds: readonly string[],
  minAgeSeconds: number,
): Promise<AccountOfPhones[]> {
  const { rows } = await db.raw<{ rows: AccountOfPhones[] }>(
    `update carrier_accounts a set phones_asked_at = clock_timestamp()
     where a.kind = any (?) and (a.phones_asked_at is null or a.phones_asked_at <= clock_timestamp() - make_interval(secs => ?))
       and exists (select 1 from lines l where is_line_at(l.carrier, l.routes, a.name))
     returning a.id, a.name, a.kind, a.version`,
    [[...kinds], minAgeSeconds],
  )
  return rows
}
