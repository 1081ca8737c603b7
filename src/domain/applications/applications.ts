import { OPT_IN_EVENT_TYPES, type OptInEventType } from '../../event-types.js'
import { timingSafeEqual } from 'node:crypto'
import type { Application } from '../../database/applications/application.js'
import {
  countApplications,
  findApplication,
  findApplicationByClientId,
  insertApplication,
  markApplicationDeleted,
  replaceClientSecret,
  updateApplicationRow,
} from '../../database/applications/applications.js'
import { deleteAuthorizations } from '../../database/applications/authorizations.js'
import { transaction, type Database } from '../../database/connection.js'
import { deleteEndpoint, setOptInEvents } from '../../database/endpoints/endpoints.js'
import { endOAuthGrantsOf } from '../../database/applications/oauth-records.js'
import { lockUser } from '../../database/people/users.js'
import { UserError } from '../../errors.js'
import { isId, newId } from '../../ids.js'
import { newToken, sha256 } from '../../secrets.js'
import {
  readApplicationFields,
  readApplicationKind,
  readEndpointUrl,
  type WrittenApplication,
} from './application-fields.js'
import { setApplicationEndpointUrl } from './endpoint.js'
import { maskUrl, record } from '../operating/audit.js'
import type { Context } from '../context.js'
import { endDeliveriesOf } from '../endpoints/deliveries/end-waiting.js'
import { readOptInEvents } from '../endpoints/opt-in-events.js'

export type { Application } from '../../database/applications/application.js'

/** More are not needed in practice. The page and `/v1` list all of them in one answer. */
const MAX_APPLICATIONS = 50

export interface RegisteredApplication {
  application: Application
  /** The secret, which is shown only once; null for a public application. */
  clientSecret: string | null
  /** The signing secret of its events, `whsec_…`; null without a webhook URL. */
  signingSecret: string | null
}

/**
 * Registers a program, which users may then allow to use their lines.
 *
 * @throws UserError 400 names the field, 409 if the user has 50
 */
export async function registerApplication(
  context: Context,
  userId: string,
  written: WrittenApplication & { kind?: string | undefined },
): Promise<RegisteredApplication> {
  const kind = readApplicationKind(written.kind)
  const fields = readApplicationFields(written)
  const optInEvents = readOptInEvents(written.optInEvents ?? [], OPT_IN_EVENT_TYPES)
  const webhookUrl = await readEndpointUrl(context, written.webhookUrl)
  const clientSecret = kind === 'public' ? null : newToken()
  const id = newId()
  return transaction(context.db, async (trx) => {
    await lockUser(trx, userId)
    if ((await countApplications(trx, userId)) >= MAX_APPLICATIONS) {
      throw new UserError(
        `You can have up to ${MAX_APPLICATIONS} applications. Delete one you no longer use`,
        409,
      )
    }
    const clientSecretHash = clientSecret === null ? null : sha256(clientSecret)
    await insertApplication(trx, { ...fields, id, userId, kind, clientSecretHash })
    const signingSecret = await setApplicationEndpointUrl(
      context,
      trx,
      { id, userId, keptEndpointId: null },
      webhookUrl,
    )
    const application = await optIn(trx, { id, userId }, optInEvents)
    const after = { kind, ...changeableOf(application) }
    await record(context, trx, { action: 'application.registered', subjectId: id, userId, after })
    return { application, clientSecret, signingSecret }
  })
}

/** @throws UserError 404, also for another user's application */
export async function getApplication(
  { db }: Pick<Context, 'db'>,
  userId: string,
  id: string,
): Promise<Application> {
  const application = isId(id) ? await findApplication(db, userId, id) : undefined
  if (application === undefined) throw noApplication()
  return application
}

/**
 * Changes the fields that are given. A webhook URL that was disabled for failing is enabled again if it is given.
 *
 * @throws UserError 400 names the field, 404
 */
export async function updateApplication(
  context: Context,
  userId: string,
  id: string,
  change: Partial<WrittenApplication>,
): Promise<Application> {
  await getApplication(context, userId, id)
  const optInEvents = change.optInEvents && readOptInEvents(change.optInEvents, OPT_IN_EVENT_TYPES)
  const webhookUrl = await readEndpointUrl(context, change.webhookUrl)
  return transaction(context.db, async (trx) => {
    const application = await findApplication(trx, userId, id, { isLocked: true })
    if (application === undefined) throw noApplication()
    await updateApplicationRow(
      trx,
      id,
      readApplicationFields({ ...application, ...withoutUndefined(change) }),
    )
    if (change.webhookUrl !== undefined)
      await setApplicationEndpointUrl(context, trx, application, webhookUrl)
    const changed = await optIn(trx, { id, userId }, optInEvents)
    await record(context, trx, {
      action: 'application.changed',
      subjectId: id,
      userId,
      before: changeableOf(application),
      after: changeableOf(changed),
    })
    return changed
  })
}

/** The fields of an application for the audit log. */
function changeableOf(application: Application) {
  const { name, description, website, redirectUris, webhookUrl, optInEvents } = application
  const { endpointDisabledReason } = application
  return {
    ...{ name, description, website, redirectUris, optInEvents, endpointDisabledReason },
    webhookUrl: maskUrl(webhookUrl),
  }
}

/**
 * Called after the webhook URL is set, because the endpoint opts in.
 *
 * @returns the current application
 */
async function optIn(
  trx: Database,
  { id, userId }: { id: string; userId: string },
  types: OptInEventType[] | undefined,
): Promise<Application> {
  const application = await findApplication(trx, userId, id)
  if (application === undefined) throw noApplication()
  if (types === undefined) return application
  const { keptEndpointId } = application
  if (keptEndpointId !== null) await setOptInEvents(trx, keptEndpointId, types)
  else if (types.length > 0) {
    throw new UserError('optInEvents needs a webhook URL (webhookUrl). Give one too')
  }
  return { ...application, optInEvents: types }
}

/**
 * Makes a new client secret; the old one is refused immediately.
 *
 * @returns the secret, which is shown only once
 * @throws UserError 404, 409 for a public application
 */
export async function rotateClientSecret(context: Context, userId: string, id: string): Promise<string> {
  await getApplication(context, userId, id)
  const clientSecret = newToken()
  await transaction(context.db, async (trx) => {
    if (!(await replaceClientSecret(trx, userId, id, sha256(clientSecret)))) {
      await getApplication({ db: trx }, userId, id)
      throw new UserError('A public application has no client secret. It uses PKCE', 409)
    }
    await record(context, trx, { action: 'application.client_secret.rotated', subjectId: id, userId })
  })
  return clientSecret
}

/**
 * From now on its tokens are refused, no line is connected to it, and it gets no events.
 *
 * @throws UserError 404
 */
export async function deleteApplication(context: Context, userId: string, id: string): Promise<void> {
  await getApplication(context, userId, id)
  await transaction(context.db, async (trx) => {
    // A call that connects lines waits for this lock, and then finds the application deleted.
    const application = await findApplication(trx, userId, id, { isLocked: true })
    if (application === undefined) throw noApplication()
    await markApplicationDeleted(trx, id)
    if (application.keptEndpointId !== null) await deleteEndpoint(trx, application.keptEndpointId)
    const lines = await deleteAuthorizations(trx, { applicationId: id })
    await endOAuthGrantsOf(trx, id)
    await record(context, trx, {
      action: 'application.deleted',
      subjectId: id,
      userId,
      before: { name: application.name, connectedLineCount: lines.length },
    })
  })
  await endDeliveriesOf(context, [{ applicationId: id }])
}

/** Finds the application with this client id for OAuth; undefined if there is none, or it was deleted. */
export async function findClient({ db }: Context, clientId: string): Promise<Application | undefined> {
  return isId(clientId) ? findApplicationByClientId(db, clientId) : undefined
}

/** Compares hashes, in constant time. A public application has no secret, so the answer is always false. */
export function isClientSecret({ clientSecretHash }: Application, secret: string): boolean {
  return clientSecretHash !== null && timingSafeEqual(clientSecretHash, sha256(secret))
}

function noApplication(): UserError {
  return new UserError('No such application', 404)
}

function withoutUndefined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T
}
