import { transaction, type Database } from '../../database/connection.js'
import { restartEndpointsOf, stopEndpointsOf } from '../../database/endpoints/endpoints.js'
import { listStoppedLines, restartLinesOf, stopLinesOf } from '../../database/lines/lines.js'
import { endMailsOf } from '../../database/operating/dispatches.js'
import { deleteSessionsOf } from '../../database/people/sessions.js'
import { deleteSetUpLinkOf, lockFirstOperator } from '../../database/people/set-up-links.js'
import { disableUserRow, enableUserRow, hasOperatorWithPassword } from '../../database/people/users.js'
import { UserError } from '../../errors.js'
import { isId } from '../../ids.js'
import { record } from '../operating/audit.js'
import type { Context } from '../context.js'
import { endBeforeEnabling } from '../messages/send/end-on-disabled-lines.js'
import { requireUser } from './users.js'

/** Decides whether a disabled user's lines, incoming webhooks, events and applications continue or stop. */
export type Belongings = 'goes_on' | 'stops'

/**
 * From now on, the user can do nothing, in any process: every statement that looks up a session, an API token or the
 * tokens of an authorization checks whether its user is disabled. Sessions and a set-up link end for good; tokens and
 * authorizations return when the user is enabled.
 *
 * Whatever is stopped is disabled and marked: a line sends nothing, its waiting messages fail and its webhook returns
 * 404, and endpoints hold their events.
 *
 * @throws UserError 404, 409 if the user is disabled already, is the actor, or is the last operator who can sign in
 */
export async function disableUser(context: Context, userId: string, belongings: Belongings): Promise<void> {
  const stops = belongings === 'stops'
  await transaction(context.db, async (trx) => {
    const { disabledAt, role } = await requireUser(trx, userId)
    if (disabledAt !== null) {
      throw new UserError(
        'This user is already disabled. To choose differently, enable the account first',
        409,
      )
    }
    if (userId === context.actor.userId) {
      throw new UserError('You cannot disable yourself. Ask another operator', 409)
    }
    if (role === 'operator') await requireAnotherOperator(trx, userId)
    await disableUserRow(trx, userId, { stops })
    const sessionsEnded = await deleteSessionsOf(trx, userId)
    await deleteSetUpLinkOf(trx, userId)
    await endMailsOf(trx, userId)
    const linesStopped = stops ? await stopLinesOf(trx, userId) : []
    const endpointsStopped = stops ? await stopEndpointsOf(trx, userId) : 0
    await record(context, trx, {
      action: 'user.disabled',
      subjectId: userId,
      userId,
      after: { whatTheyOwn: belongings, sessionsEnded, linesStopped, endpointsStopped },
    })
  })
}

/**
 * Restores the user: tokens and authorizations count again, and what was stopped continues. Events that were held in
 * the meantime stay held until a user sends them.
 *
 * @throws UserError 404, 409 if the user is not disabled
 */
export async function enableUser(context: Context, userId: string): Promise<void> {
  if (isId(userId)) {
    for (const lineId of await listStoppedLines(context.db, userId)) await endBeforeEnabling(context, lineId)
  }
  await transaction(context.db, async (trx) => {
    const { disabledAt } = await requireUser(trx, userId)
    if (disabledAt === null) throw new UserError('This user is not disabled', 409)
    await enableUserRow(trx, userId)
    const linesRestarted = await restartLinesOf(trx, userId)
    const endpointsRestarted = await restartEndpointsOf(trx, userId)
    await record(context, trx, {
      action: 'user.enabled',
      subjectId: userId,
      userId,
      after: { linesRestarted, endpointsRestarted },
    })
  })
}

/** Two operators who disable each other wait for each other here. */
async function requireAnotherOperator(trx: Database, userId: string): Promise<void> {
  await lockFirstOperator(trx)
  if (await hasOperatorWithPassword(trx, userId)) return
  throw new UserError('This is the last operator who can sign in. Add another one first', 409)
}
