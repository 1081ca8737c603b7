import { UserError } from '../../errors.js'
import { getApplication } from '../applications/applications.js'
import { NO_ENDPOINT_URL } from '../applications/endpoint.js'
import { findLineConnection } from '../lines/connection-requirements.js'
import type { Context } from '../context.js'
import {
  ownerOf,
  pauseEndpoint,
  resumeEndpoint,
  type PausableEndpoint,
  type Pauser,
} from '../operating/pauses.js'
import { NO_URL } from './signing-secrets.js'

/**
 * Nothing is posted to the line's outgoing webhook URL, or to one of its further endpoints, until somebody resumes it; its
 * events wait. Another URL changes nothing about it.
 *
 * @throws UserError 404, 409 without a URL
 */
export async function pauseLineEndpoint(
  context: Context,
  by: Pauser,
  userId: string,
  lineId: string,
  furtherId?: string,
): Promise<void> {
  await pauseEndpoint(context, by, await endpointOfLine(context, userId, lineId, furtherId))
}

/** @throws UserError 404, 409 without a URL, 403 when an operator has paused it, and another asks */
export async function resumeLineEndpoint(
  context: Context,
  by: Pauser,
  userId: string,
  lineId: string,
  furtherId?: string,
): Promise<void> {
  await resumeEndpoint(context, by, await endpointOfLine(context, userId, lineId, furtherId))
}

/** As for a line; only its owner may. @throws UserError 404, 409 without a webhook URL */
export async function pauseApplicationEndpoint(context: Context, userId: string, id: string): Promise<void> {
  await pauseEndpoint(context, ownerOf(userId), await endpointOfApplication(context, userId, id))
}

/** @throws UserError 404, 409 without a webhook URL */
export async function resumeApplicationEndpoint(context: Context, userId: string, id: string): Promise<void> {
  await resumeEndpoint(context, ownerOf(userId), await endpointOfApplication(context, userId, id))
}

/** The line's outgoing webhook URL, or one of its further endpoints. @throws UserError 404, 409 without a URL */
export async function endpointOfLine(
  { db }: Context,
  userId: string,
  lineId: string,
  furtherId?: string,
): Promise<PausableEndpoint & { isPaused: boolean }> {
  const connection = await findLineConnection(db, userId, lineId, { endpointId: furtherId })
  if (connection?.endpointId == null) throw new UserError(NO_URL, 409)
  const isPaused = connection.endpointPausedAt !== null
  return { id: connection.endpointId, of: 'line', ownerId: lineId, userId, isPaused, furtherId }
}

/** @throws UserError 404, 409 without a webhook URL */
export async function endpointOfApplication(
  context: Context,
  userId: string,
  id: string,
): Promise<PausableEndpoint & { isPaused: boolean }> {
  const { endpointId, endpointPausedAt } = await getApplication(context, userId, id)
  if (endpointId === null) throw new UserError(NO_ENDPOINT_URL, 409)
  const isPaused = endpointPausedAt !== null
  return { id: endpointId, of: 'application', ownerId: id, userId, isPaused }
}
