import type { Database } from '../connection.js'

/** The use of a cap today, which is a day of UTC. */
export interface SpendCap {
  /** A line's id, or a user's. */
  ownerId: string
  segmentsPerDay: number
  used: number
}

/** SQL: the current day, as in `fit_messages`. */
const TODAY = `(clock_timestamp() at time zone 'UTC')::date`

/** SQL: the current month, likewise. */
const THIS_MONTH = `date_trunc('month', clock_timestamp() at time zone 'UTC')::date`

/** SQL: the cost of the owner of a cap `c` this month according to carriers, in the cap's currency. */
const SPENT = `(select coalesce(sum(s.amount), 0) from spending s where s.month = ${THIS_MONTH} and s.currency = c.currency
  and (s.line_id = c.owner_id or s.user_id = c.owner_id))`

/**
 * Today's count stays.
 *
 * @param segmentsPerDay null removes the cap
 */
export async function setSpendCap(
  db: Database,
  ownerId: string,
  segmentsPerDay: number | null,
): Promise<void> {
  await writeCap(db, ownerId, { segments_per_day: segmentsPerDay })
}

/** An exact amount in whole units of a currency (ISO 4217). */
export interface Money {
  amount: string
  currency: string
}

/** @param money null removes the cap */
export async function setMonthlyCap(db: Database, ownerId: string, money: Money | null): Promise<void> {
  await writeCap(db, ownerId, {
    amount_per_month: money?.amount ?? null,
    currency: money?.currency ?? null,
  })
}

/** The row has both kinds of caps, and is deleted with the last one. This runs in the caller's transaction. */
async function writeCap(
  trx: Database,
  ownerId: string,
  cap: Record<string, string | number | null>,
): Promise<void> {
  const other = 'segments_per_day' in cap ? 'amount_per_month' : 'segments_per_day'
  if (Object.values(cap).every((value) => value !== null)) {
    await trx('spend_caps')
      .insert({ owner_id: ownerId, ...cap })
      .onConflict('owner_id')
      .merge(cap)
    return
  }
  await trx('spend_caps').where({ owner_id: ownerId }).whereNull(other).delete()
  await trx('spend_caps').where({ owner_id: ownerId }).update(cap)
}

/** The spending of a cap this month, which is a month of UTC. */
export interface MonthlyCap extends Money {
  /** A line's id, or a user's. */
  ownerId: string
  spent: string
  /** True if the requested part of it is spent. */
  isNear: boolean
  isUsedUp: boolean
}

/** @param part a cap is near from this part on, such as 0.8 */
export async function listMonthlyCaps(
  db: Database,
  ownerIds: readonly string[],
  part: number,
): Promise<MonthlyCap[]> {
  const { rows } = await db.raw<{ rows: MonthlyCap[] }>(
    `select x.owner_id as "ownerId", x.amount::text as amount, x.currency, x.spent::text as spent,
       x.spent >= x.amount * ?::numeric as "isNear", x.spent >= x.amount as "isUsedUp"
     from (
       select c.owner_id, c.amount_per_month as amount, c.currency, ${SPENT} as spent from spend_caps c
       where c.owner_id = any (?::uuid[]) and c.amount_per_month is not null) x`,
    [part, [...ownerIds]],
  )
  return rows
}

export async function listSpendCaps(db: Database, ownerIds: readonly string[]): Promise<SpendCap[]> {
  return db('spend_caps')
    .whereRaw('owner_id = any (?::uuid[]) and segments_per_day is not null', [[...ownerIds]])
    .select<SpendCap[]>([
      { ownerId: 'owner_id', segmentsPerDay: 'segments_per_day' },
      db.raw(`case when day = ${TODAY} then used else 0 end as used`),
    ])
}

/** A cap that is nearly used up, and its owner. */
export interface NearCap extends SpendCap {
  userId: string
  /** null if the cap is for all lines of the user together. */
  lineId: string | null
  lineName: string | null
  /** The day in UTC. */
  day: string
}

/**
 * Lists the caps of which this part was used today: all of the owners that are known, and then a number of others, fullest
 * first.
 */
export async function listNearCaps(
  db: Database,
  part: number,
  knownOwnerIds: readonly string[],
  limit: number,
): Promise<NearCap[]> {
  const { rows } = await db.raw<{ rows: NearCap[] }>(
    `select c.owner_id as "ownerId", c.segments_per_day as "segmentsPerDay", c.used, c.day::text as day,
       coalesce(l.user_id, u.id) as "userId", l.id as "lineId", l.name as "lineName"
     from spend_caps c left join lines l on l.id = c.owner_id left join users u on u.id = c.owner_id
     where c.day = ${TODAY} and c.used >= c.segments_per_day * :part::float8 and coalesce(l.user_id, u.id) is not null
     order by c.owner_id = any (:known::uuid[]) desc, c.used / c.segments_per_day::float8 desc, c.owner_id limit :limit`,
    { part, known: [...knownOwnerIds], limit: knownOwnerIds.length + limit },
  )
  return rows
}

/** A monthly cap that is nearly spent, and its owner. */
export interface NearMonthlyCap extends Money {
  ownerId: string
  userId: string
  /** null if the cap is for all lines of the user together. */
  lineId: string | null
  lineName: string | null
  spent: string
  /** A month such as `2026-11`. */
  month: string
}

/** Lists the caps of which this part was spent this month, likewise. */
export async function listNearMonthlyCaps(
  db: Database,
  part: number,
  knownOwnerIds: readonly string[],
  limit: number,
): Promise<NearMonthlyCap[]> {
  const { rows } = await db.raw<{ rows: NearMonthlyCap[] }>(
    `select x.owner_id as "ownerId", coalesce(l.user_id, u.id) as "userId", l.id as "lineId", l.name as "lineName",
       x.amount::text as amount, x.currency, x.spent::text as spent, to_char(${THIS_MONTH}, 'YYYY-MM') as month
     from (
       select c.owner_id, c.amount_per_month as amount, c.currency, ${SPENT} as spent from spend_caps c
       where c.amount_per_month is not null) x
     left join lines l on l.id = x.owner_id left join users u on u.id = x.owner_id
     where x.spent >= x.amount * :part::numeric and coalesce(l.user_id, u.id) is not null
     order by x.owner_id = any (:known::uuid[]) desc, x.spent / x.amount desc, x.owner_id limit :limit`,
    { part, known: [...knownOwnerIds], limit: knownOwnerIds.length + limit },
  )
  return rows
}
