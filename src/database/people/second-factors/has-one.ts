import type { Database } from '../../connection.js'

/**
 * SQL: true if the user `u` has a second factor. Recovery codes alone do not count: they are for users who have lost
 * the other.
 */
export const HAS_SECOND_FACTOR = `(exists (select from totp_secrets t where t.user_id = u.id and t.confirmed_at is not null)
  or exists (select from passkeys p where p.user_id = u.id))`

export async function hasSecondFactor(db: Database, userId: string): Promise<boolean> {
  const { rows } = await db.raw<{ rows: { has: boolean }[] }>(
    `select ${HAS_SECOND_FACTOR} as has from users u where u.id = ?`,
    [userId],
  )
  return rows[0]?.has ?? false
}
