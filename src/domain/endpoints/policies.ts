import type { AuditDetails } from '../../database/operating/audit-log.js'
import { transaction } from '../../database/connection.js'
import { findPolicy, setPolicy, type EndpointPolicy } from '../../database/endpoints/policy.js'
import { findLatestEvent, type EventToDeliver } from '../../database/endpoints/deliveries/latest.js'
import { UserError } from '../../errors.js'
import { newId } from '../../ids.js'
import { record } from '../operating/audit.js'
import type { Context } from '../context.js'
import { changeHeaders, openHeaders, sealHeaders, type CustomHeaders } from './deliveries/custom-headers.js'
import { shapeEvent, type ShapedEvent } from './deliveries/shapes.js'
import { TemplateFailed } from './deliveries/template.js'
import { examplePayloadOf } from './example-payloads.js'
import { readPolicyFields } from './policy-fields.js'
import { actOn, getEndpoint, isOperational, type Asker, type Endpoint } from './own-endpoint.js'
import { unaskedEventsOf } from './opt-in-events.js'
import { OVERLAP_SECONDS } from './signing-secrets.js'

export type { EndpointPolicy } from '../../database/endpoints/policy.js'

/** What a preview shows. */
export interface Preview {
  contentType: string
  body: string
  /** There was no event yet, so it is of one that was made up. */
  isSample: boolean
}

/** Of the headers that are sent in each request it shows only the names: most values are credentials. */
export type ShownPolicy = EndpointPolicy & { headerNames: string[]; publicKeyUrl: string }

/** How the endpoint wants its events. @throws UserError 404 */
export async function getPolicy(context: Context, asker: Asker, id: string): Promise<ShownPolicy> {
  const { db, secrets } = context
  const { id: endpointId } = await getEndpoint(context, asker, id)
  const { policy, headersSealed } = await findPolicy(db, endpointId)
  return shown(context, endpointId, policy, openHeaders(secrets, endpointId, headersSealed))
}

/**
 * Changes the fields that are given, from the next attempt on; null stands for the default.
 *
 * @param written.headers names and values that are added or replaced; null takes one away
 * @throws UserError 400 names the field, 404, 409 where somebody else changes it too
 */
export async function changePolicy(
  context: Context,
  asker: Asker,
  id: string,
  { headers: writtenHeaders = {}, ...written }: Record<string, unknown>,
): Promise<ShownPolicy> {
  const { db, config, secrets } = context
  const endpoint = await getEndpoint(context, asker, id)
  // The owner is checked first: to strangers, what is not theirs looks like what is not there.
  const { policy: asFound } = await findPolicy(db, endpoint.id)
  const change = readPolicyFields(written, limitsOf(config, endpoint))
  const tried = { ...asFound, ...change }
  // Outside of the transaction, because it may take its turn after others, and a connection is not to wait for that.
  if (tried.shape === 'template') await fill(context, endpoint, sampleOf(endpoint), tried)
  return transaction(db, async (trx) => {
    const { id: endpointId } = await getEndpoint({ db: trx }, asker, id, { isLocked: true })
    const changedHeaders = Object.keys(changeHeaders({}, writtenHeaders))
    if (Object.keys({ ...change, ...(writtenHeaders as object) }).length === 0) {
      throw new UserError('Give at least one field of the policy')
    }
    const row = await findPolicy(trx, endpointId)
    const headersBefore = openHeaders(secrets, endpointId, row.headersSealed)
    const headers = changeHeaders(headersBefore, writtenHeaders)
    const policy = changed(row.policy, change)
    if (policy.shape === 'template' && !isFilledAlike(policy, tried)) {
      throw new UserError('Someone else just changed this policy. Try again', 409)
    }
    const before = shown(context, endpointId, row.policy, headersBefore)
    const after = shown(context, endpointId, policy, headers)
    const headersSealed = sealHeaders(secrets, endpointId, headers)
    await setPolicy(trx, endpointId, { policy, headersSealed })
    const details = { before: detailsOf(before, []), after: detailsOf(after, changedHeaders) }
    await record(context, trx, actOn(endpoint, 'endpoint.changed', details))
    return after
  })
}

/**
 * The last event of the line or the application as it would be posted with these fields, which are not saved.
 *
 * @returns also the fields, as they were read
 * @throws UserError 400 also for a template that cannot be filled, 404
 */
export async function previewPolicy(
  context: Context,
  asker: Asker,
  id: string,
  written: Record<string, unknown>,
): Promise<Preview & { fields: Partial<EndpointPolicy> }> {
  const { db, config } = context
  const endpoint = await getEndpoint(context, asker, id)
  const { policy } = await findPolicy(db, endpoint.id)
  const change = readPolicyFields(written, limitsOf(config, endpoint))
  const event = await findLatestEvent(db, endpoint)
  const { contentType, body } = await fill(context, endpoint, event ?? sampleOf(endpoint), {
    ...policy,
    ...change,
  })
  return { contentType, body, isSample: event === undefined, fields: change }
}

/** What is tried out waits for its user's turn, not for the endpoint's, whose events wait for nothing here. */
function limitsOf(config: Context['config'], endpoint: Endpoint) {
  return { maxRequestsAtOnce: config.endpointMaxInFlight, unaskedEvents: unaskedEventsOf(endpoint) }
}

async function fill(
  context: Context,
  { userId }: Endpoint,
  event: EventToDeliver,
  policy: EndpointPolicy,
): Promise<ShapedEvent> {
  if (policy.shape === 'template' && policy.template === null) {
    throw new UserError('template is required for the shape template, such as {"text": {{ payload | json }}}')
  }
  try {
    return await shapeEvent(context, event, policy, userId)
  } catch (error) {
    if (error instanceof TemplateFailed) throw new UserError(`template: ${error.message}`)
    throw error
  }
}

function isFilledAlike(one: EndpointPolicy, other: EndpointPolicy): boolean {
  return (['shape', 'template', 'templateContentType'] as const).every((name) => one[name] === other[name])
}

/** The sample has quotes, which a template must not break at. */
function sampleOf(endpoint: Endpoint): EventToDeliver {
  const { id, lineId, userId } = endpoint
  if (isOperational(endpoint)) {
    const type = 'endpoint.failing'
    const about = { fromNumber: null, toNumber: null, lineId: null }
    return { eventId: newId(), type, payload: examplePayloadOf(type), userId, ...about }
  }
  const number = '+15005550100'
  const payload = 'This is a "test" event'
  return {
    eventId: newId(),
    type: 'inboundText',
    payload,
    fromNumber: number,
    toNumber: number,
    userId,
    lineId: lineId ?? id,
  }
}

/** While receivers change over to another kind of signature, both kinds sign. */
function changed(before: EndpointPolicy, change: Partial<EndpointPolicy>): EndpointPolicy {
  const after = { ...before, ...change }
  if (after.signature === before.signature) return after
  return { ...after, bothSignaturesUntil: new Date(Date.now() + OVERLAP_SECONDS * 1000).toISOString() }
}

function shown(
  { config }: Context,
  endpointId: string,
  policy: EndpointPolicy,
  headers: CustomHeaders,
): ShownPolicy {
  const publicKeyUrl = `${config.publicUrl}/.well-known/webhook-keys/${endpointId}`
  return { ...policy, headerNames: Object.keys(headers), publicKeyUrl }
}

/** What the audit log keeps of a policy. @param newHeaders whose values were given: these are in no log */
function detailsOf({ retrySchedule, ...rest }: ShownPolicy, newHeaders: string[]): AuditDetails {
  const schedule = typeof retrySchedule === 'string' ? retrySchedule : retrySchedule.map(String)
  return { ...rest, retrySchedule: schedule, newHeaders }
}
