import type { Database } from '../connection.js'

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
    .merge({ segments_per_day: segmentsPerDay })
}

export async function listSpendCaps(db: Database, ownerIds: readonly string[]): Promise<SpendCap[]> {
  return db('spend_caps')
    .whereRaw('owner_id = any (?::uuid[])', [[...ownerIds]])
    .select<SpendCap[]>([
      { ownerId: 'owner_id', segmentsPerDay: 'segments_per_day' },
      db.raw(`case when day = ${TODAY} then used else 0 end as used`),
    ])
}

/** A cap that is nearly used up, and whose it is. */
export interface NearCap extends SpendCap {
  userId: string
  /** null: the cap is of all lines of the user together. */
  lineId: string | null
  lineName: string | null
  /** The day in UTC. */
  day: string
}

/** Caps of which this part was used today, fullest first. */
export async function listNearCaps(db: Database, part: number, limit: number): Promise<NearCap[]> {
  const { rows } = await db.raw<{ rows: NearCap[] }>(
    `select c.owner_id as "ownerId", c.segments_per_day as "segmentsPerDay", c.used, c.day::text as day,
       coalesce(l.user_id, u.id) as "userId", l.id as "lineId", l.name as "lineName"
     from spend_caps c left join lines l on l.id = c.owner_id left join users u on u.id = c.owner_id
     where c.day = ${TODAY} and c.used >= c.segments_per_day * ?::float8 and coalesce(l.user_id, u.id) is not null
     order by c.used / c.segments_per_day::float8 desc limit ?`,
    [part, limit],
  )
  return rows
}
