import type { Database } from '../connection.js'

/** Carriers fetch media after they have taken the message, and keep trying for a while. */
const FETCHED_DAYS = 1

/**
 * Lists stored media that are older than this many days, the oldest first, except those of messages that are still to
 * be sent, or that a carrier took in the last day: a message may be scheduled, or wait, for longer than media are kept.
 */
export async function listOldMedia(
  db: Database,
  days: number,
  limit: number,
  except: readonly string[] = [],
): Promise<{ id: string; storageKey: string }[]> {
  const { rows } = await db.raw<{ rows: { id: string; storageKey: string }[] }>(
    `select id, storage_key as "storageKey" from media
     where status = 'stored' and removed_at is null and stored_at < now() - make_interval(days => ?)
       and id <> all (?::uuid[])
       and not exists (select from messages m where m.id = media.message_id
         and (m.status in ('scheduled', 'queued', 'sending') or m.handed_over_at > now() - make_interval(days => ?)))
     order by stored_at limit ?`,
    [days, [...except], FETCHED_DAYS, limit],
  )
  return rows
}

/** Marks media whose files are gone. */
export async function markRemoved(db: Database, ids: readonly string[]): Promise<void> {
  await db('media').whereIn('id', ids).update({ removed_at: db.fn.now() })
}
