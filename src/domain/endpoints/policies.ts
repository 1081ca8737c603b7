import type { AuditDetails } from '../../database/operating/audit-log.js'
import { transaction } from '../../database/connection.js'
import { findPolicy, setPolicy, type EndpointPolicy } from '../../database/endpoints/policy.js'
import { findLatestEvent, type Event } from '../../database/endpoints/events.js'
import { UserError } from '../../errors.js'
import { newId } from '../../ids.js'
import { record } from '../operating/audit.js'
import type { Context } from '../context.js'
import { changeHeaders, openHeaders, sealHeaders, type CustomHeaders } from './deliveries/custom-headers.js'
import { shapeEvent, type ShapedEvent } from './deliveries/shapes.js'
import { TemplateFailed, trialOf } from './deliveries/template.js'
import { examplePayloadOf } from './example-payloads.js'
import { readPolicyFields } from './policy-fields.js'
import {
  endpointAct,
  getEndpoint,
  isOperational,
  type EndpointCaller,
  type Endpoint,
} from './get-endpoint.js'
import { unaskedEventsOf } from './opt-in-events.js'
import { OVERLAP_SECONDS } from './signing-secrets.js'

export type { EndpointPolicy } from '../../database/endpoints/policy.js'

export interface Preview {
  contentType: string
  body: string
  /** True if there was no event yet, so that it shows a made-up one. */
  isSample: boolean
}

/** A policy with only the names of the headers that are sent in each request, because most values are credentials. */
export type ShownPolicy = EndpointPolicy & { headerNames: string[]; publicKeyUrl: string }

/**
 * Returns the endpoint's policy.
 *
 * @throws UserError 404
 */
export async function getPolicy(context: Context, caller: EndpointCaller, id: string): Promise<ShownPolicy> {
  const { db, secrets } = context
  const { id: endpointId } = await getEndpoint(context, caller, id)
  const { policy, headersSealed } = await findPolicy(db, endpointId)
  return shown(context, endpointId, policy, openHeaders(secrets, endpointId, headersSealed))
}

/**
 * Changes the fields that are given, from the next attempt on; null means the default.
 *
 * @param written.headers names and values that are added or replaced; null removes one
 * @throws UserError 400 names the field, 404, 409 if it was changed at the same time
 */
export async function changePolicy(
  context: Context,
  caller: EndpointCaller,
  id: string,
  { headers: writtenHeaders = {}, ...written }: Record<string, unknown>,
): Promise<ShownPolicy> {
  const { db, config, secrets } = context
  const endpoint = await getEndpoint(context, caller, id)
  // The owner is checked first, so that strangers cannot tell another user's endpoint from one that does not exist.
  const { policy: asFound } = await findPolicy(db, endpoint.id)
  const change = readPolicyFields(written, limitsOf(config, endpoint))
  const tried = { ...asFound, ...change }
  // This is outside of the transaction, because it may have to wait for its turn, and must not hold a connection while
  // it does.
  if (tried.shape === 'template') await fill(context, endpoint, sampleOf(endpoint), tried)
  return transaction(db, async (trx) => {
    const { id: endpointId } = await getEndpoint({ db: trx }, caller, id, { isLocked: true })
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
    await record(context, trx, endpointAct(endpoint, 'endpoint.changed', details))
    return after
  })
}

/**
 * Shows the last event of the line or the application as it would be posted with these fields, which are not saved.
 *
 * @returns the preview, and the fields as they were read
 * @throws UserError 400 also for a template that cannot be filled, 404
 */
export async function previewPolicy(
  context: Context,
  caller: EndpointCaller,
  id: string,
  written: Record<string, unknown>,
): Promise<Preview & { fields: Partial<EndpointPolicy> }> {
  const { db, config } = context
  const endpoint = await getEndpoint(context, caller, id)
  const { policy } = await findPolicy(db, endpoint.id)
  const change = readPolicyFields(written, limitsOf(config, endpoint))
  const event = await findLatestEvent(db, endpoint)
  const { contentType, body } = await fill(context, endpoint, event ?? sampleOf(endpoint), {
    ...policy,
    ...change,
  })
  return { contentType, body, isSample: event === undefined, fields: change }
}

function limitsOf(config: Context['config'], endpoint: Endpoint) {
  return { maxRequestsAtOnce: config.endpointMaxInFlight, unaskedEvents: unaskedEventsOf(endpoint) }
}

async function fill(
  context: Context,
  { userId, id: endpointId }: Endpoint,
  event: Omit<Event, 'messageId'>,
  policy: EndpointPolicy,
): Promise<ShapedEvent> {
  if (policy.shape === 'template' && policy.template === null) {
    throw new UserError('template is required for the shape template, such as {"text": {{ payload | json }}}')
  }
  try {
    return await shapeEvent(context, { ...event, eventId: event.id }, policy, trialOf({ userId, endpointId }))
  } catch (error) {
    if (error instanceof TemplateFailed) throw new UserError(`template: ${error.message}`)
    throw error
  }
}

function isFilledAlike(one: EndpointPolicy, other: EndpointPolicy): boolean {
  return (['shape', 'template', 'templateContentType'] as const).every((name) => one[name] === other[name])
}

/** The sample contains quotes, which a template must handle. */
function sampleOf(endpoint: Endpoint): Omit<Event, 'messageId'> {
  const { id, lineId, userId } = endpoint
  if (isOperational(endpoint)) {
    const type = 'endpoint.failing'
    const about = { fromNumber: null, toNumber: null, lineId: null }
    return { id: newId(), type, payload: examplePayloadOf(type), userId, ...about }
  }
  const number = '+15005550100'
  const payload = 'This is a "test" event'
  return {
    id: newId(),
    type: 'inboundText',
    payload,
    fromNumber: number,
    toNumber: number,
    userId,
    lineId: lineId ?? id,
  }
}

/** While receivers switch to another kind of signature, both kinds are sent. */
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

/**
 * The fields of a policy for the audit log.
 *
 * @param newHeaders the headers whose values were given; values are never logged
 */
function detailsOf({ retrySchedule, ...rest }: ShownPolicy, newHeaders: string[]): AuditDetails {
  const schedule = typeof retrySchedule === 'string' ? retrySchedule : retrySchedule.map(String)
  return { ...rest, retrySchedule: schedule, newHeaders }
}
