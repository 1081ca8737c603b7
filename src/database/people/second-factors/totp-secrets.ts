import type { Database } from '../../connection.js'

export interface TotpSecret {
  secretSealed: Buffer
  /** True if it was made in the last ten minutes, in which it can be confirmed. */
  isFresh: boolean
  /** null if it does not count yet. */
  confirmedAt: Date | null
  lastUsedAt: Date | null
}

const columns = (db: Database) => [
  { secretSealed: 'secret_sealed', confirmedAt: 'confirmed_at', lastUsedAt: 'last_used_at' },
  db.raw(`created_at > now() - interval '10 minutes' as "isFresh"`),
]

export async function findTotpSecret(db: Database, userId: string): Promise<TotpSecret | undefined> {
  return db('totp_secrets').where({ user_id: userId }).first<TotpSecret | undefined>(columns(db))
}

/**
 * Replaces a secret that was not confirmed.
 *
 * @returns false if the user has a confirmed one
 */
export async function replaceTotpSecret(
  db: Database,
  userId: string,
  secretSealed: Buffer,
): Promise<boolean> {
  const replaced = await db('totp_secrets')
    .insert({ user_id: userId, secret_sealed: secretSealed })
    .onConflict('user_id')
    .merge({ secret_sealed: secretSealed, created_at: db.fn.now() })
    .whereNull('totp_secrets.confirmed_at')
    .returning('user_id')
  return replaced.length > 0
}

export interface LockedTotpSecret extends TotpSecret {
  lastStep: number
  /** The time by the clock of Postgres, which all processes share. */
  nowMs: number
}

/** Two requests with the same code wait for each other here, and the second one finds it used. */
export async function lockTotpSecret(trx: Database, userId: string): Promise<LockedTotpSecret | undefined> {
  return trx('totp_secrets')
    .where({ user_id: userId })
    .forUpdate()
    .first<LockedTotpSecret | undefined>([
      ...columns(trx),
      trx.raw('last_step::float8 as "lastStep"'),
      trx.raw('(extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"'),
    ])
}

/** Marks the code of this step as used; with the first one the secret counts. */
export async function noteTotpStep(db: Database, userId: string, step: number): Promise<void> {
  await db('totp_secrets')
    .where({ user_id: userId })
    .update({
      last_step: step,
      last_used_at: db.fn.now(),
      confirmed_at: db.raw('coalesce(confirmed_at, now())'),
    })
}

/** @returns false if there was none that counted */
export async function deleteTotpSecret(db: Database, userId: string): Promise<boolean> {
  const deleted = await db('totp_secrets')
    .where({ user_id: userId })
    .delete()
    .returning<{ confirmed_at: Date | null }[]>('confirmed_at')
  return deleted.some(({ confirmed_at }) => confirmed_at !== null)
}
