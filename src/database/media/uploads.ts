import type { Database } from '../connection.js'

/** A file that came in a form: a picture for a message, or what a phone of the simulator attached. */
export interface Upload {
  /** The type is detected from the bytes, whatever their sender says. */
  contentType: string
  bytes: Buffer
}

export async function insertUpload(
  db: Database,
  { token, contentType, bytes }: Upload & { token: string },
): Promise<void> {
  await db('uploads').insert({ token, content_type: contentType, bytes }).onConflict('token').ignore()
}

export async function findUpload(db: Database, token: string): Promise<Upload | undefined> {
  return db('uploads')
    .where({ token })
    .first<Upload | undefined>({ contentType: 'content_type', bytes: 'bytes' })
}

export async function deleteUploads(db: Database, tokens: readonly string[]): Promise<void> {
  await db('uploads').whereIn('token', tokens).delete()
}

/**
 * Deletes uploads that are older than so many days.
 *
 * @returns their number, at most `limit`
 */
export async function deleteOldUploads(db: Database, days: number, limit: number): Promise<number> {
  return deleteUploadsWhere(db, `created_at < clock_timestamp() - :days * interval '1 day'`, { days, limit })
}

/**
 * Deletes uploads that were made at certain times.
 *
 * @param condition about `created_at`
 * @returns their number, at most `bindings.limit`
 */
export async function deleteUploadsWhere(
  db: Database,
  condition: string,
  bindings: Record<string, string | number> & { limit: number },
): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `delete from uploads where token in (
       select token from uploads where ${condition} limit :limit for update skip locked)`,
    bindings,
  )
  return rowCount
}
