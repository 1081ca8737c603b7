import { getOwnLine } from '../../domain/lines/lines.js'
import { ownerOf, pauseLine, resumeLine } from '../../domain/operating/pauses.js'
import { onOwn } from './owner-operation.js'
import { presentLine } from './presenters.js'

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
