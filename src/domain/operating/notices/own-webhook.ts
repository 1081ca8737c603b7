import { transaction } from '../../../database/connection.js'
import {
  deleteOperationalWebhook,
  findOperationalWebhook,
  replaceOperationalSecret,
  saveOperationalWebhook,
} from '../../../database/operating/operational-webhooks.js'
import { UserError } from '../../../errors.js'
import { newSigningSecret } from '../../../secrets.js'
import { maskUrl, record } from '../audit.js'
import type { Context } from '../../context.js'
import type { NoticeTarget } from './operational-webhook.js'

/** Where notices about what is the user's own are posted, and with what they are signed; undefined: nowhere. */
export async function findOwnWebhook(
  { db, secrets }: Pick<Context, 'db' | 'secrets'>,
  userId: string,
): Promise<NoticeTarget | undefined> {
  const row = await findOperationalWebhook(db, userId)
  return row && { url: row.url, secret: secrets.open(row.secretSealed, ownWebhookPlace(userId)) }
}

/**
 * Another URL keeps the secret.
 *
 * @param url undefined: nothing is posted any more, and the secret is gone
 * @returns the secret, when it was made just now
 * @throws UserError 400 naming `url`
 */
export async function setOwnWebhook(
  context: Context,
  userId: string,
  url: string | undefined,
): Promise<string | undefined> {
  const fault = url === undefined ? undefined : await context.safeFetch.explainUrl(url)
  if (fault !== undefined) throw new UserError(`url: ${fault}`)
  return transaction(context.db, async (trx) => {
    const before = await findOperationalWebhook(trx, userId)
    const fresh = newSecret(context, userId)
    if (url === undefined) await deleteOperationalWebhook(trx, userId)
    else await saveOperationalWebhook(trx, userId, { url, secretSealed: fresh.sealed })
    await record(context, trx, {
      action: 'operational_webhook.changed',
      subjectId: userId,
      userId,
      before: { url: maskUrl(before?.url ?? null) },
      after: { url: maskUrl(url ?? null) },
    })
    return url !== undefined && before === undefined ? fresh.secret : undefined
  })
}

/** The secret of before signs nothing any more. @returns the new one @throws UserError 409 when there is no URL */
export async function rotateOwnWebhookSecret(context: Context, userId: string): Promise<string> {
  return transaction(context.db, async (trx) => {
    const { secret, sealed } = newSecret(context, userId)
    if (!(await replaceOperationalSecret(trx, userId, sealed))) {
      throw new UserError('there is no operational webhook: set its URL first', 409)
    }
    await record(context, trx, { action: 'operational_webhook.secret_rotated', subjectId: userId, userId })
    return secret
  })
}

function newSecret({ secrets }: Pick<Context, 'secrets'>, userId: string) {
  const secret = newSigningSecret()
  return { secret, sealed: secrets.seal(secret, ownWebhookPlace(userId)) }
}

export function ownWebhookPlace(userId: string): string {
  return `operational_webhooks.secret:${userId}`
}
