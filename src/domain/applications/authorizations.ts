import { lockApplication } from '../../database/applications/applications.js'
import {
  deleteAuthorizations,
  listAuthorizations,
  listAuthorizedLines,
  lockActiveLines,
  upsertAuthorizations,
  type Authorization,
} from '../../database/applications/authorizations.js'
import { transaction, type Database } from '../../database/connection.js'
import { findLineNumbers } from '../../database/lines/lines.js'
import type { NewDelivery } from '../../database/endpoints/deliveries/creating.js'
import { endOAuthGrantsOf } from '../../database/applications/oauth-records.js'
import { UserError } from '../../errors.js'
import { isId } from '../../ids.js'
import type { Scope } from './application-access.js'
import { insertDisconnections } from './ending.js'
import { endDeliveriesOf } from '../endpoints/deliveries/end-waiting.js'
import { record } from '../operating/audit.js'
import type { Context } from '../context.js'

/**
 * The user lets an application use these of their active lines and no others: this choice replaces the previous one. A
 * disabled line could not be chosen, so it stays as it is. With `isAdded`, all other lines of the previous choice also
 * stay as they are, with their scopes.
 *
 * @throws UserError 400 without a line, 404 for an application that is gone and for a line that is not the user's,
 *   or not active
 */
export async function authorizeLines(
  context: Context,
  choice: {
    applicationId: string
    userId: string
    lineIds: readonly string[]
    scopes: readonly Scope[]
    isAdded?: boolean
  },
): Promise<void> {
  const { applicationId, userId, scopes, isAdded = false } = choice
  const lineIds = [...new Set(choice.lineIds)]
  if (lineIds.length === 0) throw new UserError('lineIds must contain at least one line')
  if (!lineIds.every(isId)) throw new UserError(NO_LINE, 404)
  const { removed, deliveries } = await transaction(context.db, async (trx) => {
    if (!(await lockApplication(trx, applicationId))) throw new UserError('No such application', 404)
    const active = await lockActiveLines(trx, userId, lineIds)
    if (active.length !== lineIds.length) throw new UserError(NO_LINE, 404)
    await upsertAuthorizations(trx, { applicationId, userId, lineIds, scopes })
    const removed = isAdded
      ? []
      : await deleteAuthorizations(trx, { applicationId, userId, except: lineIds, isOfActive: true })
    const deliveries = await insertDisconnections(trx, { applicationId, userId, lineIds: removed })
    const lines = await numbersOf(trx, lineIds)
    const after = { lines, scopes, linesNoMore: await numbersOf(trx, removed) }
    await record(context, trx, {
      action: 'authorization.granted',
      subjectId: applicationId,
      userId,
      after,
    })
    return { removed, deliveries }
  })
  await finishEnding(context, [{ applicationId, lineIds: removed, deliveries }])
}

/** Records that the user was asked and declined. */
export async function refuseAuthorization(
  context: Context,
  { applicationId, userId }: { applicationId: string; userId: string },
): Promise<void> {
  await record(context, context.db, { action: 'authorization.refused', subjectId: applicationId, userId })
}

export interface AuthorizedApplication {
  id: string
  name: string
  website: string | null
  /** The name of the user who registered it. */
  ownerName: string
  /** The lines, oldest first. */
  lines: Authorization[]
}

/**
 * Lists the applications that may use the user's lines (or one line), with their scopes and the time of their last
 * use.
 */
export async function listAuthorizedApplications(
  { db }: Context,
  userId: string,
  lineId?: string,
): Promise<AuthorizedApplication[]> {
  const applications = new Map<string, AuthorizedApplication>()
  for (const each of await listAuthorizations(db, userId, lineId)) {
    const known = applications.get(each.applicationId)
    if (known !== undefined) known.lines.push(each)
    else {
      applications.set(each.applicationId, {
        id: each.applicationId,
        name: each.applicationName,
        website: each.applicationWebsite,
        ownerName: each.ownerName,
        lines: [each],
      })
    }
  }
  return [...applications.values()]
}

/**
 * Disconnects the application from one of the user's lines, or from all of them, immediately. With its last line the
 * application also loses its tokens, because they are of no use any more.
 *
 * @throws UserError 404 if the line is not the user's, or not connected to it, or if no line is
 */
export async function endAuthorizations(
  context: Context,
  userId: string,
  applicationId: string,
  lineId?: string,
): Promise<void> {
  const which = { userId, applicationId, lineId }
  const { removed, rest, deliveries } = await transaction(context.db, async (trx) => {
    // This is the same lock as in `authorizeLines`: one of them finishes before the other begins.
    const removed = (await lockApplication(trx, applicationId)) ? await deleteAuthorizations(trx, which) : []
    const rest = await listAuthorizedLines(trx, applicationId, userId)
    if (rest.length === 0) await endOAuthGrantsOf(trx, applicationId, userId)
    const deliveries = await insertDisconnections(trx, { applicationId, userId, lineIds: removed })
    if (removed.length > 0) {
      await record(context, trx, {
        action: 'authorization.ended',
        subjectId: applicationId,
        userId,
        after: { linesNoMore: await numbersOf(trx, removed) },
      })
    }
    return { removed, rest, deliveries }
  })
  if (removed.length === 0) {
    throw new UserError(rest.length === 0 ? 'No such application' : 'No such line', 404)
  }
  await finishEnding(context, [{ applicationId, lineIds: removed, deliveries }])
}

/** The result of a transaction, for `finishEnding`. */
export interface EndedAuthorizations {
  applicationId: string
  lineIds: string[]
  deliveries: NewDelivery[]
}

/**
 * Disconnects all of the user's lines from every application, in the order in which every caller locks several
 * applications. The caller has to end their tokens.
 */
export async function endAllAuthorizations(trx: Database, userId: string): Promise<EndedAuthorizations[]> {
  const ended: EndedAuthorizations[] = []
  const authorizations = await listAuthorizations(trx, userId)
  for (const applicationId of [...new Set(authorizations.map((each) => each.applicationId))].sort()) {
    if (!(await lockApplication(trx, applicationId))) continue
    const lineIds = await deleteAuthorizations(trx, { applicationId, userId })
    const deliveries = await insertDisconnections(trx, { applicationId, userId, lineIds })
    ended.push({ applicationId, lineIds, deliveries })
  }
  return ended
}

/** Informs the applications, and gives up their waiting deliveries. Called after the transaction. */
export async function finishEnding(context: Context, ended: readonly EndedAuthorizations[]): Promise<void> {
  void context.queues.enqueueDeliveries(ended.flatMap(({ deliveries }) => deliveries))
  const lines = ended.flatMap(({ applicationId, lineIds }) =>
    lineIds.map((lineId) => ({ applicationId, lineId })),
  )
  await endDeliveriesOf(context, lines)
}

async function numbersOf(trx: Database, lineIds: readonly string[]): Promise<string[]> {
  return (await findLineNumbers(trx, lineIds)).map(({ number }) => number)
}

const NO_LINE = 'lineIds must be active lines of your own'
