import { available, transaction, type Database } from '../database/connection.js'
import { releaseHeldDeliveries } from '../database/deliveries/creating.js'
import {
  findConnection,
  setConnectionEnabled,
  setConnectionEndpoint,
  type DeveloperConnection,
} from '../database/developer-connections.js'
import { enableEndpoint, findSealedSecret, insertEndpoint, setEndpointUrl } from '../database/endpoints.js'
import { deleteIncomingWebhook } from '../database/incoming-webhooks.js'
import { UserError } from '../errors.js'
import { newId } from '../ids.js'
import { newSigningSecret } from '../secrets.js'
import type { Context } from './context.js'
import { signingSecretPlace } from './deliveries/deliver.js'

const RELEASE_BATCH = 500
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** undefined: the user has no such line, or it was never connected. */
export function findDeveloperConnection(
  { db }: Context,
  userId: string,
  lineId: string,
): Promise<DeveloperConnection | undefined> {
  return available(() => findConnection(db, userId, lineId))
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
 * Sets the outgoing webhook URL; undefined takes it away.
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
      const { endpointId } = await requireEnabled(trx, userId, lineId, { isLocked: true })
      if (url === undefined) {
        await setConnectionEndpoint(trx, lineId, null)
      } else if (endpointId !== null) {
        await setEndpointUrl(trx, endpointId, url)
      } else {
        const id = newId()
        const secretSealed = secrets.seal(newSigningSecret(), signingSecretPlace(id))
        await insertEndpoint(trx, { id, userId, url, secretSealed })
        await setConnectionEndpoint(trx, lineId, id)
      }
    }),
  )
}

/** The secret that signs this line's events (`whsec_…`), for its owner. undefined: no outgoing webhook URL is set. */
export async function revealSigningSecret(
  { db, secrets }: Context,
  userId: string,
  lineId: string,
): Promise<string | undefined> {
  const { endpointId } = await available(() => requireConnection(db, userId, lineId))
  if (endpointId === null) return undefined
  const sealed = await available(() => findSealedSecret(db, endpointId))
  return sealed && secrets.open(sealed, signingSecretPlace(endpointId))
}

/**
 * Sends the events that were held while the endpoint was disabled, each once: one that is held again is left.
 *
 * @returns how many
 * @throws UserError 409 when the connection is not enabled, or its endpoint was disabled again
 */
export async function sendHeldEvents(
  { db, queues }: Context,
  userId: string,
  lineId: string,
): Promise<number> {
  const { endpointId, endpointDisabledAt } = await available(() => requireEnabled(db, userId, lineId))
  if (endpointId === null) return 0
  if (endpointDisabledAt !== null) {
    throw new UserError('the endpoint is disabled, because it failed: enable the connection again first', 409)
  }
  let count = 0
  for (let after = FIRST_ID; ;) {
    const released = await available(() => releaseHeldDeliveries(db, endpointId, after, RELEASE_BATCH))
    await queues.enqueueDeliveries(released)
    count += released.length
    const last = released.at(-1)
    if (last === undefined || released.length < RELEASE_BATCH) return count
    after = last.id
  }
}

/** @throws UserError 409 */
export async function requireEnabled(
  db: Database,
  userId: string,
  lineId: string,
  options?: { isLocked: boolean },
): Promise<DeveloperConnection> {
  const connection = await findConnection(db, userId, lineId, options)
  if (connection?.enabled === true) return connection
  throw new UserError('the developer connection of this line is not enabled: enable it first', 409)
}

/** @throws UserError 404 */
export async function requireConnection(
  db: Database,
  userId: string,
  lineId: string,
  options?: { isLocked: boolean },
): Promise<DeveloperConnection> {
  const connection = await findConnection(db, userId, lineId, options)
  if (connection === undefined) throw new UserError('this line has no developer connection', 404)
  return connection
}
