import { available, transaction, type Database } from '../database/connection.js'
import {
  findConnection,
  setConnectionEnabled,
  setConnectionEndpoint,
  type DeveloperConnection,
} from '../database/developer-connections.js'
import { enableEndpoint, insertEndpoint, removeEndpointUrl, setEndpointUrl } from '../database/endpoints.js'
import { deleteIncomingWebhook } from '../database/incoming-webhooks.js'
import { listLinesOf } from '../database/lines.js'
import { UserError } from '../errors.js'
import { newId } from '../ids.js'
import { newSigningSecret } from '../secrets.js'
import type { Context } from './context.js'
import { signingSecretPlace } from './deliveries/attempt.js'

/** undefined: the user has no such line, or it was never connected. */
export function findDeveloperConnection(
  { db }: Context,
  userId: string,
  lineId: string,
): Promise<DeveloperConnection | undefined> {
  return available(() => findConnection(db, userId, lineId))
}

/** A line's connection as its owner sees it; of a line that was never connected everything is empty. */
export interface ConnectionOverview {
  enabled: boolean
  outgoingWebhookUrl: string | null
  endpoint: {
    failingSince: Date | null
    consecutiveFailureCount: number
    disabledAt: Date | null
    disabledReason: 'gone' | 'failing' | null
    /** Until then the signing secret from before the last rotation signs too. */
    previousSecretUntil: Date | null
  } | null
  incomingWebhook: {
    createdAt: Date
    regeneratedAt: Date | null
    /** Until then the token from before the last regeneration works too. */
    previousTokenUntil: Date | null
  } | null
}

/** @throws UserError 404 when the user has no such line */
export async function getConnection(
  { db }: Context,
  userId: string,
  lineId: string,
): Promise<ConnectionOverview> {
  const found = await available(async () => {
    const connection = await findConnection(db, userId, lineId)
    if (connection === undefined) await requireLine(db, userId, lineId)
    return connection
  })
  return {
    enabled: found?.enabled ?? false,
    outgoingWebhookUrl: found?.outgoingWebhookUrl ?? null,
    endpoint:
      found?.endpointId == null
        ? null
        : {
            failingSince: found.endpointFailingSince,
            consecutiveFailureCount: found.endpointFailureCount ?? 0,
            disabledAt: found.endpointDisabledAt,
            disabledReason: found.endpointDisabledReason,
            previousSecretUntil: found.previousSecretUntil,
          },
    incomingWebhook:
      found?.incomingWebhookCreatedAt == null
        ? null
        : {
            createdAt: found.incomingWebhookCreatedAt,
            regeneratedAt: found.tokenRegeneratedAt,
            previousTokenUntil: found.previousTokenUntil,
          },
  }
}

/**
 * Spec §3, "Enable developer connection". An endpoint that was disabled for failing is enabled again; what was
 * held for it stays held until `sendHeldEvents`.
 *
 * @throws UserError 404 when the user has no such line
 */
export async function enableConnection({ db }: Context, userId: string, lineId: string): Promise<void> {
  await available(() =>
    transaction(db, async (trx) => {
      if (!(await setConnectionEnabled(trx, userId, lineId, true))) throw new UserError('no such line', 404)
      const connection = await findConnection(trx, userId, lineId)
      if (connection?.endpointId) await enableEndpoint(trx, connection.endpointId)
    }),
  )
}

/**
 * The connection rests: no events, and the incoming webhook answers 404 until it is enabled again.
 *
 * @throws UserError 404
 */
export async function disableConnection({ db }: Context, userId: string, lineId: string): Promise<void> {
  await available(async () => {
    await requireConnection(db, userId, lineId)
    await setConnectionEnabled(db, userId, lineId, false)
  })
}

/**
 * Spec §3, "Disconnect developer connection": disabled, and the incoming webhook is deleted.
 *
 * @throws UserError 404
 */
export async function disconnect({ db }: Context, userId: string, lineId: string): Promise<void> {
  await available(() =>
    transaction(db, async (trx) => {
      await requireConnection(trx, userId, lineId, { isLocked: true })
      await setConnectionEnabled(trx, userId, lineId, false)
      await deleteIncomingWebhook(trx, lineId)
    }),
  )
}

/**
 * Sets the outgoing webhook URL; undefined takes it away. One that comes after it is signed with the same secret, and
 * gets what was held.
 *
 * @throws UserError 409 when the connection is not enabled, 400 when the URL may not be called
 */
export async function setOutgoingUrl(
  { db, safeFetch, secrets }: Context,
  userId: string,
  lineId: string,
  url: string | undefined,
): Promise<void> {
  const fault = url === undefined ? undefined : await safeFetch.explainUrl(url)
  if (fault !== undefined) throw new UserError(`outgoing webhook URL: ${fault}`)
  await available(() =>
    transaction(db, async (trx) => {
      const { keptEndpointId } = await requireEnabled(trx, userId, lineId, { isLocked: true })
      if (url === undefined) {
        if (keptEndpointId !== null) await removeEndpointUrl(trx, keptEndpointId)
      } else if (keptEndpointId !== null) {
        await setEndpointUrl(trx, keptEndpointId, url)
      } else {
        const id = newId()
        const secretSealed = secrets.seal(newSigningSecret(), signingSecretPlace(id))
        await insertEndpoint(trx, { id, userId, url, secretSealed })
        await setConnectionEndpoint(trx, lineId, id)
      }
    }),
  )
}

/**
 * The line's connection.
 *
 * @throws UserError 409 when it is not enabled, 404 when the user has no such line
 */
export async function requireEnabled(
  db: Database,
  userId: string,
  lineId: string,
  options?: { isLocked: boolean },
): Promise<DeveloperConnection> {
  const connection = await findConnection(db, userId, lineId, options)
  if (connection === undefined) await requireLine(db, userId, lineId)
  if (connection?.enabled === true) return connection
  throw new UserError('the developer connection of this line is not enabled: enable it first', 409)
}

/** @throws UserError 404 when there is no connection, or no such line */
export async function requireConnection(
  db: Database,
  userId: string,
  lineId: string,
  options?: { isLocked: boolean },
): Promise<DeveloperConnection> {
  const connection = await findConnection(db, userId, lineId, options)
  if (connection !== undefined) return connection
  await requireLine(db, userId, lineId)
  throw new UserError('this line has no developer connection', 404)
}

async function requireLine(db: Database, userId: string, lineId: string): Promise<void> {
  const [line] = await listLinesOf(db, userId, { id: lineId })
  if (line === undefined) throw new UserError('no such line', 404)
}
