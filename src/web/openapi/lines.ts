import { orApplication } from './oauth.js'
import {
  answers,
  body,
  count,
  describe,
  e164,
  flag,
  id,
  IGNORES_UNKNOWN,
  inPath,
  inQuery,
  listOf,
  maybeMoment,
  moment,
  name,
  nextPage,
  number,
  object,
  oneOf,
  pageLimit,
  pauseFields,
  schemaOf,
  text,
  type Paths,
  type Schema,
} from './parts.js'
import { problems } from './problems.js'
import type { ProductNames } from './product-names.js'

export function lineSchemas({ line, Line }: ProductNames): Record<string, Schema> {
  const allowance = {
    limit: describe({ type: 'integer', minimum: 1 }, 'How many messages are accepted in 60 s.'),
    used: describe(count, 'How many were accepted in the last 60 s.'),
    opensMs: describe(
      count,
      'The milliseconds until one more fits. If one fits now: until the window has room for one more; 0 if it is empty.',
    ),
  }
  return {
    [Line]: object({
      id,
      name: text,
      phoneNumber: e164,
      status: describe(oneOf('active', 'disabled'), `A disabled ${line} sends and delivers nothing.`),
      isConnected: describe(flag, 'Whether its developer connection is enabled.'),
      messagesPerNumberPerMinute: describe(count, 'The limit to one number.'),
      messagesPerMinute: describe(count, 'The limit in all.'),
      ...pauseFields(`Since when what the ${line} sends is paused: messages wait.`),
      pausedCountries: describe(
        listOf(text),
        'ISO 3166 codes of countries to which messages are refused, because they rose suddenly. An operator ends it.',
      ),
      lastActivityAt: describe(maybeMoment, 'When it last sent or received.'),
    }),
    OptOut: object({ number, optedOutAt: moment }),
    Limits: object({
      [line]: object(allowance),
      numbers: describe(
        listOf(object({ number, ...allowance })),
        'The five numbers with the most messages in the last 60 s.',
      ),
      caps: describe(
        listOf(
          object({
            of: describe(oneOf(line, 'user'), `\`user\`: of all ${line}s of the user together.`),
            segmentsPerDay: describe(
              { type: 'integer', minimum: 1 },
              'How many segments are accepted on a day (UTC).',
            ),
            used: describe(count, 'How many were accepted today.'),
            isNear: describe(flag, '80 % are used, or more.'),
            resetsAt: describe(moment, 'When the next day begins.'),
          }),
        ),
        'The daily caps, if operators have set any.',
      ),
    }),
  }
}

export function linePaths(words: ProductNames): Paths {
  const { vocabulary, line, lines, Line } = words
  const security = orApplication(words, 'messages:connect', 'messages:write', 'lines:read')
  const lineId = inPath(vocabulary.idField, `The ${line}'s id.`)
  const tags = [`${Line}s`]
  return {
    [vocabulary.path('/v1/lines')]: {
      get: {
        operationId: `list${Line}s`,
        ...IGNORES_UNKNOWN,
        tags,
        summary: `List your ${lines}`,
        description: `They come oldest first. An application sees those that are connected to it, or all of them with \`${vocabulary.scope('lines:read')}\`.`,
        security,
        parameters: [
          inQuery('id', id, `Only the ${line} with this id.`),
          inQuery(vocabulary.idField, id, 'The same as `id`.'),
          inQuery('phoneNumber', text, `Only the ${line} with this number.`),
          inQuery('name', text, `Only ${lines} with exactly this name.`),
        ],
        responses: { 200: answers(`The ${lines}.`, listOf(schemaOf(Line))), ...problems(400, 401, 403) },
      },
    },
    [vocabulary.path('/v1/lines/{lineId}')]: {
      parameters: [lineId],
      get: {
        operationId: `get${Line}`,
        ...IGNORES_UNKNOWN,
        tags,
        summary: `Get a ${line}`,
        description: `An application gets only ${lines} that it can see.`,
        security,
        responses: { 200: answers(`The ${line}.`, schemaOf(Line)), ...problems(401, 403, 404) },
      },
      put: {
        operationId: `rename${Line}`,
        ...IGNORES_UNKNOWN,
        tags,
        summary: `Rename a ${line}`,
        description:
          'The name is in the body, or in the query, as clients of the original send it. If both have one, the body ' +
          'counts. Other parameters, such as `ringer`, are ignored. ' +
          `An application must be able to see the ${line}, and must have \`${vocabulary.scope('lines:write')}\`.`,
        security: orApplication(words, 'lines:write'),
        parameters: [inQuery('name', text, 'The name, instead of a body.')],
        requestBody: body(object({ name }, ['name']), { isOptional: true }),
        responses: {
          200: answers(`The ${line}, or all ${lines} if the name was in the query.`, {
            oneOf: [schemaOf(Line), listOf(schemaOf(Line))],
          }),
          ...problems(400, 401, 403, 404, 413),
        },
      },
    },
    [vocabulary.path('/v1/lines/{lineId}/pause-sending')]: {
      parameters: [lineId],
      post: {
        operationId: 'pauseSending',
        tags,
        summary: `Pause what a ${line} sends`,
        description:
          'Messages are accepted and wait; what waits too long expires, as always. What the service answers to STOP, START ' +
          `and HELP goes out, and what the ${line} receives goes on.`,
        responses: { 200: answers(`The ${line}.`, schemaOf(Line)), ...problems(400, 401, 404, 413) },
      },
    },
    [vocabulary.path('/v1/lines/{lineId}/resume-sending')]: {
      parameters: [lineId],
      post: {
        operationId: 'resumeSending',
        tags,
        summary: `Resume what a ${line} sends`,
        description:
          'What waits goes out soon, in order and within the limits. 403: an operator has paused it.',
        responses: { 200: answers(`The ${line}.`, schemaOf(Line)), ...problems(400, 401, 403, 404, 413) },
      },
    },
    [vocabulary.path('/v1/lines/{lineId}/try-messages-now')]: {
      parameters: [lineId],
      post: {
        operationId: 'tryLineMessagesNow',
        tags,
        summary: 'Try all messages now that wait until the carrier is tried again',
        description: 'Limits, pauses and earlier messages to the same numbers hold as ever.',
        responses: {
          200: answers('How many messages are tried.', object({ count })),
          ...problems(400, 401, 404, 413),
        },
      },
    },
    [vocabulary.path('/v1/lines/{lineId}/opt-outs')]: {
      parameters: [lineId],
      get: {
        operationId: 'listOptOuts',
        tags,
        summary: `List the numbers that have opted out of a ${line}`,
        description:
          'They are sorted by number. These people texted STOP and are sent nothing more. Only they can undo this, by ' +
          'texting START.',
        parameters: [
          inQuery('after', text, 'Only numbers after this one, which is the last of the page before.'),
          pageLimit,
        ],
        responses: {
          200: answers('A page of numbers.', listOf(schemaOf('OptOut')), nextPage),
          ...problems(400, 401, 404),
        },
      },
    },
    [vocabulary.path('/v1/lines/{lineId}/limits')]: {
      parameters: [lineId],
      get: {
        operationId: 'getLimits',
        tags,
        summary: "See how full the incoming webhook's windows are",
        description: 'The windows count what was accepted in the last 60 s.',
        responses: {
          200: answers('The windows now.', schemaOf('Limits')),
          ...problems(401, 404),
        },
      },
    },
  }
}
