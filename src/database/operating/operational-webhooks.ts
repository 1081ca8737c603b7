import type { Database } from '../connection.js'

/** Where a user's own notices are posted. */
export interface OperationalWebhook {
  url: string
  /** By `src/secrets.ts`. */
  secretSealed: Buffer
}

export async function findOperationalWebhook(
  db: Database,
  userId: string,
): Promise<OperationalWebhook | undefined> {
  return db('operational_webhooks')
    .where({ user_id: userId })
    .first<OperationalWebhook | undefined>({ url: 'url', secretSealed: 'secret_sealed' })
}

/** Where there is one, it gets the URL and keeps its secret. */
export async function saveOperationalWebhook(
  db: Database,
  userId: string,
  { url, secretSealed }: OperationalWebhook,
): Promise<void> {
  await db('operational_webhooks')
    .insert({ user_id: userId, url, secret_sealed: secretSealed })
    .onConflict('user_id')
    .merge({ url })
}

/** @returns false: there is none */
export async function replaceOperationalSecret(
  db: Database,
  userId: string,
  secretSealed: Buffer,
): Promise<boolean> {
  const changed = await db('operational_webhooks')
    .where({ user_id: userId })
    .update({ secret_sealed: secretSealed })
  return changed > 0
}

export async function deleteOperationalWebhook(db: Database, userId: string): Promise<void> {
  await db('operational_webhooks').where({ user_id: userId }).delete()
}
