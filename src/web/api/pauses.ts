import {
  pauseApplicationEndpoint,
  pauseLineEndpoint,
  resumeApplicationEndpoint,
  resumeLineEndpoint,
} from '../../domain/endpoints/endpoint-pauses.js'
import { getApplication } from '../../domain/applications/applications.js'
import { getLineEndpoint } from '../../domain/endpoints/line-endpoints.js'
import { getOwnLine } from '../../domain/lines/lines.js'
import { ownerOf, pauseLine, resumeLine } from '../../domain/operating/pauses.js'
import { presentConnection } from './connections.js'
import type { Context } from '../../domain/context.js'
import { onOwn, type OwnerRequest } from './owner-operation.js'
import { presentApplication, presentLine, presentLineEndpoint } from './presenters.js'

// A program does what its user may do as the owner, also if that is an operator.

export const postLinePause = onOwn('line', async (context, { userId, id }) => {
  await pauseLine(context, ownerOf(userId), await getOwnLine(context, userId, id))
  return presentLine(await getOwnLine(context, userId, id))
})

/** @throws UserError 403 when an operator has paused it */
export const postLineResumption = onOwn('line', async (context, { userId, id }) => {
  await resumeLine(context, ownerOf(userId), await getOwnLine(context, userId, id))
  return presentLine(await getOwnLine(context, userId, id))
})

export const postLineEventsPause = onOwn('line', async (context, asked) => {
  const { userId, id, furtherId } = asked
  await pauseLineEndpoint(context, ownerOf(userId), userId, id, furtherId)
  return presentPaused(context, asked)
})

/** @throws UserError 403 when an operator has paused them */
export const postLineEventsResumption = onOwn('line', async (context, asked) => {
  const { userId, id, furtherId } = asked
  await resumeLineEndpoint(context, ownerOf(userId), userId, id, furtherId)
  return presentPaused(context, asked)
})

async function presentPaused(context: Context, { userId, id, furtherId }: OwnerRequest) {
  if (furtherId === undefined) return presentConnection(context, userId, id)
  return presentLineEndpoint(context.vocabulary, await getLineEndpoint(context, userId, id, furtherId))
}

export const postApplicationEventsPause = onOwn('application', async (context, { userId, id }) => {
  await pauseApplicationEndpoint(context, userId, id)
  return presentApplication(await getApplication(context, userId, id))
})

export const postApplicationEventsResumption = onOwn('application', async (context, { userId, id }) => {
  await resumeApplicationEndpoint(context, userId, id)
  return presentApplication(await getApplication(context, userId, id))
})
