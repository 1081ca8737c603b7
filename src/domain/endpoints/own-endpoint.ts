import type { Database } from '../../database/connection.js'
import { listEndpoints, type Endpoint, type EndpointFilter } from '../../database/endpoints/endpoints.js'
import { UserError } from '../../errors.js'
import { isId } from '../../ids.js'
import type { AuditDetails } from '../../database/operating/audit-log.js'
import type { Act } from '../operating/audit.js'
import type { Action } from '../operating/audit/actions.js'

export type { Endpoint } from '../../database/endpoints/endpoints.js'

/**
 * The one who asks for an endpoint. A user may use those of their lines and applications (with an API token for one
 * line, those of that line), an application its own, by an access token of the user who authorized it, and an
 * operator all.
 */
export type Asker =
  { userId: string; lineId?: string | undefined } | { applicationId: string } | { isOperator: true }

/** @throws UserError 404, also if it is not the asker's */
export async function getEndpoint(
  { db }: { db: Database },
  asker: Asker,
  id: string,
  options?: { isLocked: boolean },
): Promise<Endpoint> {
  const [endpoint] = isId(id)
    ? await listEndpoints(db, { ...whatIsOf(asker), id: id.toLowerCase() }, options)
    : []
  if (endpoint === undefined) throw new UserError('No such endpoint', 404)
  return endpoint
}

export function whatIsOf(asker: Asker): EndpointFilter {
  if ('isOperator' in asker) return {}
  if ('applicationId' in asker) return { applicationId: asker.applicationId }
  return { userId: asker.userId, lineId: asker.lineId }
}

/** True if it is an operational webhook: it belongs to its user's account, and not to a line or an application. */
export function isOperational({
  lineId,
  applicationId,
}: Pick<Endpoint, 'lineId' | 'applicationId'>): boolean {
  return lineId === null && applicationId === null
}

/**
 * Describes an act on an endpoint for the audit log, so that it is in the history of its line, its application or its
 * user.
 */
export function actOn(
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
