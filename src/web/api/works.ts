import type { Context as KoaContext } from 'koa'
import * as yup from 'yup'
import { EVENT_TYPES, OPT_IN_EVENT_TYPES } from '../../database/endpoints/events.js'
import { getApplication } from '../../domain/applications/applications.js'
import type { Context } from '../../domain/context.js'
import {
  countReplay,
  REPLAY_OUTCOMES,
  startReplay,
  type ReplayOf,
} from '../../domain/endpoints/deliveries/replay.js'
import { getOwnLine } from '../../domain/lines/lines.js'
import { getWork, listWorksOf, stopWork, type Work } from '../../domain/operating/works.js'
import { UserError } from '../../errors.js'
import { readBodyFields } from '../input/body-fields.js'
import { applicationOf, lineOfToken, userOf } from '../middleware/authenticate.js'
import { answerList, pageParameters } from '../input/paging.js'
import { idParameter, momentParameter, readQuery, wordParameter } from '../input/query.js'
import { onOwn, type Operation, type OwnerRequest } from './owner-operation.js'
import { presentWork } from './presenters.js'

const TYPES = 'types must be a list of types of events'

const replay = yup.object({
  from: momentParameter().required('from must be a time such as 2026-11-21T13:00:00Z'),
  until: momentParameter(),
  types: yup
    .array()
    .strict()
    .typeError(TYPES)
    .of(
      yup
        .string()
        .strict()
        .oneOf([...EVENT_TYPES, ...OPT_IN_EVENT_TYPES], TYPES)
        .required(TYPES),
    ),
  outcome: wordParameter(REPLAY_OUTCOMES),
  perSecond: yup.number().strict().typeError('perSecond must be a whole number'),
  url: yup.string().strict().typeError('url must be a URL'),
  endpointId: idParameter().strict().typeError('endpointId must be an id (a UUID)'),
})

/** `{"from","until","types","outcome","perSecond","url","endpointId"}`; all but `from` may be left out. @throws UserError 400, 404, 409 */
const start = (of: 'line' | 'application') =>
  onOwn(of, async (context, asked) => {
    const { endpointId, ...request } = await readReplay(context, of, asked)
    if (request.url !== undefined && applicationOf(asked.ctx) !== undefined)
      throw new UserError(URL_IS_OWN, 403)
    const work = await startReplay(context, whoseOf(of, asked, endpointId), request)
    return presentWork(context.vocabulary, work)
  })

/** Says how many events it would be. */
const preview = (of: 'line' | 'application') =>
  onOwn(of, async (context, asked) => {
    const { endpointId, ...request } = await readReplay(context, of, asked)
    return countReplay(context, whoseOf(of, asked, endpointId), request)
  })

export const postLineReplay = start('line')
export const postLineReplayPreview = preview('line')
export const postApplicationReplay = start('application')
export const postApplicationReplayPreview = preview('application')

const URL_IS_OWN = 'url: only users themselves may have events sent to another URL'

/** An application that asks gets its own events of the line. @throws UserError 400 */
function whoseOf(
  of: 'line' | 'application',
  { userId, id, ctx }: OwnerRequest,
  endpointId: string | undefined,
): ReplayOf {
  const application = applicationOf(ctx)
  if (of === 'line' && application === undefined) return { of, userId, id, endpointId }
  if (endpointId !== undefined) throw new UserError('endpointId: only lines have further endpoints')
  if (application === undefined) return { of, userId, id }
  return { of: 'connected_line', userId, id, applicationId: application.id }
}

/** Whose it is comes first: what is not theirs looks to strangers like what is not there. */
async function readReplay(context: Context, of: 'line' | 'application', { userId, id, ctx }: OwnerRequest) {
  await (of === 'line' ? getOwnLine : getApplication)(context, userId, id)
  return readBodyFields(replay, ctx.request.body)
}

const parameters = yup.object(pageParameters)

export const getWorks: Operation = (context: Context) => async (ctx) => {
  const { before, limit } = await readQuery(ctx, parameters, context.vocabulary)
  await answerList(
    context,
    ctx,
    'works',
    { before, limit },
    (page) => listWorksOf(context, userOf(ctx), page, visibleOf(ctx)),
    (work) => presentWork(context.vocabulary, work),
  )
}

export const getOneWork = onOwn('work', async (context, asked) =>
  presentWork(context.vocabulary, await getVisible(context, asked)),
)

export const postWorkStop = onOwn('work', async (context, asked) => {
  const { id } = await getVisible(context, asked)
  return presentWork(context.vocabulary, await stopWork(context, asked.userId, id))
})

/** Of the line that the token is for, or of the application that asks. */
function visibleOf(ctx: KoaContext) {
  return { lineId: lineOfToken(ctx), applicationId: applicationOf(ctx)?.id }
}

/** @throws UserError 404 for one that the program which asks may not see */
async function getVisible(context: Context, { userId, id, ctx }: OwnerRequest): Promise<Work> {
  const work = await getWork(context, userId, id)
  const application = applicationOf(ctx)
  if (application !== undefined && work.applicationId !== application.id) {
    throw new UserError('no such work', 404)
  }
  return work
}
