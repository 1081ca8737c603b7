import type { Context as KoaContext } from 'koa'
import * as yup from 'yup'
import { listContactsOf } from '../../database/lines/contacts.js'
import type { Context } from '../../domain/context.js'
import { changeContact, readContactNumber, saveContact, type Contact } from '../../domain/lines/contacts.js'
import { listOwnLines } from '../../domain/lines/lines.js'
import { MAX_NUMBER_LENGTH } from '../../domain/messages/phone-number.js'
import { MAX_NAME_LENGTH } from '../../domain/names.js'
import { UserError } from '../../errors.js'
import { textField } from '../input/body-fields.js'
import { DEFAULT_LIMIT, linkNextPage, MAX_LIMIT } from '../input/paging.js'
import { countParameter, flagParameter } from '../input/query.js'
import { userOf } from '../middleware/authenticate.js'
import {
  answers,
  describe,
  flag,
  id,
  listOf,
  maybeMoment,
  maybeText,
  moment,
  nextPage,
  number,
  object,
  schemaOf,
} from '../openapi/parts.js'
import { requireStillGranted, visibleLines } from './line-access.js'
import { operationsOf, type OperationCall } from './operation.js'

export const contactSchemas = {
  Contact: object({
    id,
    name: maybeText,
    phoneNumber: describe(number, 'In E.164 format, or the short code or name of a sender.'),
    lineIds: describe(
      listOf(id),
      'A contact applies to all {lines} of the user. These are the ones you can see.',
    ),
    blocked: describe(flag, 'Messages from a blocked number are stored but create no events.'),
    blockedAt: maybeMoment,
    createdAt: moment,
  }),
}

/** A page is found by counting the contacts before it. */
const MAX_PAGE = 10_000

const operation = operationsOf('Contacts')
const contact = answers('The contact.', schemaOf('Contact'))

const given =
  'Fields can be in the body (JSON or a form) or, for compatibility, in the query. The body ' +
  'takes precedence. Other fields are ignored. A contact applies to all {lines}, regardless of `{line}Ids`.'

const inQuery = yup.object({
  name: textField().meta({ about: 'The name, if it is not in the body.' }),
  phoneNumber: textField().meta({ about: 'The number, if it is not in the body.' }),
  blocked: flagParameter().meta({ about: 'Whether it is blocked, if that is not in the body.' }),
})

const inBody = yup.object({
  name: textField().meta({
    schema: { type: 'string', maxLength: MAX_NAME_LENGTH },
    about: 'Your name for the number. An empty name removes it.',
  }),
  phoneNumber: textField().meta({
    schema: { type: 'string', minLength: 1, maxLength: MAX_NUMBER_LENGTH },
    about: 'E.164 is preferred. Can also be the short code or name of a sender.',
  }),
  blocked: flagParameter().meta({ about: 'If true, messages from the number create no events.' }),
})

type Fields = yup.InferType<typeof inQuery>

export const contactOperations = [
  operation({
    operationId: 'listContacts',
    at: 'get /v1/contacts',
    may: 'reads account',
    scopes: ['contacts:read'],
    summary: 'List your contacts',
    description: 'Oldest first.',
    // Pages have numbers here, as clients of the original expect.
    query: yup.object({
      blocked: flagParameter().meta({ about: 'Only blocked or only unblocked contacts.' }),
      pageSize: countParameter(MAX_LIMIT)
        .default(DEFAULT_LIMIT)
        .meta({ about: 'The maximum number of entries per page.' }),
      page: countParameter(MAX_PAGE).default(1).meta({ about: 'The page number.' }),
    }),
    ignoresUnknown: true,
    answer: answers('A page of contacts.', listOf(schemaOf('Contact')), nextPage),
    act: async ({ context, ctx, userId, query }) => {
      await requireStillGranted(context, ctx, 'contacts:read')
      const { page, pageSize, blocked } = await query()
      const found = await listContactsOf(
        context.db,
        userId,
        { isBlocked: blocked },
        { offset: (page - 1) * pageSize, limit: pageSize + 1 },
      )
      if (found.length > pageSize && page < MAX_PAGE) {
        linkNextPage(context, ctx, { page: String(page + 1) })
      }
      return presentContacts(context, ctx, found.slice(0, pageSize))
    },
  }),
  operation({
    operationId: 'saveContact',
    at: 'post /v1/contacts',
    may: 'changes account',
    scopes: ['contacts:write'],
    summary: 'Name or block a number',
    description: `If the number is already a contact, that contact is updated. ${given}`,
    query: inQuery,
    body: inBody,
    takesForm: true,
    ignoresUnknown: true,
    answer: contact,
    act: async (call) => {
      const { context, ctx, userId } = call
      await requireStillGranted(context, ctx, 'contacts:write')
      const { phoneNumber, ...fields } = await readFields(call)
      if (phoneNumber === undefined) throw new UserError('phoneNumber is a required field')
      const saved = await saveContact(context, userId, readContactNumber(phoneNumber), fields)
      return (await presentContacts(context, ctx, [saved]))[0]
    },
  }),
  operation({
    operationId: 'changeContact',
    at: 'put /v1/contacts/{contactId}',
    may: 'changes account',
    scopes: ['contacts:write'],
    summary: 'Change a contact',
    description: `Omitted fields stay unchanged. Returns 409 if another contact has the number. ${given}`,
    query: inQuery,
    body: inBody,
    takesForm: true,
    ignoresUnknown: true,
    answer: contact,
    refusals: [409],
    act: async (call) => {
      const { context, ctx, userId } = call
      await requireStillGranted(context, ctx, 'contacts:write')
      const fields = await readFields(call)
      if (Object.keys(fields).length === 0) {
        throw new UserError('Give name, phoneNumber or blocked, in the body or in the query')
      }
      const changed = await changeContact(context, userId, call.id, fields)
      return (await presentContacts(context, ctx, [changed]))[0]
    },
  }),
]

/** Some clients of the original send the fields in the query, others in the body. If both are there, the body counts. */
async function readFields({ query, body }: OperationCall<Fields, Fields>): Promise<Fields> {
  return { ...(await query()), ...(await body()) }
}

/** A contact counts for all lines, so the answer names those that the caller may see. */
async function presentContacts(context: Context, ctx: KoaContext, contacts: readonly Contact[]) {
  const lines = await listOwnLines(context, userOf(ctx))
  const visible = await visibleLines(context, ctx)
  const lineIds = lines.map((each) => each.id).filter((each) => visible?.has(each) ?? true)
  return contacts.map(({ id: contactId, name, number: theirs, blockedAt, createdAt }) =>
    context.vocabulary.fields({
      id: contactId,
      name,
      phoneNumber: theirs,
      lineIds,
      blocked: blockedAt !== null,
      blockedAt,
      createdAt,
    }),
  )
}
