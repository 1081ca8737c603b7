import type { AuditDetails } from '../database/audit-log.js'
import { findApplication } from '../database/applications.js'
import { transaction, type Database } from '../database/connection.js'
import { findPolicy, setPolicy, type EndpointPolicy } from '../database/endpoint-policy.js'
import { UserError } from '../errors.js'
import { NO_ENDPOINT_URL } from './applications/endpoint.js'
import { record } from './audit.js'
import { requireConnection } from './connection-requirements.js'
import type { Context } from './context.js'
import { readPolicyFields } from './policy-fields.js'
import { NO_URL } from './signing-secrets.js'

export type { EndpointPolicy } from '../database/endpoint-policy.js'

/** Whose endpoint it is: a line's, or an application's. */
export interface EndpointOwner {
  of: 'line' | 'application'
  id: string
  userId: string
}

/**
 * How the endpoint wants its events. It stays when the URL is taken away.
 *
 * @throws UserError 404, 409 where there never was a URL
 */
export async function getPolicy({ db }: Context, owner: EndpointOwner): Promise<EndpointPolicy> {
  return findPolicy(db, await requireEndpoint(db, owner))
}

/**
 * Changes the fields that are given, from the next attempt on; null stands for the default.
 *
 * @throws UserError 400 names the field, 404, 409 where there never was a URL
 */
export async function changePolicy(
  context: Context,
  owner: EndpointOwner,
  written: Record<string, unknown>,
): Promise<EndpointPolicy> {
  const { db, config } = context
  const change = readPolicyFields(written, { maxRequestsAtOnce: config.endpointMaxInFlight })
  if (Object.keys(change).length === 0) throw new UserError('give at least one field of the policy')
  return transaction(db, async (trx) => {
    const endpointId = await requireEndpoint(trx, owner, { isLocked: true })
    const before = await findPolicy(trx, endpointId)
    const after = { ...before, ...change }
    await setPolicy(trx, endpointId, after)
    await record(context, trx, {
      action: owner.of === 'line' ? 'line.endpoint.changed' : 'application.changed',
      subjectId: owner.id,
      userId: owner.userId,
      before: detailsOf(before),
      after: detailsOf(after),
    })
    return after
  })
}

/** As the audit log has it. */
function detailsOf({ retrySchedule, declinedEvents, ...rest }: EndpointPolicy): AuditDetails {
  const schedule = typeof retrySchedule === 'string' ? retrySchedule : retrySchedule.map(String)
  return { ...rest, retrySchedule: schedule, declinedEvents: [...declinedEvents] }
}

async function requireEndpoint(
  db: Database,
  { of, id, userId }: EndpointOwner,
  options?: { isLocked: boolean },
): Promise<string> {
  const isLine = of === 'line'
  const found = isLine
    ? await requireConnection(db, userId, id, options)
    : await findApplication(db, userId, id, options)
  if (found === undefined) throw new UserError('no such application', 404)
  if (found.keptEndpointId === null) throw new UserError(isLine ? NO_URL : NO_ENDPOINT_URL, 409)
  return found.keptEndpointId
}
