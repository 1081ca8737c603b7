import { ALL_EVENT_TYPES } from '../../event-types.js'
import type { Context as KoaContext } from 'koa'
import * as yup from 'yup'
import type { Context } from '../../domain/context.js'
import {
  countReplay,
  REPLAY_OUTCOMES,
  startReplay,
  type ReplayOf,
  type ReplayRequest,
} from '../../domain/endpoints/deliveries/replay.js'
import { getTask, listTasksOf, stopTask, type Task } from '../../domain/operating/tasks.js'
import { getEndpoint } from '../../domain/endpoints/endpoints.js'
import { UserError } from '../../errors.js'
import { readBodyFields } from '../input/body-fields.js'
import { applicationOf, lineOfToken, userOf } from '../middleware/authenticate.js'
import { answerList, pageParameters } from '../input/paging.js'
import { idParameter, momentParameter, readQuery, wordParameter } from '../input/query.js'
import { onEndpoint, type EndpointRequest } from './endpoints.js'
import { onOwn, type Operation, type OwnerRequest } from './owner-operation.js'
import { presentTask } from './presenters.js'

const TYPES = 'types must be a list of types of events'

const replay = yup.object({
  from: momentParameter().required('from must be a time such as 2026-11-21T13:00:00Z'),
  until: momentParameter(),
  types: yup
    .array()
    .strict()
    .typeError(TYPES)
    .of(yup.string().strict().oneOf(ALL_EVENT_TYPES, TYPES).required(TYPES)),
  outcome: wordParameter(REPLAY_OUTCOMES),
  perSecond: yup.number().strict().typeError('perSecond must be a whole number'),
  url: yup.string().strict().typeError('url must be a URL'),
})

/** `{"from","until","types","outcome","perSecond","url"}`; all but `from` may be left out. @throws UserError 400, 404, 409 */
export const postReplay = onEndpoint(async (context, asked) => {
  const { whose, ...request } = await readReplay(context, asked)
  if (request.url !== undefined && applicationOf(asked.ctx) !== undefined)
    throw new UserError(URL_IS_OWN, 403)
  return presentTask(context.vocabulary, await startReplay(context, whose, request))
})

/** Says how many events it would be. */
export const postReplayPreview = onEndpoint(async (context, asked) => {
  const { whose, ...request } = await readReplay(context, asked)
  return countReplay(context, whose, request)
})

const URL_IS_OWN = 'url: only users themselves may have events sent to another URL'

/** Whose it is comes first: what is not theirs looks to strangers like what is not there. */
async function readReplay(
  context: Context,
  { asker, id, ctx }: EndpointRequest,
): Promise<ReplayRequest & { whose: ReplayOf }> {
  await getEndpoint(context, asker, id)
  const { idField } = context.vocabulary
  const fields = replay.concat(yup.object({ [idField]: idParameter() }) as yup.ObjectSchema<object>)
  const given = await readBodyFields(fields, ctx.request.body)
  const lineId = (given as Record<string, unknown>)[idField] as string | undefined
  const { from, until, types, outcome, perSecond, url } = given
  const whose = { of: 'endpoint' as const, asker, endpointId: id, userId: userOf(ctx), lineId }
  return { whose, from, until, types, outcome, perSecond, url }
}

const parameters = yup.object(pageParameters)

export const getTasks: Operation = (context: Context) => async (ctx) => {
  const { before, limit } = await readQuery(ctx, parameters, context.vocabulary)
  await answerList(
    context,
    ctx,
    'tasks',
    { before, limit },
    (page) => listTasksOf(context, userOf(ctx), page, visibleOf(ctx)),
    (task) => presentTask(context.vocabulary, task),
  )
}

export const getOneTask = onOwn('task', async (context, asked) =>
  presentTask(context.vocabulary, await getVisible(context, asked)),
)

export const postTaskStop = onOwn('task', async (context, asked) => {
  const { id } = await getVisible(context, asked)
  return presentTask(context.vocabulary, await stopTask(context, asked.userId, id))
})

/** Of the line that the token is for, or of the application that asks. */
function visibleOf(ctx: KoaContext) {
  return { lineId: lineOfToken(ctx), applicationId: applicationOf(ctx)?.id }
}

/** @throws UserError 404 for one that the program which asks may not see */
async function getVisible(context: Context, { userId, id, ctx }: OwnerRequest): Promise<Task> {
  const task = await getTask(context, userId, id)
  const application = applicationOf(ctx)
  if (application !== undefined && task.applicationId !== application.id) {
    throw new UserError('no such task', 404)
  }
  return task
}
