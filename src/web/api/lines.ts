import type { Context as KoaContext } from 'koa'
import * as yup from 'yup'
import { SCOPES } from '../../domain/applications/application-access.js'
import type { Context } from '../../domain/context.js'
import { DECIMAL } from '../../database/messages/message.js'
import { storable } from '../../database/text.js'
import { getOwnLine, listOwnLines, renameLine } from '../../domain/lines/lines.js'
import { readLimits } from '../../domain/messages/limits.js'
import { listOptOuts } from '../../domain/messages/opt-out/peers.js'
import { tryLineMessagesNow } from '../../domain/messages/try-now.js'
import { ownerOf, pauseLine, resumeLine } from '../../domain/operating/pauses.js'
import { UserError } from '../../errors.js'
import { readBodyFields, textField } from '../input/body-fields.js'
import { linkNextPage, pageParameters } from '../input/paging.js'
import { idParameter, senderParameter } from '../input/query.js'
import { applicationOf, lineOfToken, userOf } from '../middleware/authenticate.js'
import {
  answers,
  count,
  describe,
  sender,
  senderKind,
  flag,
  id,
  listOf,
  maybe,
  maybeMoment,
  moment,
  name,
  nextPage,
  number,
  object,
  oneOf,
  pauseFields,
  schemaOf,
  text,
} from '../openapi/parts.js'
import { requireStillGranted, requireVisible, visibleLines } from './line-access.js'
import { fieldsOf, operationsOf, type OperationCall } from './operation.js'
import { presentLine } from './presenters.js'

const allowance = {
  limit: describe({ type: 'integer', minimum: 1 }, 'The number of messages accepted per 60 s.'),
  used: describe(count, 'The number of messages accepted in the last 60 s.'),
  opensMs: describe(
    count,
    'Milliseconds until one of these messages no longer counts, which makes room for another. 0 if none counts.',
  ),
}

const capOf = describe(
  oneOf('{line}', 'user'),
  '`user`: all {lines} of the user combined. Applications and API tokens of one {line} do not get these caps.',
)

export const lineSchemas = {
  '{Line}': object({
    id,
    name: text,
    phoneNumber: sender,
    senderKind,
    status: describe(oneOf('active', 'disabled'), 'A disabled {line} does not send or deliver anything.'),
    isConnected: describe(flag, 'Whether the developer connection is enabled.'),
    messagesPerNumberPerMinute: describe(count, 'The limit per external number.'),
    messagesPerMinute: describe(count, 'The overall limit.'),
    allowedCountries: describe(
      maybe(listOf(text)),
      'ISO 3166 codes of the countries that it may send to. null: all countries. Only an operator can change them.',
    ),
    ...pauseFields('When sending was paused. Messages wait.'),
    pausedCountries: describe(
      listOf(text),
      'ISO 3166 codes of countries to which messages are refused because of a sudden rise in volume. Only an operator can resume them.',
    ),
    lastActivityAt: describe(maybeMoment, 'When it last sent or received a message.'),
  }),
  OptOut: object({ number, optedOutAt: moment }),
  Limits: object({
    '{line}': object(allowance),
    numbers: describe(
      listOf(object({ number, ...allowance })),
      'The five numbers with the most messages in the last 60 s.',
    ),
    caps: describe(
      listOf(
        object({
          of: capOf,
          segmentsPerDay: describe(
            { type: 'integer', minimum: 1 },
            'The number of segments accepted per day (UTC).',
          ),
          used: describe(count, 'The number accepted today.'),
          isNear: describe(flag, 'Whether at least 80% is used.'),
          resetsAt: describe(moment, 'When the next day begins.'),
        }),
      ),
      'The daily segment caps, if operators have set any.',
    ),
    monthlyCaps: describe(
      listOf(
        object({
          of: capOf,
          amount: describe(DECIMAL.schema, 'The maximum cost of messages per month (UTC).'),
          currency: describe(text, 'ISO 4217. Only charges in this currency count.'),
          spent: describe(DECIMAL.schema, "This month's cost, as reported by carriers."),
          isNear: describe(flag, 'Whether at least 80% is spent.'),
          isUsedUp: describe(
            flag,
            'Whether the cap is reached, so that no more messages are accepted this month.',
          ),
          resetsAt: describe(moment, 'When the next month begins.'),
        }),
      ),
      'The monthly caps, if operators have set any.',
    ),
  }),
}

const operation = operationsOf('{Line}s')
const line = answers('The {line}.', schemaOf('{Line}'))

const change = yup.object({ name: textField('name must be text').meta({ schema: name }) })

export const lineOperations = [
  operation({
    operationId: 'list{Line}s',
    at: 'get /v1/lines',
    may: 'reads lines',
    scopes: SCOPES,
    summary: 'List your {lines}',
    description:
      'Oldest first. An application sees those that are connected to it, or all of them with `{lines}:read`.',
    query: yup.object({
      id: idParameter().meta({ about: 'Only the {line} with this ID.' }),
      lineId: idParameter().meta({ about: 'The same as `id`.' }),
      phoneNumber: senderParameter().meta({ about: 'Only the {line} with this number.' }),
      name: yup.string().meta({ about: 'Only {lines} with exactly this name.' }),
    }),
    ignoresUnknown: true,
    // The answer is a bare array, which existing clients expect.
    answer: answers('The {lines}.', listOf(schemaOf('{Line}'))),
    act: async ({ context, ctx, query }) => {
      const { lineId, ...wanted } = await query()
      const lines = await listVisible(context, ctx, wanted)
      return lines.filter((each) => lineId === undefined || each.id === lineId.toLowerCase())
    },
  }),
  operation({
    operationId: 'get{Line}',
    at: 'get /v1/lines/{lineId}',
    may: 'reads lines',
    scopes: SCOPES,
    summary: 'Get a {line}',
    description: 'An application can get only {lines} it can see.',
    ignoresUnknown: true,
    answer: line,
    act: async ({ context, ctx, userId, id: lineId }) => {
      await requireVisible(context, ctx, lineId)
      return presentLine(await getOwnLine(context, userId, lineId))
    },
  }),
  operation({
    operationId: 'rename{Line}',
    at: 'put /v1/lines/{lineId}',
    may: 'changes lines',
    scopes: ['lines:write'],
    summary: 'Rename a {line}',
    description:
      'The name can be in the body or, for compatibility, in the query. If both have one, the body is used. Other parameters, such as `ringer`, are ignored. ' +
      'An application must be able to see the {line} and have `{lines}:write`.',
    query: yup.object({
      name: textField('name must be text').meta({ about: 'The name, if it is not in the body.' }),
    }),
    body: change,
    ignoresUnknown: true,
    answer: answers('The {line}, or all {lines} if the name was in the query.', {
      oneOf: [schemaOf('{Line}'), listOf(schemaOf('{Line}'))],
    }),
    act: async ({ context, ctx, userId, id: lineId, query }) => {
      await requireVisible(context, ctx, lineId)
      await requireStillGranted(context, ctx, 'lines:write')
      await getOwnLine(context, userId, lineId)
      const inQuery = await query()
      const inBody = await readBodyFields(change, fieldsOf(ctx))
      const { name: given } = { ...inQuery, ...inBody }
      if (given === undefined) {
        throw new UserError('Give a name, in a JSON body or in the query. Only the name can be changed here')
      }
      await renameLine(context, userId, lineId, given)
      return inBody.name === undefined
        ? listVisible(context, ctx)
        : presentLine(await getOwnLine(context, userId, lineId))
    },
  }),
  operation({
    operationId: 'pauseSending',
    at: 'post /v1/lines/{lineId}/pause-sending',
    may: 'changes lines',
    summary: 'Pause sending on a {line}',
    description:
      "New messages are accepted but wait. Those that wait too long expire, as usual. The service's replies to STOP, START and HELP are still sent, and the {line} still receives messages.",
    answer: line,
    act: asOwner(pauseLine),
  }),
  operation({
    operationId: 'resumeSending',
    at: 'post /v1/lines/{lineId}/resume-sending',
    may: 'changes lines',
    summary: 'Resume sending on a {line}',
    description:
      'Waiting messages go out shortly, in order and within the limits. Returns 403 if an operator paused it.',
    answer: line,
    act: asOwner(resumeLine),
  }),
  operation({
    operationId: 'tryLineMessagesNow',
    at: 'post /v1/lines/{lineId}/try-messages-now',
    may: 'changes lines',
    summary: 'Retry all waiting messages now',
    description: 'Limits, pauses and the order of messages to the same number still apply.',
    answer: answers('The number of messages being retried.', object({ count })),
    act: async ({ context, userId, id: lineId }) => ({
      count: await tryLineMessagesNow(context, userId, lineId),
    }),
  }),
  operation({
    operationId: 'listOptOuts',
    at: 'get /v1/lines/{lineId}/opt-outs',
    may: 'reads lines',
    summary: 'List the numbers that have opted out of a {line}',
    description:
      'Sorted by number. These people texted STOP and get no more messages. Only they can undo this, by ' +
      'texting START.',
    query: yup.object({
      // A plus sign in a query means a space to most parsers. The value may have more than digits: a sender may be a
      // short code or a name.
      after: yup
        .string()
        .transform((written: string) => storable(written).replace(/^ (?=\d)/, '+'))
        .meta({ about: 'Only numbers after this one: the last one on the previous page.' }),
      limit: pageParameters.limit,
    }),
    answer: answers('A page of numbers.', listOf(schemaOf('OptOut')), nextPage),
    act: async ({ context, ctx, userId, id: lineId, query }) => {
      const { after, limit } = await query()
      const page = { limit: limit + 1, ...(after === undefined ? {} : { after }) }
      const found = await listOptOuts(context, userId, lineId, page)
      const rows = found.slice(0, limit)
      const last = rows.at(-1)
      if (last !== undefined && found.length > limit) linkNextPage(context, ctx, { after: last.number })
      return rows.map(({ number: theirs, optedOutAt }) => ({ number: theirs, optedOutAt }))
    },
  }),
  operation({
    operationId: 'getLimits',
    at: 'get /v1/lines/{lineId}/limits',
    may: 'reads lines',
    summary: "Get the usage of the incoming webhook's rate limits",
    description: 'Counts the messages accepted in the last 60 s.',
    answer: answers('The current usage.', schemaOf('Limits')),
    act: async ({ context, ctx, userId, id: lineId }) => {
      const { line: ofLine, numbers, caps, monthlyCaps } = await readLimits(context, userId, lineId)
      const { word } = context.vocabulary
      // How much of a user's cap is used reveals something about the user's other lines.
      const seesAll = lineOfToken(ctx) === undefined && applicationOf(ctx) === undefined
      const present = <Cap extends { of: 'line' | 'user' }>(all: readonly Cap[]) =>
        all
          .filter(({ of }) => seesAll || of === 'line')
          .map((cap) => ({ ...cap, of: cap.of === 'line' ? word : 'user' }))
      return { [word]: ofLine, numbers, caps: present(caps), monthlyCaps: present(monthlyCaps) }
    },
  }),
]

/** A program acts as its user, the owner, even if that is an operator. */
function asOwner(act: typeof pauseLine) {
  return async ({ context, userId, id: lineId }: OperationCall) => {
    await act(context, ownerOf(userId), await getOwnLine(context, userId, lineId))
    return presentLine(await getOwnLine(context, userId, lineId))
  }
}

async function listVisible(
  context: Context,
  ctx: KoaContext,
  filter?: { id?: string; phoneNumber?: string; name?: string },
) {
  const lines = await listOwnLines(context, userOf(ctx), filter)
  const visible = await visibleLines(context, ctx)
  return lines.filter((each) => visible?.has(each.id) ?? true).map(presentLine)
}
