import type { Database } from '../connection.js'

/**
 * Lists stored media that are older than this many days, the oldest first, except those of messages that are still to
 * be sent.
 */
export async function listOldMedia(
  db: Database,
  days: number,
  limit: number,
): Promise<{ id: string; storageKey: string }[]> {
  const { rows } = await db.raw<{ rows: { id: string; storageKey: string }[] }>(
    `select id, storage_key as "storageKey" from media
     where status = 'stored' and removed_at is null and stored_at < now() - make_interval(days => ?)
       and not exists (select from messages m where m.id = media.message_id and m.status = 'scheduled')
     order by stored_at limit ?`,
    [days, limit],
  )
  return rows
}

/** Marks media whose files are gone. */
export async function markRemoved(db: Database, ids: readonly string[]): Promise<void> {
  await db('media').whereIn('id', ids).update({ removed_at: db.fn.now() })
}
