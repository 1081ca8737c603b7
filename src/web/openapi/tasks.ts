import { ALL_EVENT_TYPES } from '../../event-types.js'
import { TASK_FIELDS } from '../../database/operating/tasks.js'
import {
  DEFAULT_RATE,
  MAX_COUNTED,
  MAX_RATE,
  REPLAY_OUTCOMES,
} from '../../domain/endpoints/deliveries/replay.js'
import { orApplication } from './oauth.js'
import {
  answers,
  answersList,
  body,
  closed,
  count,
  describe,
  flag,
  givenUrl,
  inPath,
  inQuery,
  id,
  listOf,
  moment,
  nextPage,
  object,
  oneOf,
  pageLimit,
  schemaOf,
  shownOf,
  type PathItem,
  type Paths,
  type Schema,
} from './parts.js'
import { problems } from './problems.js'
import type { ProductNames } from './product-names.js'

export function taskSchemas(words: ProductNames): Record<string, Schema> {
  return {
    Task: object(shownOf(TASK_FIELDS, words)),
    Replay: closed(
      object(
        {
          from: describe(moment, 'Events from this moment or later.'),
          until: describe(moment, 'Events from before this moment; now when left out.'),
          types: describe(
            listOf(oneOf(...ALL_EVENT_TYPES)),
            'Only events of these types; of every type when left out.',
          ),
          outcome: describe(
            { ...oneOf(...REPLAY_OUTCOMES), default: 'any' },
            '`undelivered`: those that it did not get, and those that wait for another attempt after one that failed.',
          ),
          perSecond: {
            type: 'integer',
            minimum: 1,
            maximum: MAX_RATE,
            default: DEFAULT_RATE,
            description: 'How many events a second at most.',
          },
          [words.vocabulary.idField]: describe(
            id,
            `Only events of this ${words.line}; an application must give it.`,
          ),
          url: describe(
            givenUrl,
            'A URL that gets the events instead, such as a staging server. Each is tried three times and signed with the same secret; deliveries stay as they are.',
          ),
        },
        ['until', 'types', 'outcome', 'perSecond', 'url', words.vocabulary.idField],
      ),
    ),
  }
}

export function taskPaths(words: ProductNames): Paths {
  const tags = ['Background tasks']
  const security = orApplication(words, 'messages:connect')
  const parameters = [inPath('taskId', "The task's id.")]
  const answer = answers('The task.', schemaOf('Task'))
  return {
    ...replayPaths(words),
    '/v1/tasks': {
      get: {
        operationId: 'listTasks',
        tags,
        security,
        summary: 'List your background tasks',
        description: 'They come newest first, and are kept for 30 days.',
        parameters: [inQuery('before', id, 'Only what is older than this one.'), pageLimit],
        responses: {
          200: answersList('A page of tasks; as CSV all of them.', schemaOf('Task'), nextPage),
          ...problems(400, 401),
        },
      },
    },
    '/v1/tasks/{taskId}': {
      parameters,
      get: {
        operationId: 'getTask',
        tags,
        security,
        summary: 'Get a background task, and how far it is',
        description: 'It goes on by itself until `endedAt` says that it is over.',
        responses: { 200: answer, ...problems(401, 404) },
      },
    },
    '/v1/tasks/{taskId}/stop': {
      parameters,
      post: {
        operationId: 'stopTask',
        tags,
        security,
        summary: 'Stop a background task',
        description: 'What is done stays done. This is refused when it is over.',
        responses: { 200: answer, ...problems(400, 401, 404, 409, 413) },
      },
    },
  }
}

function replayPaths(words: ProductNames): Record<string, PathItem> {
  const path = '/v1/endpoints/{endpointId}/replay'
  const parameters = [inPath('endpointId', "The endpoint's id.")]
  const security = orApplication(words, 'messages:connect')
  const tags = ['Background tasks']
  const requestBody = body(schemaOf('Replay'))
  return {
    [path]: {
      parameters,
      post: {
        operationId: 'replayEvents',
        tags,
        security,
        summary: 'Send the events of a span of time again, to the endpoint or to another URL',
        description: `The oldest go first, with their \`webhook-id\` and the header \`webhook-replay: true\`. This is refused while the endpoint is disabled, unless another URL is given. An application replays what it got from one ${words.line}, and gives no other URL.`,
        requestBody,
        responses: {
          200: answers('The background task.', schemaOf('Task')),
          ...problems(400, 401, 404, 409, 413),
        },
      },
    },
    [`${path}/preview`]: {
      parameters,
      post: {
        operationId: 'previewReplay',
        tags,
        security,
        summary: 'See how many events a replay would send',
        description: `They are counted up to ${MAX_COUNTED.toLocaleString('en')}; \`isMore\`: there are more.`,
        requestBody,
        responses: {
          200: answers('How many.', object({ count, isMore: flag })),
          ...problems(400, 401, 404, 409, 413),
        },
      },
    },
  }
}
