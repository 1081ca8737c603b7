import type { Database } from './connection.js'
import type { OptInEventType } from './events.js'

/** confidential: has a server that keeps its secret; public: runs where everybody can read it, and has none. */
export type ApplicationKind = 'confidential' | 'public'

export interface Application {
  id: string
  /** Who registered it. */
  userId: string
  ownerName: string
  clientId: string
  kind: ApplicationKind
  /** SHA-256; null for a public one. */
  clientSecretHash: Buffer | null
  name: string
  /** May be empty. */
  description: string
  website: string | null
  redirectUris: string[]
  createdAt: Date
  /** That of a webhook URL that was taken away, too. */
  keptEndpointId: string | null
  /** Of the kept endpoint, too: they come again with a webhook URL. */
  optInEvents: OptInEventType[]
  /** With the webhook URL they are all there, without it all null. */
  endpointId: string | null
  webhookUrl: string | null
  endpointFailingSince: Date | null
  endpointFailureCount: number | null
  endpointDisabledAt: Date | null
  endpointDisabledReason: 'gone' | 'failing' | null
  /** Until then the signing secret from before the last rotation signs too. */
  previousSecretUntil: Date | null
}

/** What its owner can change at any time, but for the webhook URL. */
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

/** Oldest first. */
export async function listApplicationsOf(db: Database, userId: string): Promise<Application[]> {
  return existing(db).where({ 'a.user_id': userId }).orderBy('a.id').select<Application[]>(columns(db))
}

export async function countApplications(db: Database, userId: string): Promise<number> {
  const row = await db('applications')
    .where({ user_id: userId })
    .whereNull('deleted_at')
    .first<{ count: number }>(db.raw('count(*)::int as count'))
  return row.count
}

/** @param isLocked until the transaction ends, nobody else changes or deletes it, or connects a line to it */
export async function findApplication(
  db: Database,
  userId: string,
  id: string,
  { isLocked = false } = {},
): Promise<Application | undefined> {
  return existing(db)
    .modify((query) => {
      if (isLocked) void query.forUpdate('a')
    })
    .where({ 'a.user_id': userId, 'a.id': id })
    .first<Application | undefined>(columns(db))
}

/** Whosever it is: for OAuth, which knows no user yet. */
export async function findApplicationByClientId(
  db: Database,
  clientId: string,
): Promise<Application | undefined> {
  return existing(db).where({ 'a.client_id': clientId }).first<Application | undefined>(columns(db))
}

/** Until the transaction ends, nobody else deletes it, or changes whose lines it has. @returns false when it is deleted */
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

export async function setApplicationEndpoint(db: Database, id: string, endpointId: string): Promise<void> {
  await db('applications').where({ id }).update({ endpoint_id: endpointId })
}

/** @returns false when the user has no such application, or it is a public one */
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

const columns = (db: Database) => [
  {
    id: 'a.id',
    userId: 'a.user_id',
    ownerName: 'u.name',
    clientId: 'a.client_id',
    kind: 'a.kind',
    clientSecretHash: 'a.client_secret_hash',
    name: 'a.name',
    description: 'a.description',
    website: 'a.website',
    redirectUris: 'a.redirect_uris',
    createdAt: 'a.created_at',
    keptEndpointId: 'a.endpoint_id',
    endpointId: 'e.id',
    webhookUrl: 'e.url',
    endpointFailingSince: 'e.failing_since',
    endpointFailureCount: 'e.consecutive_failure_count',
    endpointDisabledAt: 'e.disabled_at',
    endpointDisabledReason: 'e.disabled_reason',
  },
  db.raw(`coalesce(k.opt_in_events, '{}') as "optInEvents"`),
  db.raw(
    'case when e.previous_secret_until > now() then e.previous_secret_until end as "previousSecretUntil"',
  ),
]

function rowOf({ name, description, website, redirectUris }: ApplicationFields) {
  return { name, description, website, redirect_uris: redirectUris }
}
