import * as yup from 'yup'
import { EVENT_TYPES, OPT_IN_EVENT_TYPES } from '../../database/events.js'
import type { Context } from '../../domain/context.js'
import { countReplay, REPLAY_OUTCOMES, startReplay, type ReplayOf } from '../../domain/deliveries/replay.js'
import { getWork, listWorksOf, stopWork } from '../../domain/works.js'
import { readBodyFields } from '../body-fields.js'
import { lineOfToken, userOf } from '../middleware/authenticate.js'
import { answerList, pageParameters } from '../paging.js'
import { momentParameter, readQuery, wordParameter } from '../query.js'
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
})

/** `{"from","until","types","outcome","perSecond","url"}`; all but `from` may be left out. @throws UserError 400, 404, 409 */
const start = (of: 'line' | 'application') =>
  onOwn(of, async (context, asked) => {
    const work = await startReplay(context, whoseOf(of, asked), await readReplay(asked))
    return presentWork(context.vocabulary, work)
  })

/** Says how many events it would be. */
const preview = (of: 'line' | 'application') =>
  onOwn(of, async (context, asked) => countReplay(context, whoseOf(of, asked), await readReplay(asked)))

export const postLineReplay = start('line')
export const postLineReplayPreview = preview('line')
export const postApplicationReplay = start('application')
export const postApplicationReplayPreview = preview('application')

function whoseOf(of: 'line' | 'application', { userId, id }: OwnerRequest): ReplayOf {
  return { of, userId, id }
}

function readReplay({ ctx }: OwnerRequest) {
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
    (page) => listWorksOf(context, userOf(ctx), page, lineOfToken(ctx)),
    (work) => presentWork(context.vocabulary, work),
  )
}

export const getOneWork = onOwn('work', async (context, { userId, id }) =>
  presentWork(context.vocabulary, await getWork(context, userId, id)),
)

export const postWorkStop = onOwn('work', async (context, { userId, id }) =>
  presentWork(context.vocabulary, await stopWork(context, userId, id)),
)
