import { timingSafeEqual } from 'node:crypto'
import { transaction, type Database } from '../../database/connection.js'
import {
  deleteIncomingWebhook,
  findSealedToken,
  insertIncomingWebhook,
  replaceToken,
  type OpenIncomingWebhook,
  type SealedToken,
} from '../../database/lines/incoming-webhooks.js'
import { placeOf } from '../../database/operating/sealed-columns.js'
import { UserError } from '../../errors.js'
import { newToken, sha256 } from '../../secrets.js'
import { record, type AuditDetails } from '../operating/audit.js'
import type { Action } from '../operating/audit/actions.js'
import { checkOverlap } from '../overlap.js'
import { isSentTwice } from '../seen.js'
import { requireConnection, requireEnabled } from './connection-requirements.js'
import type { Context } from '../context.js'

export interface IncomingWebhook {
  url: string
  token: string
}

/**
 * Creates the line's incoming webhook.
 *
 * @throws UserError 409 if the connection is not enabled, or there is a webhook already
 */
export async function createIncomingWebhook(
  context: Context,
  userId: string,
  lineId: string,
): Promise<IncomingWebhook> {
  const token = newToken()
  await transaction(context.db, async (trx) => {
    await requireEnabled(trx, userId, lineId, { isLocked: true })
    if (!(await insertIncomingWebhook(trx, lineId, stored(context, lineId, token)))) {
      throw new UserError('This line already has an incoming webhook. Regenerate its token or delete it', 409)
    }
    await recordFor(context, trx, 'created', { userId, lineId })
  })
  return shown(context, lineId, token)
}

/**
 * Gives the webhook a new token, which is possible even while the connection is off. The old token stops immediately,
 * or works for another `overlapSeconds`.
 *
 * @param seen when the token was last regenerated, as the caller saw it: nothing is done if that has changed since,
 *   because a form that is sent twice would end the token whose overlap was just chosen
 * @returns the webhook with the token that it has now
 * @throws UserError 400 for the seconds, 404 if there is no webhook, 409 if the token has changed after the caller's
 *   page was opened, and not by the same form, or if an overlap still runs and another one is wanted
 */
export async function regenerateToken(
  context: Context,
  userId: string,
  lineId: string,
  overlapSeconds = 0,
  seen?: Date | null,
): Promise<IncomingWebhook> {
  return transaction(context.db, async (trx) => {
    await requireConnection(trx, userId, lineId, { isLocked: true })
    // This is a separate statement: anything joined to a row that waited for its lock is as it was before the wait.
    const current = await findSealedToken(trx, userId, lineId)
    if (current === undefined) throw noWebhook()
    if (isSentTwice({ seen, last: current.regeneratedAt }, IS_REGENERATED)) {
      return opened(context, lineId, current)
    }
    checkOverlap(overlapSeconds, 'token', current.previousUntil)
    const token = newToken()
    await replaceToken(trx, lineId, stored(context, lineId, token), overlapSeconds)
    await recordFor(context, trx, 'regenerated', { userId, lineId }, { overlapSeconds })
    return shown(context, lineId, token)
  })
}

/**
 * Deletes the webhook, even while the connection is off. Its URL returns 404 from now on.
 *
 * @throws UserError 404
 */
export async function removeIncomingWebhook(context: Context, userId: string, lineId: string): Promise<void> {
  await transaction(context.db, async (trx) => {
    await requireConnection(trx, userId, lineId, { isLocked: true })
    if (!(await deleteIncomingWebhook(trx, lineId))) throw noWebhook()
    await recordFor(context, trx, 'deleted', { userId, lineId })
  })
}

/** Returns the webhook's URL with its token, for its owner; undefined if there is none. */
export async function revealIncomingWebhook(
  context: Context,
  userId: string,
  lineId: string,
): Promise<IncomingWebhook | undefined> {
  const current = await findSealedToken(context.db, userId, lineId)
  if (current === undefined) return undefined
  await recordFor(context, context.db, 'shown', { userId, lineId })
  return opened(context, lineId, current)
}

/** True if a request's token opens the webhook, by its SHA-256. Compares in constant time. */
export function isTokenOf(webhook: OpenIncomingWebhook, hash: Buffer): boolean {
  return [webhook.tokenHash, webhook.previousTokenHash].some(
    (known) => known !== null && timingSafeEqual(known, hash),
  )
}

type Done = Action extends infer Each
  ? Each extends `line.incoming_webhook.${infer Verb}`
    ? Verb
    : never
  : never

function recordFor(
  context: Context,
  trx: Database,
  done: Done,
  { userId, lineId }: { userId: string; lineId: string },
  after?: AuditDetails,
): Promise<void> {
  return record(context, trx, { action: `line.incoming_webhook.${done}`, subjectId: lineId, userId, after })
}

function stored({ secrets }: Context, lineId: string, token: string) {
  return { tokenHash: sha256(token), tokenSealed: secrets.seal(token, placeOf('webhookToken', lineId)) }
}

function shown({ config, vocabulary }: Context, lineId: string, token: string): IncomingWebhook {
  return { url: `${config.publicUrl}${vocabulary.incomingWebhookPath(lineId)}?token=${token}`, token }
}

function opened(context: Context, lineId: string, { sealed }: SealedToken): IncomingWebhook {
  return shown(context, lineId, context.secrets.open(sealed, placeOf('webhookToken', lineId)))
}

const IS_REGENERATED =
  'The token has changed since you opened this page. Check the current URL before you regenerate it again'

function noWebhook(): UserError {
  return new UserError('This line has no incoming webhook. Create one first', 404)
}
