import type { Database } from '../connection.js'
import { storable } from '../text.js'

/** True if a message was accepted with this key, whatever its contents. */
export async function isKeyKnown(db: Database, scopeId: string, key: string): Promise<boolean> {
  const known = await db('idempotency_keys')
    .where({ scope_id: scopeId, key: storable(key) })
    .whereRaw('created_at > now() - key_lifetime()')
    .first<object | undefined>('key')
  return known !== undefined
}

/**
 * Deletes the keys that are past their lifetime (`key_lifetime`).
 *
 * @returns their number, at most `limit`
 */
export async function deleteExpiredKeys(db: Database, limit: number): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `delete from idempotency_keys where (scope_id, key) in (
       select scope_id, key from idempotency_keys where created_at < now() - key_lifetime() limit ?
       for update skip locked)`,
    [limit],
  )
  return rowCount
}
