import { transaction, type Database } from '../../../database/connection.js'
import { hasSecondFactor } from '../../../database/people/second-factors/has-one.js'
import {
  deleteRemoval,
  findRemoval,
  hasOperatorBesides,
  replaceRemoval,
  wasGivenAccess,
} from '../../../database/people/second-factors/removals.js'
import { lockUser } from '../../../database/people/users.js'
import { UserError } from '../../../errors.js'
import { newId } from '../../../ids.js'
import { record } from '../../operating/audit.js'
import type { Context } from '../../context.js'
import { notifyOfAccountChange } from '../../operating/notices/insert.js'
import { readReason } from '../private-access.js'
import { getUser, type User } from '../users.js'
import { removeAll } from './remove-all.js'

/** An operator who was given access by another this recently may be that other person. */
const NEW_DAYS = 7

const NEVER_ONE_S_OWN = 'To remove your own second factor, sign in and use Settings'
const NO_SECOND_OPERATOR =
  'No other operator can confirm this. Use `linehook user remove-second-factor` on the server'

/**
 * Requests, on behalf of an operator, the removal of the second factor of a user who has lost it. Nothing is removed
 * yet: another operator has to confirm it within a day. The user is notified, and has that long to object.
 *
 * @throws UserError 400 for the reason, 404, 409
 */
export function askForRemoval(context: Context, userId: string, reason: string): Promise<void> {
  return withUser(context, userId, async (trx, user, operatorId) => {
    if (!(await hasSecondFactor(trx, userId))) throw new UserError('This user has no second factor', 409)
    if ((await findRemoval(trx, userId)) !== undefined) {
      throw new UserError('This was already requested. Another operator needs to confirm it', 409)
    }
    if (!(await hasOperatorBesides(trx, [operatorId, userId]))) throw new UserError(NO_SECOND_OPERATOR, 409)
    await requireOwnAccess(trx, operatorId)
    const written = readReason(reason, 'how you verified that this user is asking')
    await replaceRemoval(trx, { id: newId(), userId, askedBy: operatorId, reason: written })
    const act = { action: 'second_factor.removal_asked', subjectId: userId, userId } as const
    await record(context, trx, { ...act, after: { reason: written } })
    const details = { userId, email: user.email, reason: written }
    await notifyOfAccountChange(context, trx, { kind: 'second_factor.removal_asked', user, details })
  })
}

/**
 * Withdraws the request, after which nothing happens. Any operator may do that, including the one who asked.
 *
 * @throws UserError 404, 409
 */
export function withdrawRemoval(context: Context, userId: string): Promise<void> {
  return withUser(context, userId, async (trx) => {
    const asked = await findRemoval(trx, userId)
    if (asked === undefined) throw notAsked()
    await deleteRemoval(trx, userId)
    const act = { action: 'second_factor.removal_withdrawn', subjectId: userId, userId } as const
    await record(context, trx, { ...act, after: { askedBy: asked.askedBy } })
  })
}

/**
 * Removes the factor once an operator other than the one who asked agrees.
 *
 * @param removalId the request that the operator has read: it may have been withdrawn and made again since
 * @throws UserError 404, 409
 */
export function confirmRemoval(context: Context, userId: string, removalId: string): Promise<void> {
  return withUser(context, userId, async (trx, user, operatorId) => {
    const asked = await findRemoval(trx, userId)
    if (asked === undefined || asked.id !== removalId) throw notAsked()
    if (asked.askedBy === operatorId)
      throw new UserError('You requested this, so another operator needs to confirm it', 409)
    await requireOwnAccess(trx, operatorId)
    await removeAll(context, trx, user, { askedBy: asked.askedBy, reason: asked.reason })
  })
}

/**
 * With accounts and set-up links that they made, one person could be two operators in a minute. So neither of the two may
 * have got theirs from anybody within a week.
 *
 * @throws UserError 409
 */
async function requireOwnAccess(trx: Database, operatorId: string): Promise<void> {
  if (!(await wasGivenAccess(trx, operatorId, NEW_DAYS))) return
  throw new UserError(
    `Another operator created your account or a set-up link for it in the last ${NEW_DAYS} days. ` +
      'Ask a third operator, or use `linehook user remove-second-factor` on the server',
    409,
  )
}

/** The lock makes two operators who confirm, or ask and confirm, at the same time go one after the other. */
async function withUser(
  context: Context,
  userId: string,
  doChange: (trx: Database, user: User, operatorId: string) => Promise<void>,
): Promise<void> {
  const user = await getUser(context, userId)
  const operatorId = context.actor.userId
  if (operatorId === null) throw new Error('Only a person in the console can request and confirm this')
  if (operatorId === userId) throw new UserError(NEVER_ONE_S_OWN, 409)
  await transaction(context.db, async (trx) => {
    await lockUser(trx, userId)
    await doChange(trx, user, operatorId)
  })
}

function notAsked(): UserError {
  return new UserError('This request is no longer open. Reload the page', 409)
}
