import type { Application } from '../../database/applications/application.js'
import { findApplication, setApplicationEndpoint } from '../../database/applications/applications.js'
import { transaction, type Database } from '../../database/connection.js'
import {
  enableEndpoint,
  findEndpoint,
  findSealedSecret,
  insertEndpoint,
  removeEndpointUrl,
  setEndpointUrl,
} from '../../database/endpoints/endpoints.js'
import { UserError } from '../../errors.js'
import { newId } from '../../ids.js'
import { newSigningSecret } from '../../secrets.js'
import { record } from '../operating/audit.js'
import type { Context } from '../context.js'
import { signingSecretPlace } from '../endpoints/deliveries/deliver.js'
import { releaseHeldEvents } from '../endpoints/deliveries/held-events.js'
import { replaceSigningSecret } from '../endpoints/signing-secrets.js'
import { deliverTestEvent, type TestEventResult } from '../endpoints/test-event.js'

/** A test event is about no line, and comes from a number that nobody has. */
const TEST_LINE_ID = '00000000-0000-0000-0000-000000000000'
const TEST_NUMBER = '+15005550100'

/**
 * Sets or takes away an application's webhook URL, while the application is locked. A changed URL starts with a clean
 * health, and so does one that was disabled. A URL that is set after one was taken away keeps the same secret and gets
 * what was held.
 *
 * @returns the signing secret of a new endpoint, else null
 */
export async function setApplicationEndpointUrl(
  { secrets }: Context,
  trx: Database,
  application: Pick<Application, 'id' | 'userId' | 'keptEndpointId'> & Partial<Application>,
  url: string | null,
): Promise<string | null> {
  const { id, userId, keptEndpointId } = application
  if (url === null) {
    if (keptEndpointId !== null) await removeEndpointUrl(trx, keptEndpointId)
    return null
  }
  if (keptEndpointId !== null) {
    const isClean = application.webhookUrl === url && application.endpointDisabledAt === null
    if (!isClean) await setEndpointUrl(trx, keptEndpointId, url)
    return null
  }
  const secret = newSigningSecret()
  const newEndpointId = newId()
  const secretSealed = secrets.seal(secret, signingSecretPlace(newEndpointId))
  await insertEndpoint(trx, { id: newEndpointId, userId, url, secretSealed })
  await setApplicationEndpoint(trx, id, newEndpointId)
  return secret
}

/**
 * The secret that signs the application's events (`whsec_…`). undefined: it has no webhook URL.
 *
 * @throws UserError 404
 */
export async function revealApplicationSigningSecret(
  context: Context,
  userId: string,
  id: string,
): Promise<string | undefined> {
  const { db, secrets } = context
  const { endpointId } = await require(db, userId, id)
  const sealed = endpointId === null ? undefined : await findSealedSecret(db, endpointId)
  if (endpointId === null || sealed === undefined) return undefined
  await record(context, db, { action: 'application.signing_secret.shown', subjectId: id, userId })
  return secrets.open(sealed, signingSecretPlace(endpointId))
}

/**
 * As for a line: the old secret signs too for 24 h.
 *
 * @returns the new one
 * @throws UserError 404, 409 without a webhook URL
 */
export async function rotateApplicationSigningSecret(
  context: Context,
  userId: string,
  id: string,
): Promise<string> {
  return transaction(context.db, async (trx) => {
    const endpointId = endpointOf(await require(trx, userId, id, { isLocked: true }))
    await record(context, trx, { action: 'application.signing_secret.rotated', subjectId: id, userId })
    return replaceSigningSecret(context, trx, endpointId)
  })
}

/** After it was disabled for failing. Held events stay so until `sendHeldApplicationEvents`. @throws UserError 404, 409 */
export async function enableApplicationEndpoint(context: Context, userId: string, id: string): Promise<void> {
  await transaction(context.db, async (trx) => {
    const application = await require(trx, userId, id, { isLocked: true })
    await enableEndpoint(trx, endpointOf(application))
    await record(context, trx, {
      action: 'application.changed',
      subjectId: id,
      userId,
      before: { endpointDisabledReason: application.endpointDisabledReason },
      after: { endpointDisabledReason: null },
    })
  })
}

/**
 * @returns how many
 * @throws UserError 404, 409 while the webhook URL is disabled
 */
export async function sendHeldApplicationEvents(
  context: Context,
  userId: string,
  id: string,
): Promise<number> {
  const application = await require(context.db, userId, id)
  if (application.endpointDisabledAt !== null) {
    throw new UserError('the webhook URL is disabled, because it failed: enable it again first', 409)
  }
  const act = { action: 'application.held_events.sent', subjectId: id, userId } as const
  const whose = { userId, lineId: null, applicationId: id }
  return releaseHeldEvents(context, endpointOf(application), whose, act)
}

/**
 * POSTs a signed event to the application's webhook URL, now and only once. The event is not stored.
 *
 * @throws UserError 404, 409 without a webhook URL
 */
export async function sendApplicationTestEvent(
  context: Context,
  userId: string,
  id: string,
): Promise<TestEventResult> {
  const endpointId = endpointOf(await require(context.db, userId, id))
  const endpoint = await findEndpoint(context.db, endpointId)
  if (endpoint === undefined) throw new UserError(NO_ENDPOINT_URL, 409)
  const line = { lineId: TEST_LINE_ID, number: TEST_NUMBER, userId }
  return deliverTestEvent(context, { ...endpoint, endpointId }, line)
}

async function require(
  db: Database,
  userId: string,
  id: string,
  options?: { isLocked: boolean },
): Promise<Application> {
  const application = await findApplication(db, userId, id, options)
  if (application === undefined) throw new UserError('no such application', 404)
  return application
}

function endpointOf({ endpointId }: Application): string {
  if (endpointId === null) throw new UserError(NO_ENDPOINT_URL, 409)
  return endpointId
}

export const NO_ENDPOINT_URL = 'this application has no webhook URL: set one first'
