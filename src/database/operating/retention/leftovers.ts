import { transaction, type Database } from '../../connection.js'
import { deleteUploadsWhere } from '../../media/uploads.js'
import { CONTACT_NUMBER } from '../../messages/reading.js'
import type { OldMonth } from './months.js'

type Span = Pick<OldMonth, 'from' | 'until'>

const WITHIN = 'between lowest_id_at(:from::timestamptz) and lowest_id_at(:until::timestamptz)'

const boundsOf = ({ from, until }: Span) => ({ from: from.toISOString(), until: until.toISOString() })

/** Lists copies that belong to messages of the span. `storageKey` is that of a file that still exists. */
export async function listMediaOfMonth(
  db: Database,
  span: Span,
  limit: number,
): Promise<{ id: string; storageKey: string | null }[]> {
  const { rows } = await db.raw<{ rows: { id: string; storageKey: string | null }[] }>(
    `select id, case when removed_at is null then storage_key end as "storageKey" from media
     where message_id ${WITHIN} and status in ('stored', 'failed') order by message_id limit :limit`,
    { ...boundsOf(span), limit },
  )
  return rows
}

/** Deletes media whose files are gone already. */
export async function deleteMedia(db: Database, ids: readonly string[]): Promise<void> {
  await db('media').whereIn('id', ids).delete()
}

const CARRIER_ID_TABLES = ['carrier_message_ids', 'carrier_message_ids_again'] as const

/**
 * Lists the accounts whose carriers' ids are known, each found by one look into the key: an account that was removed
 * has left its ids.
 */
export async function listCarriersWithIds(db: Database): Promise<string[]> {
  const names = new Set<string>()
  for (const table of CARRIER_ID_TABLES) {
    const { rows } = await db.raw<{ rows: { name: string }[] }>(
      `with recursive found as (
         (select carrier as name from :table: order by carrier limit 1)
         union all
         select (select c.carrier from :table: c where c.carrier > f.name order by c.carrier limit 1)
         from found f where f.name is not null
       ) select name from found where name is not null`,
      { table },
    )
    for (const { name } of rows) names.add(name)
  }
  return [...names]
}

/**
 * Forgets the carriers' ids of the messages of a partition: those after a given one, in order of their ids. The table
 * of these ids has no index by message, which every message would have to keep, so each is looked up by its own key.
 *
 * @param carriers the names of all accounts with ids
 * @returns the last message that was processed, or undefined if there are no more
 */
export async function deleteCarrierIds(
  db: Database,
  partition: string,
  carriers: readonly string[],
  afterId: string,
  limit: number,
): Promise<string | undefined> {
  const deleteFrom = (table: (typeof CARRIER_ID_TABLES)[number]) =>
    `delete from ${table} c using looked
     where c.carrier = any (:carriers) and c.carrier_message_id = looked.carrier_message_id and c.message_id = looked.id`
  try {
    const { rows } = await db.raw<{ rows: { id: string }[] }>(
      `with looked as materialized (
         select id, unnest(carrier_part_ids || carrier_message_id) as carrier_message_id
         from (select * from :partition: where id > :afterId::uuid order by id limit :limit) m
       ), deleted as (
         ${deleteFrom('carrier_message_ids')}
       ), deleted_again as (
         ${deleteFrom('carrier_message_ids_again')}
       )
       select id from looked order by id desc limit 1`,
      { partition, carriers: [...carriers], afterId, limit },
    )
    return rows[0]?.id
  } catch (error) {
    // Another run has dropped the partition in the meantime, after doing this itself.
    if ((error as { code?: unknown }).code === NO_SUCH_TABLE) return undefined
    throw error
  }
}

const NO_SUCH_TABLE = '42P01'

/**
 * Makes conversations whose first unread message is dropped unread from the first message that came in in a later month,
 * or read if there is none. An older month may be kept, and then its marks stay.
 *
 * @returns their number, at most `limit`
 */
export async function moveUnreadMarks(db: Database, span: Span, limit: number): Promise<number> {
  return transaction(db, async (trx) => {
    // They are locked first, and in the order of `receive_messages`: a statement that waited for a message that is
    // coming in would not see it.
    const { rows } = await trx.raw<{ rows: PeerKey[] }>(
      `select line_id as "lineId", number from line_peers
       where unread_id >= lowest_id_at(:from::timestamptz) and unread_id < lowest_id_at(:until::timestamptz)
       order by line_id, number limit :limit for update`,
      { ...boundsOf(span), limit },
    )
    await trx.raw(
      `update line_peers k set unread_id = (
         select m.id from messages m
         where m.line_id = k.line_id and ${CONTACT_NUMBER} = k.number and m.direction = 'inbound'
           and m.id >= lowest_id_at(:until::timestamptz)
         order by m.id limit 1)
       where (k.line_id, k.number) in (select * from unnest(:lineIds::uuid[], :numbers::text[]))`,
      {
        ...boundsOf(span),
        lineIds: rows.map(({ lineId }) => lineId),
        numbers: rows.map(({ number }) => number),
      },
    )
    return rows.length
  })
}

/**
 * Deletes what the simulator took. Its ids are made like ours, so they contain the time.
 *
 * @returns the number, at most `limit`
 */
export async function deleteSimulatedMessages(db: Database, span: Span, limit: number): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `delete from simulator_outbox where carrier_message_id in (
       select carrier_message_id from simulator_outbox where carrier_message_id ${WITHIN} limit :limit)`,
    { ...boundsOf(span), limit },
  )
  return rowCount
}

/**
 * Deletes uploads of the month. Those of an older month may belong to messages that are kept.
 *
 * @returns their number, at most `limit`
 */
export async function deleteUploadsOfMonth(db: Database, span: Span, limit: number): Promise<number> {
  return deleteUploadsWhere(db, 'created_at >= :from::timestamptz and created_at < :until::timestamptz', {
    ...boundsOf(span),
    limit,
  })
}

/** A place in the order of `line_peers`. */
export interface PeerKey {
  lineId: string
  number: string
}

/**
 * Forgets peers after a given one, in order of their key: those that have not opted out, of whom everything that the
 * line noted is older than the end of the month, and who have no message but those of the month. No index has the time
 * when a number wrote last, because every text would have to change it; so all are read, some at a time.
 *
 * @returns the last one that was looked at, or undefined if there are no more
 */
export async function deleteSilentPeers(
  db: Database,
  span: Span,
  after: PeerKey | undefined,
  limit: number,
): Promise<PeerKey | undefined> {
  const { rows } = await db.raw<{ rows: PeerKey[] }>(
    `with looked as materialized (
       select line_id, number from line_peers
       ${after === undefined ? '' : 'where (line_id, number) > (:lineId::uuid, :number)'}
       order by line_id, number limit :limit
     ), deleted as (
       delete from line_peers k using looked l
       where k.line_id = l.line_id and k.number = l.number and k.opted_out_at is null
         and coalesce(greatest(k.window_cleared_at, k.opted_in_at, k.help_answered_at, k.paused_until, k.archived_at,
           k.heard_at[cardinality(k.heard_at)]), '-infinity') < :until::timestamptz
         and (
           select true from messages m where m.line_id = k.line_id and ${CONTACT_NUMBER} = k.number
             and (m.id < lowest_id_at(:from::timestamptz) or m.id >= lowest_id_at(:until::timestamptz)) limit 1) is null
     )
     select line_id as "lineId", number from looked order by line_id desc, number desc limit 1`,
    { ...boundsOf(span), ...after, limit },
  )
  return rows[0]
}
