import type { Database } from '../../database/connection.js'
import {
  findConnection,
  type ConnectionOptions,
  type DeveloperConnection,
} from '../../database/lines/developer-connections.js'
import { listLinesOf } from '../../database/lines/lines.js'
import { UserError } from '../../errors.js'
import { isId } from '../../ids.js'

/**
 * The line's connection.
 *
 * @throws UserError 409 when it is not enabled, 404 when the user has no such line, or the line no such further endpoint
 */
export async function requireEnabled(
  db: Database,
  userId: string,
  lineId: string,
  options?: ConnectionOptions,
): Promise<DeveloperConnection> {
  const connection = await findLineConnection(db, userId, lineId, options)
  if (connection?.enabled === true) return connection
  throw new UserError('the developer connection of this line is not enabled: enable it first', 409)
}

/** @throws UserError 404 when there is no connection, no such line, or no such further endpoint */
export async function requireConnection(
  db: Database,
  userId: string,
  lineId: string,
  options?: ConnectionOptions,
): Promise<DeveloperConnection> {
  const connection = await findLineConnection(db, userId, lineId, options)
  if (connection !== undefined) return connection
  throw new UserError('this line has no developer connection', 404)
}

/** undefined: the line was never connected. @throws UserError 404 when there is no such line, or no such further endpoint */
export async function findLineConnection(
  db: Database,
  userId: string,
  lineId: string,
  options: ConnectionOptions = {},
): Promise<DeveloperConnection | undefined> {
  const { endpointId } = options
  const mayBeThere = endpointId === undefined || isId(endpointId)
  const connection = mayBeThere ? await findConnection(db, userId, lineId, options) : undefined
  if (connection === undefined) await requireLine(db, userId, lineId)
  if (endpointId !== undefined && connection?.endpointId == null) throw new UserError(NO_ENDPOINT, 404)
  return connection
}

export const NO_ENDPOINT = 'no such endpoint'

/** @throws UserError 404 */
export async function requireLine(db: Database, userId: string, lineId: string): Promise<void> {
  const [line] = await listLinesOf(db, userId, { id: lineId })
  if (line === undefined) throw new UserError('no such line', 404)
}
