import type { Database } from '../connection.js'

/** Keys are kept for 24 h, as `docs/http.md` promises. @returns how many were deleted, at most `limit` */
export async function deleteExpiredKeys(db: Database, limit: number): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `delete from idempotency_keys where (scope_id, key) in (
       select scope_id, key from idempotency_keys where created_at < now() - interval '24 hours' limit ?
       for update skip locked)`,
    [limit],
  )
  return rowCount
}
