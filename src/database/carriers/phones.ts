import type { Database } from '../connection.js'
import { toJson } from '../text.js'

/** What is stored about a phone; `carriers/records.ts` explains each field. */
interface KeptPhone {
  /** A date in its JSON form. */
  contactAt: string
  awayAfterMs: number
  batteryPercent?: number
  isCharging?: boolean
}

/** The phones by the carrier's ids. */
export type KeptPhones = Readonly<Record<string, KeptPhone>>

export interface NewPhone extends Omit<KeptPhone, 'contactAt'> {
  id: string
  contactAt: Date
}

/** More phones than any server has. A phone that is reported alone, by its call, may have any id. */
const MAX_PHONES = 200

/**
 * Stores the states of an account's phones. The later report about a phone wins, but its missing fields keep their
 * values. Of too many phones, those that were in contact last are kept.
 *
 * @param areAll true if the account has no other phones any longer
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
     set phones = (
       select coalesce(jsonb_object_agg(kept.key, kept.value), '{}') from (
         select p.key, p.value
         from jsonb_each((case when ? then '{}' else a.phones end) || (
           select coalesce(jsonb_object_agg(n.key,
             case when (a.phones -> n.key ->> 'contactAt')::timestamptz > (n.value ->> 'contactAt')::timestamptz
               then n.value || (a.phones -> n.key)
               else coalesce(a.phones -> n.key, '{}') || n.value end), '{}')
           from jsonb_each(?::jsonb) n)) p
         order by (p.value ->> 'contactAt')::timestamptz desc nulls last limit ${MAX_PHONES}) kept)
     where a.id = ?`,
    [areAll, toJson(byId), accountId],
  )
}
