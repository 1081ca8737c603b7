import type { Database } from '../../connection.js'
import { countOf } from '../../lists.js'

export async function countRecoveryCodes(db: Database, userId: string): Promise<number> {
  return countOf(db, 'recovery_codes where user_id = ?', [userId])
}

export async function insertRecoveryCodes(db: Database, userId: string, hashes: Buffer[]): Promise<void> {
  await db('recovery_codes').insert(hashes.map((hash) => ({ user_id: userId, code_hash: hash })))
}

/** @returns false if the user has no such code, or has used it */
export async function takeRecoveryCode(db: Database, userId: string, hash: Buffer): Promise<boolean> {
  return (await db('recovery_codes').where({ user_id: userId, code_hash: hash }).delete()) > 0
}

export async function deleteRecoveryCodes(db: Database, userId: string): Promise<void> {
  await db('recovery_codes').where({ user_id: userId }).delete()
}
