import * as yup from 'yup'
import { listOptOuts } from '../../domain/messages/opt-out/contacts.js'
import { linkNextPage, pageParameters } from '../input/paging.js'
import { readQuery } from '../input/query.js'
import { onOwn } from './owner-operation.js'

const parameters = yup.object({
  // A plus sign in a query means a space to most parsers. Not only digits: a sender may be a short code or a name.
  after: yup.string().transform((written: string) => written.replace(/^ (?=\d)/, '+')),
  limit: pageParameters.limit,
})

/** In order of the numbers: unlike an id, a number says nothing of time. */
export const getOptOuts = onOwn('line', async (context, { userId, id, ctx }) => {
  const { after, limit } = await readQuery(ctx, parameters, context.vocabulary)
  const page = { limit: limit + 1, ...(after === undefined ? {} : { after }) }
  const found = await listOptOuts(context, userId, id, page)
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  if (last !== undefined && found.length > limit) linkNextPage(context, ctx, { after: last.number })
  return rows.map(({ number, optedOutAt }) => ({ number, optedOutAt }))
})
