import { transaction, type Database } from '../../../database/connection.js'
import { deleteSessionsOf, holdSession, type Session } from '../../../database/people/sessions.js'
import { hasSecondFactor } from '../../../database/people/second-factors/has-one.js'
import {
  countRecoveryCodes,
  deleteRecoveryCodes,
} from '../../../database/people/second-factors/recovery-codes.js'
import { lockUser } from '../../../database/people/users.js'
import { UserError } from '../../../errors.js'
import { record } from '../../operating/audit.js'
import type { Context } from '../../context.js'
import { requireUser } from '../users.js'
import { replaceRecoveryCodes } from './recovery-codes.js'

/** The factor that was added or removed, for the audit log. */
export interface FactorInWords {
  kind: 'authenticator app' | 'passkey'
  name?: string
}

/** The recovery codes; only with the first factor, and they are shown only once. */
export interface AddedFactor {
  recoveryCodes?: string[]
}

/**
 * Adds a second factor, which `add` writes. The user's other sessions end, because they began without it.
 *
 * @throws UserError 404 for a user who is gone; 401 if the session has ended since the request began, perhaps because it
 *   was stolen: its factor would keep the user out; the errors of `add`
 */
export function addFactor(
  context: Context,
  { userId, id: sessionId }: Session,
  factor: FactorInWords,
  add: (trx: Database) => Promise<void>,
): Promise<AddedFactor> {
  return transaction(context.db, async (trx) => {
    await requireUser(trx, userId)
    if (!(await holdSession(trx, userId, sessionId)))
      throw new UserError('Your session has ended. Sign in again', 401)
    await add(trx)
    const sessionsEnded = await deleteSessionsOf(trx, userId, sessionId)
    await record(context, trx, {
      action: 'second_factor.added',
      subjectId: userId,
      userId,
      after: { ...factor, sessionsEnded },
    })
    if ((await countRecoveryCodes(trx, userId)) > 0) return {}
    return { recoveryCodes: await replaceRecoveryCodes(trx, userId) }
  })
}

/**
 * Removes the factor that `remove` deletes; the recovery codes go with the last factor.
 *
 * @throws UserError 404 if there was nothing to delete
 */
export function removeFactor(
  context: Context,
  userId: string,
  remove: (trx: Database) => Promise<FactorInWords | undefined>,
): Promise<void> {
  return transaction(context.db, async (trx) => {
    await lockUser(trx, userId)
    const removed = await remove(trx)
    if (removed === undefined) throw new UserError('This second factor was already removed', 404)
    if (!(await hasSecondFactor(trx, userId))) await deleteRecoveryCodes(trx, userId)
    await record(context, trx, {
      action: 'second_factor.removed',
      subjectId: userId,
      userId,
      after: { ...removed },
    })
  })
}
