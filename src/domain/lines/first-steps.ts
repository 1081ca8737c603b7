import {
  findFirstSteps,
  isTourClosed,
  setTourClosed,
  type FirstSteps,
} from '../../database/lines/first-steps.js'
import type { OwnLine } from '../../database/lines/lines.js'
import type { Context } from '../context.js'
import { senderKindOf } from '../../kit/text/sender-kind.js'
import { getOwnLine, listOwnLines } from './lines.js'
import { canReceive } from './senders.js'

export type { FirstSteps }

/** The steps are to send a text, to receive one, and to connect a server. */
export const STEP_COUNT = 3

export function countDone({ hasSent, hasReceived, hasDelivered }: FirstSteps): number {
  return [hasSent, hasReceived, hasDelivered].filter(Boolean).length
}

/** @throws UserError 404, also for another user's line */
export async function getFirstSteps(context: Context, userId: string, lineId: string): Promise<FirstSteps> {
  const { id } = await getOwnLine(context, userId, lineId)
  return findFirstSteps(context.db, id)
}

export interface Tour {
  line: OwnLine
  steps: FirstSteps
}

/**
 * Returns the steps of the user's first active line; undefined if there is none, they are done, or the user closed
 * the tour.
 */
export async function findTour(context: Context, userId: string): Promise<Tour | undefined> {
  if (await isTourClosed(context.db, userId)) return undefined
  const line = (await listOwnLines(context, userId)).find(
    // Nobody can reply to a name, so its steps would never be done.
    ({ status, number }) => status === 'active' && canReceive(senderKindOf(number)),
  )
  if (line === undefined) return undefined
  const steps = await findFirstSteps(context.db, line.id)
  return countDone(steps) === STEP_COUNT ? undefined : { line, steps }
}

/** Closes the tour for good. */
export async function closeTour({ db }: Context, userId: string): Promise<void> {
  await setTourClosed(db, userId)
}
