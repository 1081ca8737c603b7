import { columnsOf } from '../../shape.js'
import { APPLICATION_FIELDS, type Application, type ApplicationKind } from './application.js'
import type { Database } from '../connection.js'
import { countOf } from '../lists.js'

/** The fields that its owner can change at any time, except the webhook URL. */
export interface ApplicationFields {
  name: string
  description: string
  website: string | null
  redirectUris: string[]
}

export async function insertApplication(
  db: Database,
  application: ApplicationFields & {
    id: string
    userId: string
    kind: ApplicationKind
    clientSecretHash: Buffer | null
  },
): Promise<void> {
  await db('applications').insert({
    id: application.id,
    user_id: application.userId,
    client_id: application.id,
    kind: application.kind,
    client_secret_hash: application.clientSecretHash,
    ...rowOf(application),
  })
}

/** Lists the oldest first. */
export async function listApplicationsOf(db: Database, userId: string): Promise<Application[]> {
  return existing(db).where({ 'a.user_id': userId }).orderBy('a.id').select<Application[]>(db.raw(COLUMNS))
}

export async function countApplications(db: Database, userId: string): Promise<number> {
  return countOf(db, 'applications where user_id = ? and deleted_at is null', [userId])
}

/**
 * @param isLocked true to keep others from changing or deleting it, or connecting a line to it, until the transaction
 *   ends
 */
export async function findApplication(
  db: Database,
  userId: string,
  id: string,
  { isLocked = false } = {},
): Promise<Application | undefined> {
  // This is a separate statement: anything joined to a row that waited for its lock is as it was before the wait.
  if (isLocked) await lockApplication(db, id)
  return existing(db)
    .where({ 'a.user_id': userId, 'a.id': id })
    .first<Application | undefined>(db.raw(COLUMNS))
}

/** Finds any user's application, for OAuth, which does not know the user yet; not while its owner is stopped. */
export async function findApplicationByClientId(
  db: Database,
  clientId: string,
): Promise<Application | undefined> {
  return existing(db)
    .where({ 'a.client_id': clientId, 'u.stopped_at': null })
    .first<Application | undefined>(db.raw(COLUMNS))
}

/**
 * Until the transaction ends, no one else can delete it or change whose lines it has.
 *
 * @returns false if it is deleted
 */
export async function lockApplication(trx: Database, id: string): Promise<boolean> {
  const row = await trx('applications')
    .where({ id })
    .whereNull('deleted_at')
    .forNoKeyUpdate()
    .first<{ id: string } | undefined>('id')
  return row !== undefined
}

export async function updateApplicationRow(
  db: Database,
  id: string,
  fields: ApplicationFields,
): Promise<void> {
  await db('applications').where({ id }).update(rowOf(fields))
}

/** Returns the endpoint that is its webhook; undefined if it has none, or is deleted. */
export async function findApplicationWebhook(db: Database, id: string): Promise<string | undefined> {
  const row = await db('applications')
    .where({ id })
    .whereNull('deleted_at')
    .first<{ endpointId: string | null } | undefined>({ endpointId: 'endpoint_id' })
  return row?.endpointId ?? undefined
}

export async function setApplicationEndpoint(db: Database, id: string, endpointId: string): Promise<void> {
  await db('applications').where({ id }).update({ endpoint_id: endpointId })
}

/** @returns false if the user has no such application, or it is a public one */
export async function replaceClientSecret(
  db: Database,
  userId: string,
  id: string,
  clientSecretHash: Buffer,
): Promise<boolean> {
  const query = db('applications')
    .where({ id, user_id: userId, kind: 'confidential' })
    .whereNull('deleted_at')
  return (await query.update({ client_secret_hash: clientSecretHash })) > 0
}

export async function markApplicationDeleted(db: Database, id: string): Promise<void> {
  await db('applications').where({ id }).update({ deleted_at: db.fn.now() })
}

function existing(db: Database) {
  return db('applications as a')
    .join('users as u', 'u.id', 'a.user_id')
    .leftJoin('endpoints as k', 'k.id', 'a.endpoint_id')
    .leftJoin('endpoints as e', (join) => join.on('e.id', 'a.endpoint_id').onNull('e.removed_at'))
    .whereNull('a.deleted_at')
}

const COLUMNS = columnsOf(APPLICATION_FIELDS)

function rowOf({ name, description, website, redirectUris }: ApplicationFields) {
  return { name, description, website, redirect_uris: redirectUris }
}
