import type { Database } from '../../connection.js'

/** The problems on a user's lines in the last day. */
export interface LooseEnds {
  userId: string
  email: string
  count: number
}

const SHOWN = 5
const MAX_LOOKED_AT = 10_000

/** Lists the messages whose outcome is unknown by user, most first. */
export async function listUnknownMessages(db: Database): Promise<LooseEnds[]> {
  return byUser(
    db,
    `select user_id from messages where status = 'unknown' and claimed_at > now() - interval '1 day'`,
  )
}

/** After this time a claimed message is settled, or the sweep has found it, and the carrier was asked about it. */
export const SETTLED = `interval '2 minutes'`

/** Counts those of the last day by user, if they are newer than the user's last notification (`notice_causes`). */
export async function countNewUnknown(
  db: Database,
): Promise<{ userId: string; count: number; newestAt: string }[]> {
  const { rows } = await db.raw<{ rows: { userId: string; count: number; newestAt: string }[] }>(
    `select m.user_id as "userId", count(*)::integer as count, max(m.claimed_at)::text as "newestAt"
     from (select user_id, claimed_at from messages
       where status = 'unknown' and claimed_at > now() - interval '1 day' and claimed_at < now() - ${SETTLED}
       order by claimed_at desc limit ${MAX_LOOKED_AT}) m
     left join notice_causes c on c.kind = 'messages.unknown' and c.subject = m.user_id::text
     where c.told_mark is null or m.claimed_at > c.told_mark::timestamptz
     group by m.user_id`,
  )
  return rows
}

/** Lists the media that could not be copied by user, most first. */
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
