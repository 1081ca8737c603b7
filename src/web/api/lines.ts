import type { Context as KoaContext } from 'koa'
import * as yup from 'yup'
import type { Context } from '../../domain/context.js'
import { readLimits } from '../../domain/messages/limits.js'
import { getOwnLine, listOwnLines, renameLine } from '../../domain/lines/lines.js'
import { UserError } from '../../errors.js'
import { readBodyFields } from '../input/body-fields.js'
import { userOf } from '../middleware/authenticate.js'
import { idParameter, numberParameter, readQuery } from '../input/query.js'
import { requireRenaming, requireVisible, visibleLines } from './line-access.js'
import { onOwn, type Operation } from './owner-operation.js'
import { presentLine } from './presenters.js'

const change = yup.object({ name: yup.string().strict().typeError('name must be a string') })

/**
 * The user's lines, oldest first, as a bare array, which existing clients expect. An application sees those that are
 * connected to it, or all with `lines:read`.
 */
export const getLines: Operation = (context) => {
  const filter = yup.object({
    id: idParameter(),
    lineId: idParameter().label(context.vocabulary.idField),
    phoneNumber: numberParameter(),
    name: yup.string(),
  })
  return async (ctx) => {
    const { lineId, ...wanted } = await readQuery(ctx, filter, context.vocabulary)
    const lines = await listVisible(context, ctx, wanted)
    ctx.body = lines.filter(({ id }) => lineId === undefined || id === lineId.toLowerCase())
  }
}

export const getLine = onOwn('line', async (context, { userId, id, ctx }) => {
  await requireVisible(context, ctx, id)
  return presentLine(await getOwnLine(context, userId, id))
})

/**
 * With the name in the body, answers the line. Some clients send the name in the query, and expect all lines as the answer;
 * their other fields, such as `ringer` and `color`, are ignored. If both are there, the body counts.
 */
export const putLine = onOwn('line', async (context, { userId, id, ctx }) => {
  await requireVisible(context, ctx, id)
  await requireRenaming(context, ctx)
  await getOwnLine(context, userId, id)
  const inQuery = await readQuery(ctx, change, context.vocabulary)
  const inBody = await readBodyFields(change, ctx.request.body)
  const { name } = { ...inQuery, ...inBody }
  if (name === undefined) {
    throw new UserError('give a name, in a JSON body or in the query: nothing else of it can be changed here')
  }
  await renameLine(context, userId, id, name)
  return inBody.name === undefined
    ? listVisible(context, ctx)
    : presentLine(await getOwnLine(context, userId, id))
})

async function listVisible(
  context: Context,
  ctx: KoaContext,
  filter?: { id?: string; phoneNumber?: string; name?: string },
) {
  const lines = await listOwnLines(context, userOf(ctx), filter)
  const visible = await visibleLines(context, ctx)
  return lines.filter(({ id }) => visible?.has(id) ?? true).map(presentLine)
}

export const getLimits = onOwn('line', async (context, { userId, id }) => {
  const { line, numbers, caps } = await readLimits(context, userId, id)
  const { word } = context.vocabulary
  return {
    [word]: line,
    numbers,
    caps: caps.map((cap) => ({ ...cap, of: cap.of === 'line' ? word : 'user' })),
  }
})
