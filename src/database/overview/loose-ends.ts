import type { Database } from '../connection.js'

/** Of a user's lines, in the last day. */
export interface LooseEnds {
  userId: string
  email: string
  count: number
}

const SHOWN = 5
const MAX_LOOKED_AT = 10_000

/** Messages of which nobody knows whether they were sent, by user, most first. */
export async function listUnknownMessages(db: Database): Promise<LooseEnds[]> {
  return byUser(
    db,
    `select user_id from messages where status = 'unknown' and claimed_at > now() - interval '1 day'`,
  )
}

/** Media that could not be copied, by user, most first. */
export async function listFailedMedia(db: Database): Promise<LooseEnds[]> {
  return byUser(
    db,
    `select user_id from media where id >= lowest_id_at(now() - interval '1 day') and status = 'failed'`,
  )
}

async function byUser(db: Database, found: string): Promise<LooseEnds[]> {
  const { rows } = await db.raw<{ rows: LooseEnds[] }>(
    `select u.id as "userId", u.email, count(*)::integer as count
     from (${found} limit ${MAX_LOOKED_AT}) r join users u on u.id = r.user_id
     group by u.id order by count(*) desc, u.id limit ${SHOWN}`,
  )
  return rows
}
