import type { Database } from '../connection.js'

export interface MessageAgain {
  id: string
  userId: string
  /** The message that is sent again. */
  againOf: string
  source: 'api' | 'console'
}

/**
 * A copy of a message, queued as a new one of its line: it has a life of its own, and what is still heard of the
 * first one stays with the first one. In a transaction.
 *
 * @param key of the request: the same one again finds the copy that was made for it
 * @returns the id of the copy, and whether it was made now
 */
export async function insertMessageAgain(
  trx: Database,
  { id, userId, againOf, source }: MessageAgain,
  key: string,
  requestHash: Buffer,
): Promise<{ id: string; isNew: boolean }> {
  const inserted = await trx('idempotency_keys')
    .insert({ scope_id: againOf, key, request_hash: requestHash, message_id: id })
    .onConflict(['scope_id', 'key'])
    .ignore()
    .returning('key')
  if (inserted.length === 0) {
    const known = await trx('idempotency_keys')
      .where({ scope_id: againOf, key })
      .first<{ message_id: string } | undefined>('message_id')
    return { id: known?.message_id ?? againOf, isNew: false }
  }
  await trx.raw('select lock_line(line_id) from messages where user_id = ? and id = ?::uuid', [
    userId,
    againOf,
  ])
  await trx.raw(
    `insert into messages
       (id, user_id, line_id, direction, source, type, from_number, to_number, text, media_url, status, again_of)
     select ?::uuid, m.user_id, m.line_id, 'outbound', ?, m.type, l.number, m.to_number, m.text, m.media_url,
       'queued', m.id
     from messages m join lines l on l.id = m.line_id
     where m.user_id = ? and m.id = ?::uuid`,
    [id, source, userId, againOf],
  )
  return { id, isNew: true }
}

/** Whether so many messages of a line wait, or more. */
export async function isLineFull(db: Database, lineId: string, limit: number): Promise<boolean> {
  const result = await db.raw<{ rows: { count: number }[] }>(
    `select count(*)::integer as count from (
       select 1 from messages where line_id = ? and status in ('queued', 'sending') limit ?) waiting`,
    [lineId, limit],
  )
  return (result.rows[0]?.count ?? 0) >= limit
}
