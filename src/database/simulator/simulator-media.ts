import type { Database } from '../connection.js'

export interface SimulatorMedia {
  /** The type is detected from the bytes, whatever their sender says. */
  contentType: string
  bytes: Buffer
}

export async function insertSimulatorMedia(
  db: Database,
  { token, contentType, bytes }: SimulatorMedia & { token: string },
): Promise<void> {
  await db('simulator_media').insert({ token, content_type: contentType, bytes }).onConflict('token').ignore()
}

export async function findSimulatorMedia(db: Database, token: string): Promise<SimulatorMedia | undefined> {
  return db('simulator_media')
    .where({ token })
    .first<SimulatorMedia | undefined>({ contentType: 'content_type', bytes: 'bytes' })
}

/**
 * Deletes media after 7 days.
 *
 * @returns their number, at most `limit`
 */
export async function deleteOldSimulatorMedia(db: Database, limit: number): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `delete from simulator_media where token in (
       select token from simulator_media where created_at < now() - interval '7 days' limit ?
       for update skip locked)`,
    [limit],
  )
  return rowCount
}
