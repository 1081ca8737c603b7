import type { OptInEventType } from '../../event-types.js'
import { findApplication, setApplicationEndpoint } from '../../database/applications/applications.js'
import { transaction, type Database } from '../../database/connection.js'
import {
  deleteEndpoint as deleteRow,
  enableEndpoint as enableRow,
  insertEndpoint,
  listEndpoints as listRows,
  renameEndpoint,
  setEndpointUrl,
  setOptInEvents,
  type EndpointOwner,
} from '../../database/endpoints/endpoints.js'
import { placeOf } from '../../database/operating/sealed-columns.js'
import { lockUser } from '../../database/people/users.js'
import { UserError } from '../../errors.js'
import { newId } from '../../ids.js'
import { newSigningSecret } from '../../secrets.js'
import type { Context } from '../context.js'
import { requireEnabled } from '../lines/connection-requirements.js'
import { readOptionalName } from '../names.js'
import { maskUrl, record } from '../operating/audit.js'
import { endDeliveriesOf } from './deliveries/end-waiting.js'
import { endpointStateOf, type EndpointState } from './deliveries/endpoint-state.js'
import { optInEventsOf, readOptInEvents } from './opt-in-events.js'
import { endpointAct, getEndpoint, endpointsOf, type EndpointCaller, type Endpoint } from './get-endpoint.js'

export type { EndpointOwner } from '../../database/endpoints/endpoints.js'
export { getEndpoint, type EndpointCaller, type Endpoint } from './get-endpoint.js'

/** The limit in addition to the outgoing webhook. Each event of the line is posted to each of them. */
export const MAX_LINE_ENDPOINTS = 10

/** The limit for operational webhooks of one user. */
export const MAX_ACCOUNT_ENDPOINTS = 10

/** An endpoint as a user wrote it; fields that are left out stay. */
export interface WrittenEndpoint {
  /** null or empty if it has none. */
  name?: string | null | undefined
  url?: string | undefined
  /** Types of events in addition to those that every endpoint gets. */
  optInEvents?: readonly string[] | undefined
}

/** Lists a line's outgoing webhook first, then the oldest first. */
export async function listEndpoints(
  { db }: Context,
  caller: EndpointCaller,
  {
    state,
    ...of
  }: { lineId?: string; applicationId?: string; isOfAccount?: boolean; state?: EndpointState } = {},
): Promise<Endpoint[]> {
  const own = endpointsOf(caller)
  const endpoints = await listRows(db, {
    userId: own.userId,
    lineId: own.lineId ?? of.lineId,
    applicationId: own.applicationId ?? of.applicationId,
    isOfAccount: of.isOfAccount,
  })
  return endpoints.filter(
    (each) =>
      (of.lineId === undefined || each.lineId === of.lineId) &&
      (of.applicationId === undefined || each.applicationId === of.applicationId) &&
      (state === undefined || endpointStateOf(each) === state),
  )
}

/**
 * Adds an endpoint, which gets events from then on, signed with a separate secret. An application has one endpoint. An
 * account's endpoint is an operational webhook: it gets its user's notifications.
 *
 * @throws UserError 400 if the URL may not be called, 404, 409 if the connection is not enabled, or there are too
 *   many
 */
export async function addEndpoint(
  context: Context,
  userId: string,
  owner: EndpointOwner,
  written: WrittenEndpoint,
): Promise<{ endpoint: Endpoint; signingSecret: string }> {
  const urlFault = await faultOf(context, written)
  return transaction(context.db, async (trx) => {
    await requireRoom(trx, userId, owner)
    const { name = null, url, optInEvents = [] } = readFields(written, urlFault, owner)
    if (url === undefined) throw new UserError('url is required. Give the URL of your server')
    const { id, signingSecret } = await makeEndpoint(context, trx, { userId, ...owner }, { name, url })
    await setOptInEvents(trx, id, optInEvents)
    const endpoint = await getEndpoint({ db: trx }, { userId }, id)
    await record(context, trx, endpointAct(endpoint, 'endpoint.added', { after: detailsOf(endpoint) }))
    return { endpoint, signingSecret }
  })
}

/** Called while its owner is locked. */
export async function makeEndpoint(
  { secrets }: Context,
  trx: Database,
  owner: { userId: string } & EndpointOwner,
  { name = null, url }: { name?: string | null; url: string },
): Promise<{ id: string; signingSecret: string }> {
  const id = newId()
  const signingSecret = newSigningSecret()
  const secretSealed = secrets.seal(signingSecret, placeOf('signingSecret', id))
  await insertEndpoint(trx, { ...owner, id, name, url, secretSealed })
  if ('applicationId' in owner) await setApplicationEndpoint(trx, owner.applicationId, id)
  return { id, signingSecret }
}

/**
 * Makes several changes as one. A new URL starts with a clean bill of health, and keeps the secret, the policy and the
 * held events.
 *
 * @throws UserError 400 if the URL may not be called or nothing is given, 404
 */
export async function changeEndpoint(
  context: Context,
  caller: EndpointCaller,
  id: string,
  written: WrittenEndpoint,
): Promise<Endpoint> {
  const urlFault = await faultOf(context, written)
  return changing(context, caller, id, async (trx, before) => {
    const { name, url, optInEvents } = readFields(written, urlFault, before)
    if ([name, url, optInEvents].every((field) => field === undefined)) {
      throw new UserError('Give at least one of name, url and optInEvents')
    }
    if (name !== undefined) await renameEndpoint(trx, before.id, name)
    if (url !== undefined && url !== before.url) await setEndpointUrl(trx, before.id, url)
    if (optInEvents !== undefined) await setOptInEvents(trx, before.id, optInEvents)
  })
}

/**
 * Enables an endpoint that was disabled for failing. Held events stay held until `sendHeldEvents`.
 *
 * @throws UserError 404
 */
export function enableEndpoint(context: Context, caller: EndpointCaller, id: string): Promise<Endpoint> {
  return changing(context, caller, id, (trx) => enableRow(trx, id))
}

/**
 * Deletes it: it gets no more events, and those that wait for it end.
 *
 * @returns the deleted endpoint
 * @throws UserError 404
 */
export async function deleteEndpoint(
  context: Context,
  caller: EndpointCaller,
  id: string,
): Promise<Endpoint> {
  const deleted = await transaction(context.db, async (trx) => {
    const endpoint = await getEndpoint({ db: trx }, caller, id, { isLocked: true })
    await markEndpointDeleted(context, trx, endpoint)
    return endpoint
  })
  await endDeliveriesOf(context, [{ endpointId: deleted.id }])
  return deleted
}

/** Called while it is locked. `endDeliveriesOf` has to follow the transaction. */
export async function markEndpointDeleted(
  context: Context,
  trx: Database,
  endpoint: Endpoint,
): Promise<void> {
  await deleteRow(trx, endpoint.id)
  await record(context, trx, endpointAct(endpoint, 'endpoint.deleted', { before: detailsOf(endpoint) }))
}

/** Finds the fault in the URL. The check takes a while, so it comes before the transaction. */
async function faultOf({ safeFetch }: Context, { url }: WrittenEndpoint): Promise<string | undefined> {
  return url === undefined ? undefined : safeFetch.explainUrl(url.trim())
}

/**
 * The caller has checked who owns it.
 *
 * @throws UserError 400
 */
function readFields(
  { name, url, optInEvents }: WrittenEndpoint,
  urlFault: string | undefined,
  owner: EndpointOwner | Endpoint,
): { name?: string | null; url?: string; optInEvents?: OptInEventType[] } {
  if (urlFault !== undefined) throw new UserError(`url: ${urlFault}`)
  return {
    ...(name === undefined ? {} : { name: readOptionalName(name ?? '') ?? null }),
    ...(url === undefined ? {} : { url: url.trim() }),
    ...(optInEvents === undefined
      ? {}
      : {
          optInEvents: readOptInEvents(
            optInEvents,
            optInEventsOf({ lineId: null, applicationId: null, ...owner }),
          ),
        }),
  }
}

/**
 * Keeps others from adding one until the transaction ends.
 *
 * @throws UserError 404, 409
 */
async function requireRoom(trx: Database, userId: string, owner: EndpointOwner): Promise<void> {
  if ('applicationId' in owner) {
    const application = await findApplication(trx, userId, owner.applicationId, { isLocked: true })
    if (application === undefined) throw new UserError('No such application', 404)
    if (application.endpointId !== null)
      throw new UserError('This application already has an endpoint. Change that one instead', 409)
    return
  }
  if ('isOfAccount' in owner) {
    await lockUser(trx, userId)
    if ((await listRows(trx, { userId, isOfAccount: true })).length >= MAX_ACCOUNT_ENDPOINTS) {
      throw new UserError(
        `You can have up to ${MAX_ACCOUNT_ENDPOINTS} operational webhooks. Delete one first`,
        409,
      )
    }
    return
  }
  await requireEnabled(trx, userId, owner.lineId, { isLocked: true })
  const beside = (await listRows(trx, owner)).filter(({ isOutgoingWebhook }) => !isOutgoingWebhook)
  if (beside.length >= MAX_LINE_ENDPOINTS) {
    throw new UserError(
      `A line can have up to ${MAX_LINE_ENDPOINTS} endpoints in addition to its outgoing webhook. Delete one first`,
      409,
    )
  }
}

async function changing(
  context: Context,
  caller: EndpointCaller,
  id: string,
  change: (trx: Database, before: Endpoint) => Promise<void>,
): Promise<Endpoint> {
  return transaction(context.db, async (trx) => {
    const before = await getEndpoint({ db: trx }, caller, id, { isLocked: true })
    await change(trx, before)
    const after = await getEndpoint({ db: trx }, caller, id)
    const details = { before: detailsOf(before), after: detailsOf(after) }
    await record(context, trx, endpointAct(before, 'endpoint.changed', details))
    return after
  })
}

/** The fields of an endpoint for the audit log. */
function detailsOf({ name, url, optInEvents, disabledReason }: Endpoint) {
  return { name, url: maskUrl(url), optInEvents, disabledReason }
}
