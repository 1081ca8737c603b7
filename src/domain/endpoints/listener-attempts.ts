import { insertListenerAttempts, type ListenerAttempt } from '../../database/endpoints/listener-attempts.js'
import { newId } from '../../ids.js'
import type { Context } from '../context.js'

/**
 * Records the responses of a program that listens to a line. Events that are not the line's are left out, as are those
 * of `linehook trigger`, which are not stored.
 *
 * @param lineId the id of the user's own line
 * @returns the number recorded now
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
