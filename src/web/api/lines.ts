import * as yup from 'yup'
import { readLimits } from '../../domain/limits.js'
import { getOwnLine, listOwnLines, renameLine } from '../../domain/lines.js'
import { UserError } from '../../errors.js'
import { readFields } from '../fields.js'
import { userOf } from '../middleware/authenticate.js'
import { idParameter, numberParameter, readQuery } from '../query.js'
import { onOwn, type Operation } from './own.js'
import { presentLine } from './presenters.js'
import { visibleLines } from './visible.js'

const filter = yup.object({ id: idParameter(), phoneNumber: numberParameter(), name: yup.string() })

const renaming = yup.object({ name: yup.string().strict().typeError('name must be a string').required() })

/**
 * The user's lines, oldest first: a bare array, as clients of the original expect (contract §6). An application sees
 * those that are connected to it, or all with `lines:read`.
 */
export const getLines: Operation = (context) => async (ctx) => {
  const lines = await listOwnLines(context, userOf(ctx), await readQuery(ctx, filter, context.vocabulary))
  const visible = await visibleLines(context, ctx)
  ctx.body = lines.filter(({ id }) => visible?.has(id) ?? true).map(presentLine)
}

export const getLine = onOwn('line', async (context, { userId, id, ctx }) => {
  const visible = await visibleLines(context, ctx)
  if (visible?.has(id) === false) throw new UserError('no such line', 404)
  return presentLine(await getOwnLine(context, userId, id))
})

export const putLine = onOwn('line', async (context, { userId, id, ctx }) => {
  const { name } = await readFields(renaming, ctx.request.body)
  await renameLine(context, userId, id, name)
  return presentLine(await getOwnLine(context, userId, id))
})

export const getLimits = onOwn('line', async (context, { userId, id }) => {
  const { line, numbers } = await readLimits(context, userId, id)
  return { [context.vocabulary.word]: line, numbers }
})
