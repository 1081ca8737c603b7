import type { Database } from '../../database/connection.js'
import { listEndpoints, type Endpoint, type EndpointFilter } from '../../database/endpoints/endpoints.js'
import { UserError } from '../../errors.js'
import { isId } from '../../ids.js'
import type { AuditDetails } from '../../database/operating/audit-log.js'
import { requireEnabled } from '../lines/connection-requirements.js'
import type { Act } from '../operating/audit.js'
import type { Action } from '../operating/audit/actions.js'

export type { Endpoint } from '../../database/endpoints/endpoints.js'

/**
 * Who asks for an endpoint. A user may use those of their lines and applications (with an API token for one line, those
 * of that line), an application its own, by an access token of the user who authorized it, and an operator all.
 */
export type EndpointCaller =
  | { userId: string; lineId?: string | undefined }
  | { applicationId: string }
  | { isOperator: true }

/** @throws UserError 404, also if it is not the caller's */
export async function getEndpoint(
  { db }: { db: Database },
  caller: EndpointCaller,
  id: string,
  options?: { isLocked: boolean },
): Promise<Endpoint> {
  const [endpoint] = isId(id)
    ? await listEndpoints(db, { ...endpointsOf(caller), id: id.toLowerCase() }, options)
    : []
  if (endpoint === undefined) throw new UserError('No such endpoint', 404)
  return endpoint
}

export function endpointsOf(caller: EndpointCaller): EndpointFilter {
  if ('isOperator' in caller) return {}
  if ('applicationId' in caller) return { applicationId: caller.applicationId }
  return { userId: caller.userId, lineId: caller.lineId }
}

/**
 * Refuses actions that would only lead to held events.
 *
 * @throws UserError 409 if the developer connection of the endpoint's line is off, or the endpoint is disabled
 */
export async function requireTaking(
  { db }: { db: Database },
  { userId, lineId, disabledAt }: Pick<Endpoint, 'userId' | 'lineId' | 'disabledAt'>,
): Promise<void> {
  if (lineId !== null) await requireEnabled(db, userId, lineId)
  if (disabledAt !== null) throw new UserError('The endpoint is disabled. Enable it first', 409)
}

/** True if it is an operational webhook: it belongs to its user's account, and not to a line or an application. */
export function isOperational({
  lineId,
  applicationId,
}: Pick<Endpoint, 'lineId' | 'applicationId'>): boolean {
  return lineId === null && applicationId === null
}

/**
 * Describes an action on an endpoint for the audit log, so that it is in the history of its line, its application or
 * its user.
 */
export function endpointAct(
  { id, lineId, applicationId, userId }: Pick<Endpoint, 'id' | 'lineId' | 'applicationId' | 'userId'>,
  action: Extract<Action, `endpoint.${string}`>,
  details: { before?: AuditDetails; after?: AuditDetails } = {},
): Act {
  return {
    action,
    subjectId: lineId ?? applicationId ?? userId,
    userId,
    about: { endpointId: id },
    ...details,
  }
}
