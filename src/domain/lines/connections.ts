import { LINE_OPT_IN_EVENT_TYPES, type OptInEventType } from '../../event-types.js'
import { transaction, type Database } from '../../database/connection.js'
import {
  findConnection,
  setConnectionEnabled,
  setConnectionEndpoint,
  type DeveloperConnection,
} from '../../database/lines/developer-connections.js'
import {
  enableEndpoint,
  listEndpoints,
  removeEndpointUrl,
  setEndpointUrl,
  setOptInEvents,
} from '../../database/endpoints/endpoints.js'
import { deleteIncomingWebhook } from '../../database/lines/incoming-webhooks.js'
import { UserError } from '../../errors.js'
import { maskUrl, record } from '../operating/audit.js'
import { requireConnection, requireEnabled } from './connection-requirements.js'
import { getOwnLine } from './lines.js'
import type { Context } from '../context.js'
import { endDeliveriesOf } from '../endpoints/deliveries/end-waiting.js'
import { makeEndpoint, markEndpointDeleted } from '../endpoints/endpoints.js'
import { readOptInEvents } from '../endpoints/opt-in-events.js'

/**
 * Enables the line's developer connection. An endpoint that was disabled for failing is enabled again; its held
 * events stay held until `sendHeldEvents`.
 *
 * @throws UserError 404 if the user has no such line
 */
export async function enableConnection(context: Context, userId: string, lineId: string): Promise<void> {
  await changing(context, userId, lineId, (trx) => enable(trx, userId, lineId))
}

/**
 * Switches the connection off: no events go out, and the incoming webhook returns 404, until it is enabled again.
 *
 * @throws UserError 404
 */
export async function disableConnection(context: Context, userId: string, lineId: string): Promise<void> {
  await changing(context, userId, lineId, async (trx) => {
    await requireConnection(trx, userId, lineId, { isLocked: true })
    await setConnectionEnabled(trx, userId, lineId, { enabled: false })
  })
}

/**
 * Disables the connection, and deletes the incoming webhook and all of the line's endpoints except the outgoing
 * webhook.
 *
 * @throws UserError 404
 */
export async function disconnect(context: Context, userId: string, lineId: string): Promise<void> {
  const deleted: { endpointId: string }[] = []
  await changing(context, userId, lineId, async (trx) => {
    await requireConnection(trx, userId, lineId, { isLocked: true })
    await setConnectionEnabled(trx, userId, lineId, { enabled: false })
    await deleteIncomingWebhook(trx, lineId)
    for (const endpoint of await listEndpoints(trx, { lineId })) {
      if (endpoint.isOutgoingWebhook) continue
      await markEndpointDeleted(context, trx, endpoint)
      deleted.push({ endpointId: endpoint.id })
    }
  })
  await endDeliveriesOf(context, deleted)
}

/**
 * Sets the outgoing webhook URL; undefined removes it. A URL that is set after that keeps the same secret and gets
 * the held events.
 *
 * @throws UserError 409 if the connection is not enabled, 400 if the URL may not be called
 */
export async function setLineEndpointUrl(
  context: Context,
  userId: string,
  lineId: string,
  url: string | undefined,
): Promise<void> {
  const fault = url === undefined ? undefined : await context.safeFetch.explainUrl(url)
  if (fault !== undefined) throw new UserError(`url: ${fault}`)
  await changing(context, userId, lineId, async (trx) => {
    await writeUrl(context, trx, await requireEnabled(trx, userId, lineId, { isLocked: true }), userId, url)
  })
}

/**
 * Makes several changes as one: fields that are left out stay, and a change that is refused changes nothing. A URL
 * can be set only while the connection is enabled, or by the change that enables it.
 *
 * @param change.outgoingWebhookUrl null removes it
 * @param change.optInEvents types of events besides those that every endpoint gets
 * @throws UserError 400 if the URL may not be called or a line cannot have the types, 404, 409
 */
export async function changeConnection(
  context: Context,
  userId: string,
  lineId: string,
  change: {
    enabled?: boolean | undefined
    outgoingWebhookUrl?: string | null | undefined
    optInEvents?: readonly string[] | undefined
  },
): Promise<void> {
  const { enabled, outgoingWebhookUrl: url } = change
  const optInEvents = change.optInEvents && readOptInEvents(change.optInEvents, LINE_OPT_IN_EVENT_TYPES)
  const fault = url == null ? undefined : await context.safeFetch.explainUrl(url)
  await changing(context, userId, lineId, async (trx, before) => {
    if (before === undefined) await getOwnLine({ db: trx }, userId, lineId)
    if (url != null && !(enabled ?? before?.enabled ?? false)) throw new UserError(URL_NEEDS_ENABLED, 409)
    if (fault !== undefined) throw new UserError(`outgoingWebhookUrl: ${fault}`)
    if (enabled === true) await enable(trx, userId, lineId)
    if (url !== undefined && url !== (before?.outgoingWebhookUrl ?? null)) {
      const connection = await requireEnabled(trx, userId, lineId, { isLocked: true })
      await writeUrl(context, trx, connection, userId, url ?? undefined)
    }
    if (optInEvents !== undefined) await optIn(trx, userId, lineId, optInEvents)
    if (enabled === false && before?.enabled === true)
      await setConnectionEnabled(trx, userId, lineId, { enabled: false })
  })
}

const URL_NEEDS_ENABLED =
  'outgoingWebhookUrl can be set only while the connection is enabled. Set enabled to true as well'

/**
 * Runs a transaction in which the line's connection is locked. The changes that it makes in the end are in the audit
 * log.
 */
async function changing(
  context: Context,
  userId: string,
  lineId: string,
  change: (trx: Database, before: DeveloperConnection | undefined) => Promise<void>,
): Promise<void> {
  await transaction(context.db, async (trx) => {
    const before = await findConnection(trx, userId, lineId, { isLocked: true })
    await change(trx, before)
    const after = await findConnection(trx, userId, lineId)
    const act = { subjectId: lineId, userId }
    for (const [action, shownOf] of [
      ['line.connection.changed', switchesOf],
      ['endpoint.changed', endpointOf],
    ] as const) {
      await record(context, trx, { ...act, action, before: shownOf(before), after: shownOf(after) })
    }
  })
}

function switchesOf(connection: DeveloperConnection | undefined) {
  return {
    enabled: connection?.enabled ?? false,
    hasIncomingWebhook: connection?.hasIncomingWebhook ?? false,
  }
}

function endpointOf(connection: DeveloperConnection | undefined) {
  return {
    url: maskUrl(connection?.outgoingWebhookUrl ?? null),
    optInEvents: connection?.optInEvents ?? [],
    disabledReason: connection?.endpointDisabledReason ?? null,
  }
}

async function enable(trx: Database, userId: string, lineId: string): Promise<void> {
  if (!(await setConnectionEnabled(trx, userId, lineId, { enabled: true })))
    throw new UserError('No such line', 404)
  const connection = await findConnection(trx, userId, lineId)
  if (connection?.endpointId) await enableEndpoint(trx, connection.endpointId)
}

/** Called after the URL is set, because the endpoint opts in. */
async function optIn(trx: Database, userId: string, lineId: string, types: OptInEventType[]): Promise<void> {
  const { keptEndpointId = null } = (await findConnection(trx, userId, lineId)) ?? {}
  if (keptEndpointId !== null) await setOptInEvents(trx, keptEndpointId, types)
  else if (types.length > 0) {
    throw new UserError('optInEvents needs an outgoing webhook URL (outgoingWebhookUrl). Give one too')
  }
}

async function writeUrl(
  context: Context,
  trx: Database,
  { lineId, keptEndpointId }: DeveloperConnection,
  userId: string,
  url: string | undefined,
): Promise<void> {
  if (url === undefined) {
    if (keptEndpointId !== null) await removeEndpointUrl(trx, keptEndpointId)
  } else if (keptEndpointId !== null) {
    await setEndpointUrl(trx, keptEndpointId, url)
  } else {
    const { id } = await makeEndpoint(context, trx, { userId, lineId }, { url })
    await setConnectionEndpoint(trx, lineId, id)
  }
}
