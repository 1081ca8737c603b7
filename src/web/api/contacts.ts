import type { Context as KoaContext } from 'koa'
import * as yup from 'yup'
import {
  changeContact,
  listContacts,
  readContactNumber,
  saveContact,
  type Contact,
} from '../../domain/lines/contacts.js'
import type { Context } from '../../domain/context.js'
import { listOwnLines } from '../../domain/lines/lines.js'
import { UserError } from '../../errors.js'
import { actingFor } from '../actor.js'
import { readBodyFields } from '../input/body-fields.js'
import { userOf } from '../middleware/authenticate.js'
import { DEFAULT_LIMIT, linkNextPage, MAX_LIMIT } from '../input/paging.js'
import { countParameter, flagParameter, readQuery } from '../input/query.js'
import { requireContactScope, visibleLines } from './line-access.js'
import type { Operation } from './owner-operation.js'

/** A page is found by counting the contacts before it. */
export const MAX_PAGE = 10_000

const blocked = flagParameter()

const filter = yup.object({
  pageSize: countParameter(1, MAX_LIMIT).default(DEFAULT_LIMIT),
  page: countParameter(1, MAX_PAGE).default(1),
  blocked,
})

const textField = yup.string().strict().typeError('${path} must be text')
const change = yup.object({ name: textField, phoneNumber: textField, blocked })

/** Pages have numbers here, as clients of the original expect. */
export const getContacts: Operation = (context) => async (ctx) => {
  await requireContactScope(context, ctx, 'contacts:read')
  const asked = await readQuery(ctx, filter, context.vocabulary)
  const { page, pageSize } = asked
  const found = await listContacts(
    context,
    userOf(ctx),
    { isBlocked: asked.blocked },
    { offset: (page - 1) * pageSize, limit: pageSize + 1 },
  )
  if (found.length > pageSize && page < MAX_PAGE) linkNextPage(context, ctx, { page: String(page + 1) })
  ctx.body = await presentContacts(context, ctx, found.slice(0, pageSize))
}

/** A number that is a contact already is changed, so that a repeat does no harm. */
export const postContact: Operation = (context) => async (ctx) => {
  await requireContactScope(context, ctx, 'contacts:write')
  const { phoneNumber, ...fields } = await readChange(context, ctx)
  if (phoneNumber === undefined) throw new UserError('phoneNumber is a required field')
  const number = readContactNumber(phoneNumber)
  const saved = await saveContact(actingFor(ctx, context), userOf(ctx), number, fields)
  ;[ctx.body] = await presentContacts(context, ctx, [saved])
}

export const putContact: Operation = (context) => async (ctx) => {
  await requireContactScope(context, ctx, 'contacts:write')
  const fields = await readChange(context, ctx)
  if (Object.values(fields).every((value) => value === undefined)) {
    throw new UserError('give a name, a phoneNumber or blocked, in the body or in the query')
  }
  const reference = String(ctx.params.contactId)
  const changed = await changeContact(actingFor(ctx, context), userOf(ctx), reference, fields)
  ;[ctx.body] = await presentContacts(context, ctx, [changed])
}

/** Some clients of the original send the fields in the query, others in the body. If both are there, the body counts. */
async function readChange(context: Context, ctx: KoaContext) {
  const inQuery = await readQuery(ctx, change, context.vocabulary)
  const inBody = await readBodyFields(change, ctx.request.body)
  return { ...inQuery, ...inBody }
}

/** A contact counts for all lines, so it names those that whoever asks may see. */
async function presentContacts(context: Context, ctx: KoaContext, contacts: readonly Contact[]) {
  const lines = await listOwnLines(context, userOf(ctx))
  const visible = await visibleLines(context, ctx)
  const lineIds = lines.map(({ id }) => id).filter((id) => visible?.has(id) ?? true)
  return contacts.map(({ id, name, number, blockedAt, createdAt }) =>
    context.vocabulary.fields({
      id,
      name,
      phoneNumber: number,
      lineIds,
      blocked: blockedAt !== null,
      blockedAt,
      createdAt,
    }),
  )
}
