import type { Database } from './connection.js'

/** What waits to be worked on, of one kind. */
export interface Waiting {
  /** Counted no further than MOST. */
  count: number
  /** For how long the oldest has been due although nobody works on it; 0: none is. */
  oldestSeconds: number
}

const MOST = 100_000
/** So many unfinished messages are looked at for the oldest: those of the first lines. */
const MOST_HEADS = 20_000

/**
 * Messages that are to be sent. Due is the first one to each number, once its time has come: the others wait for it. One
 * whose media are being copied, or whose conversation is paused, is not due.
 */
export async function readWaitingMessages(db: Database): Promise<Waiting> {
  return readOne(
    db,
    `with unfinished as (
       select id, line_id, to_number, position, status, created_at, not_before
       from messages where status in ('queued', 'sending') order by line_id, to_number, position limit ${MOST_HEADS}
     ), heads as (
       select distinct on (line_id, to_number) * from unfinished order by line_id, to_number, position
     )
     select (select count(*)::integer from (select from messages where status = 'queued' limit ${MOST}) q) as count,
       max(extract(epoch from clock_timestamp() - greatest(h.created_at, h.not_before))) as "oldestSeconds"
     from heads h
     where h.status = 'queued' and coalesce(h.not_before < clock_timestamp(), true)
       and not exists (select from media d where d.message_id = h.id and d.status in ('pending', 'fetching'))
       and not exists (select from line_contacts c where c.line_id = h.line_id and c.number = h.to_number
         and c.paused_until > clock_timestamp())`,
  )
}

/** Deliveries. Due are those of endpoints on which nobody works: what waits for a busy endpoint is the endpoint's affair. */
export async function readWaitingDeliveries(db: Database): Promise<Waiting> {
  return readOne(
    db,
    `select (select count(*)::integer from (select from deliveries where status = 'pending' limit ${MOST}) p) as count,
       max(extract(epoch from clock_timestamp() - d.due_at)) as "oldestSeconds"
     from idle_lanes('0 s', 1) l join deliveries d on d.id = l.delivery_id`,
  )
}

/** Copies of media. The sweep moves `due_at` of what waits, so what was never tried counts from its beginning. */
export async function readWaitingMedia(db: Database): Promise<Waiting> {
  return readOne(
    db,
    `select count(*)::integer as count,
       max(extract(epoch from clock_timestamp() - case when attempt_count = 0 then created_at else due_at end))
         filter (where attempt_count = 0 or due_at < clock_timestamp()) as "oldestSeconds"
     from (select attempt_count, created_at, due_at from media where status = 'pending' limit ${MOST}) m`,
  )
}

async function readOne(db: Database, query: string): Promise<Waiting> {
  const { rows } = await db.raw<{ rows: { count: number; oldestSeconds: string | null }[] }>(query)
  const [row] = rows
  // Postgres gives numerics as text.
  return { count: row?.count ?? 0, oldestSeconds: Math.max(0, Number(row?.oldestSeconds ?? 0)) }
}
