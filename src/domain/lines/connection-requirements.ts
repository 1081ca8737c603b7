import type { Database } from '../../database/connection.js'
import {
  findConnection,
  type ConnectionOptions,
  type DeveloperConnection,
} from '../../database/lines/developer-connections.js'
import { UserError } from '../../errors.js'
import { getOwnLine } from './lines.js'

/**
 * Returns the line's connection.
 *
 * @throws UserError 409 if it is not enabled, 404 if the user has no such line
 */
export async function requireEnabled(
  db: Database,
  userId: string,
  lineId: string,
  options?: ConnectionOptions,
): Promise<DeveloperConnection> {
  const connection = await findLineConnection(db, userId, lineId, options)
  if (connection?.enabled === true) return connection
  throw new UserError("This line's developer connection is off. Enable it first", 409)
}

/** @throws UserError 404 if there is no connection or no such line */
export async function requireConnection(
  db: Database,
  userId: string,
  lineId: string,
  options?: ConnectionOptions,
): Promise<DeveloperConnection> {
  const connection = await findLineConnection(db, userId, lineId, options)
  if (connection !== undefined) return connection
  throw new UserError('This line has no developer connection', 404)
}

/**
 * @returns undefined if the line was never connected
 * @throws UserError 404 if there is no such line
 */
export async function findLineConnection(
  db: Database,
  userId: string,
  lineId: string,
  options: ConnectionOptions = {},
): Promise<DeveloperConnection | undefined> {
  const connection = await findConnection(db, userId, lineId, options)
  if (connection === undefined) await getOwnLine({ db }, userId, lineId)
  return connection
}
