import {
  endAuthorization,
  endAuthorizations,
  listAuthorizedApplications,
  type AuthorizedApplication,
} from '../../domain/applications/authorizations.js'
import type { Context } from '../../domain/context.js'
import { UserError } from '../../errors.js'
import { isId } from '../../ids.js'
import { userOf } from '../middleware/authenticate.js'
import { onOwn, type Operation } from './owner-operation.js'

/** Whom the user lets at their lines. */
export const getAuthorizations: Operation = (context) => async (ctx) => {
  ctx.body = await presentAll(context, userOf(ctx))
}

/** Answers those that are left. */
export const deleteAuthorizations = onOwn('application', async (context, { userId, id }) => {
  await endAuthorizations(context, userId, id)
  return presentAll(context, userId)
})

export const deleteAuthorization = onOwn('application', async (context, { userId, id, ctx }) => {
  const { lineId } = (ctx as { params?: Record<string, unknown> }).params ?? {}
  if (!isId(lineId)) throw new UserError('no such line', 404)
  await endAuthorization(context, userId, id, lineId)
  return presentAll(context, userId)
})

async function presentAll(context: Context, userId: string) {
  return (await listAuthorizedApplications(context, userId)).map((application) =>
    present(context, application),
  )
}

function present({ vocabulary }: Context, { id, name, website, ownerName, lines }: AuthorizedApplication) {
  return {
    id,
    name,
    website,
    ownerName,
    [vocabulary.connectedField]: lines.map((line) => ({
      id: line.lineId,
      name: line.lineName,
      phoneNumber: line.number,
      scopes: line.scopes.map((scope) => vocabulary.scope(scope)),
      connectedAt: line.connectedAt,
      lastSentAt: line.lastSentAt,
      lastReceivedAt: line.lastReceivedAt,
    })),
  }
}
