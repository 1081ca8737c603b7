import type { Database } from './connection.js'

/** How much of a cap is used today, which is a day of UTC. */
export interface SpendCap {
  /** A line's id, or a user's. */
  ownerId: string
  segmentsPerDay: number
  used: number
}

/** SQL: the day that counts. As in `fit_messages`. */
const TODAY = `(clock_timestamp() at time zone 'UTC')::date`

/** What was counted today stays. @param segmentsPerDay null takes the cap away */
export async function setSpendCap(
  db: Database,
  ownerId: string,
  segmentsPerDay: number | null,
): Promise<void> {
  if (segmentsPerDay === null) {
    await db('spend_caps').where({ owner_id: ownerId }).delete()
    return
  }
  await db('spend_caps')
    .insert({ owner_id: ownerId, segments_per_day: segmentsPerDay })
    .onConflict('owner_id')
    .merge({ segments_per_day: segmentsPerDay, warned_day: null })
}

export async function listSpendCaps(db: Database, ownerIds: readonly string[]): Promise<SpendCap[]> {
  return db('spend_caps')
    .whereRaw('owner_id = any (?::uuid[])', [[...ownerIds]])
    .select<SpendCap[]>([
      { ownerId: 'owner_id', segmentsPerDay: 'segments_per_day' },
      db.raw(`case when day = ${TODAY} then used else 0 end as used`),
    ])
}

/** Caps of which this part was used today, and that nobody has told of yet: each once a day. */
export async function takeNearCaps(db: Database, part: number): Promise<SpendCap[]> {
  const { rows } = await db.raw<{ rows: SpendCap[] }>(
    `update spend_caps set warned_day = day
     where owner_id in (select owner_id from spend_caps
       where day = ${TODAY} and warned_day is distinct from day and used >= segments_per_day * ?::float8
       for update skip locked)
     returning owner_id as "ownerId", segments_per_day as "segmentsPerDay", used`,
    [part],
  )
  return rows
}
