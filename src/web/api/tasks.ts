import { ALL_EVENT_TYPES } from '../../event-types.js'
import * as yup from 'yup'
import { TASK_FIELDS } from '../../database/operating/tasks.js'
import {
  countReplay,
  DEFAULT_RATE,
  MAX_COUNTED,
  MAX_RATE,
  REPLAY_OUTCOMES,
  startReplay,
  type ReplayOf,
  type ReplayRequest,
} from '../../domain/endpoints/deliveries/replay.js'
import { getEndpoint } from '../../domain/endpoints/endpoints.js'
import { listTasks } from '../../database/operating/tasks.js'
import { getTask, stopTask, type Task } from '../../domain/operating/tasks.js'
import { UserError } from '../../errors.js'
import { listField, textField } from '../input/body-fields.js'
import { answerList, pageParameters } from '../input/paging.js'
import { idParameter, momentParameter, wordParameter } from '../input/query.js'
import { applicationOf, lineOfToken } from '../middleware/authenticate.js'
import {
  answers,
  answersList,
  count,
  flag,
  givenUrl,
  nextPage,
  object,
  schemaOf,
  shownOf,
} from '../openapi/parts.js'
import { callerOf } from './endpoints.js'
import { operationsOf, type OperationCall } from './operation.js'
import { presentTask } from './presenters.js'

export const taskSchemas = { Task: object(shownOf(TASK_FIELDS)) }

const operation = operationsOf('Background tasks')
const scopes = ['messages:connect'] as const
const task = answers('The task.', schemaOf('Task'))

const replay = yup.object({
  from: momentParameter()
    .required('from must be a time such as 2026-11-21T13:00:00Z')
    .meta({ about: 'Events from this time on.' }),
  until: momentParameter().meta({ about: 'Events before this time. Defaults to now.' }),
  types: listField('types', 'event types', {
    max: ALL_EVENT_TYPES.length,
    words: ALL_EVENT_TYPES,
  }).meta({
    about: 'Only events of these types. Defaults to all types.',
  }),
  outcome: wordParameter(REPLAY_OUTCOMES).meta({
    schema: { type: 'string', enum: REPLAY_OUTCOMES, default: 'any' },
    about: '`undelivered`: events that were not delivered, including those waiting for a retry.',
  }),
  perSecond: yup
    .number()
    .strict()
    .typeError('perSecond must be a whole number')
    .meta({
      schema: { type: 'integer', minimum: 1, maximum: MAX_RATE, default: DEFAULT_RATE },
      about: 'The maximum number of events per second.',
    }),
  lineId: idParameter().meta({ about: 'Only events of this {line}. Required for an application.' }),
  url: textField('url must be a URL').meta({
    schema: givenUrl,
    about:
      'A URL that gets the events instead, such as a staging server. Each is tried three times and signed with the same secret. Existing deliveries do not change.',
  }),
})

export const taskOperations = [
  operation({
    operationId: 'replayEvents',
    at: 'post /v1/endpoints/{endpointId}/replay',
    may: 'changes lines',
    scopes,
    summary: 'Replay the events of a time range to the endpoint or another URL',
    description:
      'Oldest first, with the original `webhook-id` and the header `webhook-replay: true`. Refused while the endpoint is disabled, unless another URL is given. An application can replay only the events of one {line}, and cannot give another URL.',
    body: replay,
    answer: answers('The background task.', schemaOf('Task')),
    refusals: [409],
    act: async (call) => {
      const { whose, ...request } = await readReplay(call)
      if (request.url !== undefined && applicationOf(call.ctx) !== undefined) {
        throw new UserError('url: only users can send events to another URL. Leave it out', 403)
      }
      return presentTask(call.context, await startReplay(call.context, whose, request))
    },
  }),
  operation({
    operationId: 'previewReplay',
    at: 'post /v1/endpoints/{endpointId}/replay/preview',
    may: 'changes lines',
    scopes,
    summary: 'Count the events a replay would send',
    description: `Counted up to ${MAX_COUNTED.toLocaleString('en')}. \`isMore\` is true if there are more.`,
    body: replay,
    answer: answers('The number of events.', object({ count, isMore: flag })),
    refusals: [409],
    act: async (call) => {
      const { whose, ...request } = await readReplay(call)
      return countReplay(call.context, whose, request)
    },
  }),
  operation({
    operationId: 'listTasks',
    at: 'get /v1/tasks',
    may: 'reads lines',
    scopes,
    summary: 'List your background tasks',
    description: 'Newest first. Kept for 30 days.',
    query: yup.object(pageParameters),
    answer: answersList('A page of tasks, or all of them as CSV.', schemaOf('Task'), nextPage),
    act: async (call) => {
      const { context, ctx, userId } = call
      const visible = { lineId: lineOfToken(ctx), applicationId: applicationOf(ctx)?.id }
      await answerList(
        call,
        'tasks',
        await call.query(),
        (page) => listTasks(context.db, userId, page, visible),
        (each) => presentTask(context, each),
      )
    },
  }),
  operation({
    operationId: 'getTask',
    at: 'get /v1/tasks/{taskId}',
    may: 'reads lines',
    scopes,
    summary: 'Get a background task and its progress',
    description: 'It runs in the background until `endedAt` is set.',
    answer: task,
    act: async (call) => presentTask(call.context, await getVisible(call)),
  }),
  operation({
    operationId: 'stopTask',
    at: 'post /v1/tasks/{taskId}/stop',
    may: 'changes lines',
    scopes,
    summary: 'Stop a background task',
    description: 'Work already done is kept. Refused if the task has ended.',
    answer: task,
    refusals: [409],
    act: async (call) => {
      const { id } = await getVisible(call)
      return presentTask(call.context, await stopTask(call.context, call.userId, id))
    },
  }),
]

/** The owner is checked first, so that strangers cannot tell another user's data from data that do not exist. */
async function readReplay(
  call: OperationCall<unknown, yup.InferType<typeof replay>>,
): Promise<ReplayRequest & { whose: ReplayOf }> {
  const { context, userId, id, body } = call
  const caller = callerOf(call.ctx)
  await getEndpoint(context, caller, id)
  const { lineId, ...request } = await body()
  return { whose: { of: 'endpoint', caller, endpointId: id, userId, lineId }, ...request }
}

/** @throws UserError 404 for a task that the calling program may not see */
async function getVisible({ context, ctx, userId, id }: OperationCall): Promise<Task> {
  const found = await getTask(context, userId, id)
  const application = applicationOf(ctx)
  if (application !== undefined && found.applicationId !== application.id) {
    throw new UserError('No such task', 404)
  }
  return found
}
