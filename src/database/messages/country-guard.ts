import { CLOCKS } from '../lists.js'
import type { Database } from '../connection.js'

/** Rows that are being committed get this much time. */
const LAG = `interval '5 seconds'`
/** What is counted after `maintenance` was away for a while. Only this hour is compared with the usual. */
const LONGEST_GAP = `interval '1 hour'`
/**
 * The most that is counted at a time: an hour of a busy service took longer than a statement may, and as nothing is
 * noted then, every later look would count the same hour in vain.
 */
const STEP = `interval '5 minutes'`
/** Area codes distinguish the countries of +1, and seven characters the islands of +44. */
const PREFIX_LENGTH = 7

/** Messages of a user's lines to numbers with the same prefix. */
export interface NewMessages {
  userId: string
  hour: Date
  /** One of the numbers. */
  sample: string
  count: number
}

/**
 * Takes the messages that any process has accepted since the last call, at most those of five minutes; each is returned
 * once, in the transaction that records this.
 *
 * @returns undefined while another process does the same
 */
export async function takeNewMessages(trx: Database): Promise<NewMessages[] | undefined> {
  const { rows: spans } = await trx.raw<{ rows: { since: string; until: string }[] }>(
    `with mark as (select counted_until from country_guard for update skip locked),
     gap as (select counted_until, greatest(counted_until, clock_timestamp() - ${LONGEST_GAP}) as since from mark),
     span as (select since,
       greatest(counted_until, least(since + ${STEP}, clock_timestamp() - ${LAG})) as until from gap),
     noted as (update country_guard set counted_until = span.until from span)
     select since::text, until::text from span`,
  )
  const [span] = spans
  if (span === undefined) return undefined
  const { rows } = await trx.raw<{ rows: NewMessages[] }>(
    `select user_id as "userId", date_trunc('hour', created_at) as hour, min(to_number) as sample,
       count(*)::integer as count
     from messages
     where direction = 'outbound' and source <> 'service'
       and id >= lowest_id_at(:since::timestamptz - ${CLOCKS}) and id < lowest_id_at(:until::timestamptz + ${CLOCKS})
       and created_at >= :since and created_at < :until
     group by user_id, hour, left(to_number, ${PREFIX_LENGTH})`,
    { ...span },
  )
  return rows
}

export interface CountryCount {
  userId: string
  country: string
  hour: Date
  count: number
}

export async function addCountryCounts(trx: Database, counts: readonly CountryCount[]): Promise<void> {
  if (counts.length === 0) return
  await trx.raw(
    `insert into country_hours as h (user_id, country, hour, accepted)
     select "userId", country, hour, sum(count) from jsonb_to_recordset(?::jsonb)
       as c ("userId" uuid, country text, hour timestamptz, count integer)
     group by 1, 2, 3 order by 1, 2, 3
     on conflict (user_id, country, hour) do update set accepted = h.accepted + excluded.accepted`,
    [JSON.stringify(counts)],
  )
}

/** More messages to a country than expected. */
export interface Rise {
  userId: string
  country: string
  /** The number accepted in this hour. */
  accepted: number
  /** The most in any hour of the month before. */
  usual: number
}

/**
 * Finds the countries that got at least `minimum` messages of a user in this hour, and `factor` times as many as usual.
 * A country that is paused already, or that was resumed within a week, is left out. In its first week, the guard only
 * counts, so that a weekly routine is not mistaken for a rise.
 */
export async function findRises(
  db: Database,
  { minimum, factor }: { minimum: number; factor: number },
): Promise<Rise[]> {
  const { rows } = await db.raw<{ rows: Rise[] }>(
    `select h.user_id as "userId", h.country, h.accepted, before.usual
     from country_hours h cross join lateral (
       select coalesce(max(accepted), 0) as usual from country_hours b
       where b.user_id = h.user_id and b.country = h.country and b.hour < h.hour and b.hour > h.hour - interval '30 days'
     ) before
     where exists (select from country_guard where began_at < now() - interval '7 days')
       and h.hour = date_trunc('hour', now()) and h.accepted >= :minimum and h.accepted >= :factor * before.usual
       and not exists (select from country_pauses p where p.user_id = h.user_id and p.country = h.country
         and (p.resumed_at is null or p.resumed_at > now() - interval '7 days'))`,
    { minimum, factor },
  )
  return rows
}

/**
 * Pauses all lines of the user, except those in the country itself and those that explicitly allow it.
 *
 * @returns the number of lines; 0 if nothing was paused
 */
export async function pauseCountry(
  trx: Database,
  { userId, country, accepted, usual }: Rise,
): Promise<number> {
  const lineCount = await trx('lines')
    .where({ user_id: userId })
    .whereNull('allowed_countries')
    .whereRaw('country is distinct from ?', [country])
    .whereRaw(`not ? = any (coalesce(paused_countries, '{}'))`, [country])
    .update({
      paused_countries: trx.raw(`array_append(coalesce(paused_countries, '{}'), ?::text)`, [country]),
    })
  if (lineCount === 0) return 0
  await trx('country_pauses')
    .insert({ user_id: userId, country, accepted, usual })
    .onConflict(['user_id', 'country'])
    .merge({ accepted, usual, paused_at: trx.raw('clock_timestamp()'), resumed_at: null })
  return lineCount
}

/** @returns false if it is not paused */
export async function resumeCountry(trx: Database, userId: string, country: string): Promise<boolean> {
  const resumed = await trx('country_pauses')
    .where({ user_id: userId, country, resumed_at: null })
    .update({ resumed_at: trx.raw('clock_timestamp()') })
  if (resumed === 0) return false
  await trx('lines')
    .where({ user_id: userId })
    .whereRaw('? = any (paused_countries)', [country])
    .update({ paused_countries: trx.raw(`nullif(array_remove(paused_countries, ?::text), '{}')`, [country]) })
  return true
}

export interface CountryPause extends Rise {
  email: string
  pausedAt: Date
}

/**
 * Lists the newest first, for all users or for one.
 *
 * @param filter.known those that come before all others, each as a user's id, a colon and a country
 */
export async function listCountryPauses(
  db: Database,
  filter: { userId?: string; known?: readonly string[] },
  limit: number,
): Promise<CountryPause[]> {
  return db('country_pauses as p')
    .join('users as u', 'u.id', 'p.user_id')
    .whereNull('p.resumed_at')
    .modify((query) => {
      if (filter.userId !== undefined) void query.where('p.user_id', filter.userId)
      if (filter.known !== undefined)
        void query.orderByRaw(`p.user_id || ':' || p.country = any (?::text[]) desc`, [[...filter.known]])
    })
    .orderBy('p.paused_at', 'desc')
    .limit(limit)
    .select<CountryPause[]>({
      ...{ userId: 'p.user_id', email: 'u.email', country: 'p.country', pausedAt: 'p.paused_at' },
      ...{ accepted: 'p.accepted', usual: 'p.usual' },
    })
}

/**
 * Deletes the rows that `findRises` no longer uses.
 *
 * @returns their number
 */
export async function deleteOldCountryHours(db: Database): Promise<number> {
  return db('country_hours').whereRaw(`hour < now() - interval '31 days'`).delete()
}
