import { findPeer, listOptedOut, listPaused, type Peer } from '../../../database/lines/line-peers.js'
import { UserError } from '../../../errors.js'
import { isId } from '../../../ids.js'
import type { Context } from '../../context.js'
import { getOwnLine } from '../../lines/lines.js'

/** A pause lasts ten minutes, and few numbers are programs that answer, so there are hardly ever more. */
const MAX_PAUSED = 20

/**
 * Lists the numbers that have opted out of the line, in order of the numbers. Only the person can undo an opt-out.
 *
 * @param page.after only numbers after this one
 * @throws UserError 404
 */
export async function listOptOuts(
  context: Context,
  userId: string,
  lineId: string,
  page: { after?: string; limit: number },
): Promise<{ number: string; optedOutAt: Date }[]> {
  await getOwnLine(context, userId, lineId)
  return listOptedOut(context.db, userId, lineId, page)
}

/**
 * Lists the numbers with which the line is paused now, the last one first.
 *
 * @throws UserError 404
 */
export async function listPauses(
  { db }: Context,
  userId: string,
  lineId: string,
): Promise<{ number: string; pausedUntil: Date }[]> {
  if (!isId(lineId)) throw new UserError('No such line', 404)
  return listPaused(db, userId, lineId, MAX_PAUSED)
}

/**
 * Finds what keeps a line from texting a number now, and whether the conversation is archived. A pause is returned only
 * while it lasts.
 */
export async function findPeerState(
  { db }: Context,
  userId: string,
  lineId: string,
  number: string,
): Promise<Omit<Peer, 'number'>> {
  const peer = await findPeer(db, userId, lineId, number)
  const pausedUntil = peer?.pausedUntil ?? null
  const isPaused = pausedUntil !== null && pausedUntil > new Date()
  return {
    optedOutAt: peer?.optedOutAt ?? null,
    pausedUntil: isPaused ? pausedUntil : null,
    archivedAt: peer?.archivedAt ?? null,
  }
}
