import { insertListenerAttempts, type ListenerAttempt } from '../../database/endpoints/listener-attempts.js'
import { newId } from '../../ids.js'
import type { Context } from '../context.js'

/**
 * Notes what a program that listens to a line answered to its events. Events that are not the line's are left out, as are
 * those of `linehook trigger`, which are not kept.
 *
 * @param lineId of the user's own line
 * @returns how many were noted now
 */
export async function recordListenerAttempts(
  { db }: Context,
  lineId: string,
  attempts: readonly ListenerAttempt[],
): Promise<number> {
  return insertListenerAttempts(
    db,
    lineId,
    attempts.map((attempt) => ({ ...attempt, id: newId() })),
  )
}
