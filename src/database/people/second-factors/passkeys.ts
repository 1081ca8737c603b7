import type { Database } from '../../connection.js'
import { columnsOf, internal, type Row } from '../../../shape.js'

const FIELDS = {
  id: internal<string>('id'),
  userId: internal<string>('user_id'),
  name: internal<string>('name'),
  /** The browser's id of it. */
  credentialId: internal<string>('credential_id'),
  publicKey: internal<Buffer>('public_key'),
  /** The authenticator's count of its uses; many always say 0. */
  counter: internal<number>('counter::float8'),
  transports: internal<string[]>('transports'),
  createdAt: internal<Date>('created_at'),
  lastUsedAt: internal<Date | null>('last_used_at'),
}

export type Passkey = Row<typeof FIELDS>

const COLUMNS = columnsOf(FIELDS)

/** Lists the oldest first. */
export async function listPasskeys(db: Database, userId: string): Promise<Passkey[]> {
  return db('passkeys').where({ user_id: userId }).select<Passkey[]>(db.raw(COLUMNS)).orderBy('id')
}

/** @returns false if a user has it already */
export async function insertPasskey(
  db: Database,
  passkey: Omit<Passkey, 'createdAt' | 'lastUsedAt'>,
): Promise<boolean> {
  const { id, userId, name, credentialId, publicKey, counter, transports } = passkey
  const inserted = await db('passkeys')
    .insert({
      id,
      user_id: userId,
      name,
      credential_id: credentialId,
      public_key: publicKey,
      counter,
      transports,
    })
    .onConflict('credential_id')
    .ignore()
    .returning('id')
  return inserted.length > 0
}

/** Does not find that of a disabled user. Two concurrent answers by it wait for each other here. */
export async function lockPasskey(trx: Database, credentialId: string): Promise<Passkey | undefined> {
  return trx('passkeys')
    .where({ credential_id: credentialId })
    .whereExists(trx('users').whereRaw('users.id = passkeys.user_id').where({ disabled_at: null }))
    .forUpdate()
    .first<Passkey | undefined>(trx.raw(COLUMNS))
}

export async function hasPasskey(db: Database, userId: string, id: string): Promise<boolean> {
  return (await db('passkeys').where({ user_id: userId, id }).first('id')) !== undefined
}

export async function notePasskeyUse(db: Database, id: string, counter: number): Promise<void> {
  await db('passkeys').where({ id }).update({ counter, last_used_at: db.fn.now() })
}

/** @returns its name, or undefined if the user has no such passkey */
export async function deletePasskey(db: Database, userId: string, id: string): Promise<string | undefined> {
  const [deleted] = await db('passkeys')
    .where({ user_id: userId, id })
    .delete()
    .returning<{ name: string }[]>('name')
  return deleted?.name
}

export async function deletePasskeysOf(db: Database, userId: string): Promise<void> {
  await db('passkeys').where({ user_id: userId }).delete()
}

const ALIVE = `created_at > now() - interval '5 minutes'`

/** Replaces the challenge that the browser had before. */
export async function replaceChallenge(db: Database, browserHash: Buffer, challenge: string): Promise<void> {
  await db('passkey_challenges')
    .insert({ browser_hash: browserHash, challenge })
    .onConflict('browser_hash')
    .merge({ challenge, created_at: db.fn.now() })
}

/**
 * Takes a challenge, which can be answered once.
 *
 * @returns undefined if there is none, or it is older than five minutes
 */
export async function takeChallenge(db: Database, browserHash: Buffer): Promise<string | undefined> {
  const [taken] = await db('passkey_challenges')
    .where({ browser_hash: browserHash })
    .whereRaw(ALIVE)
    .delete()
    .returning<{ challenge: string }[]>('challenge')
  return taken?.challenge
}

export async function deleteExpiredChallenges(db: Database): Promise<number> {
  return db('passkey_challenges').whereRaw(`not (${ALIVE})`).delete()
}
