import { transaction, type Database } from '../../database/connection.js'
import { endWaitingDeliveriesTo } from '../../database/endpoints/deliveries/ending.js'
import {
  enableEndpoint,
  insertEndpoint,
  setEndpointUrl,
  setOptInEvents,
} from '../../database/endpoints/endpoints.js'
import {
  deleteEndpoint,
  findEndpointOfAnyLine,
  listEndpointsOfLine,
  renameEndpoint,
  type LineEndpoint,
} from '../../database/endpoints/line-endpoints.js'
import { UserError } from '../../errors.js'
import { isId, newId } from '../../ids.js'
import { newSigningSecret } from '../../secrets.js'
import { aboutEndpoint, maskUrl, record } from '../operating/audit.js'
import {
  NO_ENDPOINT,
  requireConnection,
  requireEnabled,
  requireLine,
} from '../lines/connection-requirements.js'
import type { Context } from '../context.js'
import { signingSecretPlace } from './deliveries/deliver.js'
import { readOptionalName } from '../names.js'
import { LINE_OPT_IN_EVENT_TYPES, readOptInEvents } from './opt-in-events.js'

export type { LineEndpoint } from '../../database/endpoints/line-endpoints.js'

/** Beside the outgoing webhook URL. Each event of the line is posted to each of them. */
export const MAX_LINE_ENDPOINTS = 10

/** As somebody wrote it; what is left out stays. */
export interface WrittenEndpoint {
  /** null or empty: it has none. */
  name?: string | null | undefined
  url?: string | undefined
  /** Events besides those that every endpoint gets. */
  optInEvents?: readonly string[] | undefined
}

/** The line's further endpoints, oldest first. @throws UserError 404 */
export async function listLineEndpoints(
  { db }: Context,
  userId: string,
  lineId: string,
): Promise<LineEndpoint[]> {
  await requireLine(db, userId, lineId)
  return listEndpointsOfLine(db, lineId)
}

/** @throws UserError 404 */
export async function getLineEndpoint(
  context: Context,
  userId: string,
  lineId: string,
  endpointId: string,
): Promise<LineEndpoint> {
  return requireOne(await listLineEndpoints(context, userId, lineId), endpointId)
}

/** For operators: whosever it is. undefined: this is no further endpoint's id. */
export async function findAnyLineEndpoint({ db }: Context, id: string): Promise<LineEndpoint | undefined> {
  return isId(id) ? findEndpointOfAnyLine(db, id) : undefined
}

/**
 * Adds an endpoint, which gets the line's events from then on, signed with a secret of its own.
 *
 * @throws UserError 400 when the URL may not be called, 404, 409 when the connection is not enabled, or the line has ten
 */
export async function addLineEndpoint(
  context: Context,
  userId: string,
  lineId: string,
  written: WrittenEndpoint,
): Promise<{ endpoint: LineEndpoint; signingSecret: string }> {
  const { db, secrets } = context
  const id = newId()
  const signingSecret = newSigningSecret()
  const urlFault = await faultOf(context, written)
  const endpoint = await transaction(db, async (trx) => {
    await requireEnabled(trx, userId, lineId, { isLocked: true })
    const { name = null, url, optInEvents = [] } = readFields(written, urlFault)
    if (url === undefined) throw new UserError('url is missing: give the URL of your server')
    if ((await listEndpointsOfLine(trx, lineId)).length >= MAX_LINE_ENDPOINTS) {
      throw new UserError(
        `a line may have up to ${MAX_LINE_ENDPOINTS} endpoints beside its outgoing webhook URL: delete one first`,
        409,
      )
    }
    const secretSealed = secrets.seal(signingSecret, signingSecretPlace(id))
    await insertEndpoint(trx, { id, userId, lineId, name, url, secretSealed })
    await setOptInEvents(trx, id, optInEvents)
    const added = requireOne(await listEndpointsOfLine(trx, lineId), id)
    await record(context, trx, { ...actOn(added, 'added'), after: detailsOf(added) })
    return added
  })
  return { endpoint, signingSecret }
}

/**
 * Several changes as one. Another URL starts with a clean health, and keeps the secret, the policy and what was held.
 *
 * @throws UserError 400 when the URL may not be called or nothing is given, 404
 */
export async function changeLineEndpoint(
  context: Context,
  userId: string,
  lineId: string,
  endpointId: string,
  written: WrittenEndpoint,
): Promise<LineEndpoint> {
  const urlFault = await faultOf(context, written)
  return changing(context, userId, lineId, endpointId, async (trx, before) => {
    const { name, url, optInEvents } = readFields(written, urlFault)
    if ([name, url, optInEvents].every((field) => field === undefined)) {
      throw new UserError('give name, url, optInEvents or several of them')
    }
    if (name !== undefined) await renameEndpoint(trx, before.id, name)
    if (url !== undefined && url !== before.url) await setEndpointUrl(trx, before.id, url)
    if (optInEvents !== undefined) await setOptInEvents(trx, before.id, optInEvents)
  })
}

/** After it was disabled for failing. Held events stay so until `sendHeldEvents`. @throws UserError 404 */
export async function enableLineEndpoint(
  context: Context,
  userId: string,
  lineId: string,
  endpointId: string,
): Promise<LineEndpoint> {
  return changing(context, userId, lineId, endpointId, (trx, { id }) => enableEndpoint(trx, id))
}

/**
 * Deletes it: it gets no more events, and those that wait for it end.
 *
 * @returns what it was
 * @throws UserError 404
 */
export async function deleteLineEndpoint(
  context: Context,
  userId: string,
  lineId: string,
  endpointId: string,
): Promise<LineEndpoint> {
  const deleted = await transaction(context.db, async (trx) => {
    const endpoint = await lockEndpoint(trx, userId, lineId, endpointId)
    await markEndpointDeleted(context, trx, endpoint)
    return endpoint
  })
  await endDeliveriesTo(context, deleted.id)
  return deleted
}

/** While the line's connection is locked. `endDeliveriesTo` is to follow the transaction. */
export async function markEndpointDeleted(
  context: Context,
  trx: Database,
  endpoint: LineEndpoint,
): Promise<void> {
  await deleteEndpoint(trx, endpoint.id)
  await record(context, trx, { ...actOn(endpoint, 'deleted'), before: detailsOf(endpoint) })
}

/** The locks of a batch end with its statement. */
const BATCH = 1000

/**
 * Gives up what waits for a deleted endpoint. This is only so that nobody sees it waiting: `claim_deliveries` gives up what it
 * finds.
 */
export async function endDeliveriesTo({ db }: Context, endpointId: string): Promise<void> {
  while ((await endWaitingDeliveriesTo(db, endpointId, BATCH)) === BATCH);
}

/** What is wrong with the URL. A look at it takes a while, so it comes before the transaction. */
async function faultOf({ safeFetch }: Context, { url }: WrittenEndpoint): Promise<string | undefined> {
  return url === undefined ? undefined : safeFetch.explainUrl(url.trim())
}

/** To be called after it is known whose line it is. @throws UserError 400 */
function readFields({ name, url, optInEvents }: WrittenEndpoint, urlFault: string | undefined) {
  if (urlFault !== undefined) throw new UserError(`url: ${urlFault}`)
  return {
    name: name === undefined ? undefined : (readOptionalName(name ?? '') ?? null),
    url: url?.trim(),
    optInEvents: optInEvents && readOptInEvents(optInEvents, LINE_OPT_IN_EVENT_TYPES),
  }
}

async function changing(
  context: Context,
  userId: string,
  lineId: string,
  endpointId: string,
  change: (trx: Database, before: LineEndpoint) => Promise<void>,
): Promise<LineEndpoint> {
  return transaction(context.db, async (trx) => {
    const before = await lockEndpoint(trx, userId, lineId, endpointId)
    await change(trx, before)
    const after = requireOne(await listEndpointsOfLine(trx, lineId), before.id)
    const act = { ...actOn(before, 'changed'), before: detailsOf(before), after: detailsOf(after) }
    await record(context, trx, act)
    return after
  })
}

async function lockEndpoint(
  trx: Database,
  userId: string,
  lineId: string,
  endpointId: string,
): Promise<LineEndpoint> {
  await requireConnection(trx, userId, lineId, { isLocked: true, endpointId })
  return requireOne(await listEndpointsOfLine(trx, lineId), endpointId)
}

function requireOne(endpoints: readonly LineEndpoint[], id: string): LineEndpoint {
  const found = endpoints.find((each) => each.id === id.toLowerCase())
  if (found === undefined) throw new UserError(NO_ENDPOINT, 404)
  return found
}

function actOn({ id, lineId, userId }: LineEndpoint, what: 'added' | 'changed' | 'deleted') {
  return {
    action: `line.endpoint.${what}`,
    subjectId: lineId,
    userId,
    ...aboutEndpoint(id),
  } as const
}

function detailsOf({ name, url, optInEvents, disabledReason }: LineEndpoint) {
  return { name, url: maskUrl(url), optInEvents, disabledReason }
}
