import { OPT_IN_EVENT_TYPES, type OptInEventType } from '../../event-types.js'
import {
  columnsOf,
  count,
  flag,
  internal,
  listOf,
  made,
  moment,
  oneOf,
  orNull,
  shown,
  text,
  url,
  uuid,
  type Kind,
  type Row,
} from '../../shape.js'
import type { Database } from '../connection.js'
import type { StoredPolicy } from './policy.js'

/** The reasons why an endpoint is disabled. The last one is not its server's fault: its user is disabled. */
export const DISABLED_REASONS = ['gone', 'failing', 'owner_disabled'] as const

export type DisabledReason = (typeof DISABLED_REASONS)[number]

const name: Kind<string> = { schema: { type: 'string', minLength: 1, maxLength: 100 } }

/**
 * An endpoint as its owner sees it. The columns are those of `endpoints e` and of the developer connection `c` whose
 * outgoing webhook it is.
 */
export const ENDPOINT_FIELDS = {
  id: shown('e.id', uuid),
  /** The line's owner, or the user who registered the application. */
  userId: internal('e.user_id', uuid),
  lineId: shown(
    'e.line_id',
    orNull(uuid),
    'The {line} it gets events from. Null if it belongs to an application or your account.',
  ),
  applicationId: shown(
    'e.application_id',
    orNull(uuid),
    'The application that the webhook belongs to. If both are null, it is an operational webhook of your account.',
  ),
  isOutgoingWebhook: shown(
    'c.line_id is not null',
    flag,
    'Whether it is the outgoing webhook of its {line}.',
  ),
  name: shown('e.name', orNull(name), 'Your name for it. Null if it has none.'),
  url: shown('e.url', url, 'The URL that receives its events.'),
  optInEvents: shown(
    'e.opt_in_events',
    listOf(oneOf(...OPT_IN_EVENT_TYPES)),
    'The events it gets in addition to received messages.',
  ),
  /** null if no event was sent to it yet. */
  calledAt: internal('e.called_at', orNull(moment)),
  failingSince: shown('e.failing_since', orNull(moment), 'Every attempt since this time has failed.'),
  lastFailure: internal('e.last_failure', orNull(text)),
  consecutiveFailureCount: shown('e.consecutive_failure_count', count),
  disabledAt: shown(
    'e.disabled_at',
    orNull(moment),
    'When it was disabled. Events have been held since then.',
  ),
  disabledReason: shown(
    'e.disabled_reason',
    orNull(oneOf(...DISABLED_REASONS)),
    "`gone`: it returned 410. `failing`: every attempt failed for five days. `owner_disabled`: the owner's account was disabled.",
  ),
  pausedAt: shown(
    'e.paused_at',
    orNull(moment),
    'When events were paused. They wait until events are resumed.',
  ),
  /** The user who paused it; null for the command line. */
  pausedByUser: internal('e.paused_by', orNull(uuid)),
  pausedBy: made(
    orNull(oneOf('owner', 'operator')),
    'Only operators can resume events that an `operator` paused.',
  ),
  previousSecretUntil: shown(
    'case when e.previous_secret_until > now() then e.previous_secret_until end',
    orNull(moment),
    'Events are also signed with the previous secret until then.',
  ),
  secretRotatedAt: internal('e.secret_rotated_at', orNull(moment)),
  createdAt: shown('e.created_at', moment),
}

export type Endpoint = Row<typeof ENDPOINT_FIELDS>

/** A filter whose given fields must all match. */
export interface EndpointFilter {
  id?: string | undefined
  userId?: string | undefined
  lineId?: string | undefined
  applicationId?: string | undefined
  isOfAccount?: boolean | undefined
}

/**
 * Lists a line's outgoing webhook first, then the oldest first.
 *
 * @param isLocked true to keep others from changing them until the transaction ends
 */
export async function listEndpoints(
  db: Database,
  { id, userId, lineId, applicationId, isOfAccount = false }: EndpointFilter,
  { isLocked = false } = {},
): Promise<Endpoint[]> {
  const wanted = { 'e.id': id, 'e.user_id': userId, 'e.line_id': lineId, 'e.application_id': applicationId }
  const given = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined))
  return db('endpoints as e')
    .modify((query) => {
      if (isLocked) void query.forUpdate('e')
      if (isOfAccount) void query.whereNull('e.line_id').whereNull('e.application_id')
    })
    .leftJoin('developer_connections as c', 'c.endpoint_id', 'e.id')
    .leftJoin('applications as a', 'a.id', 'e.application_id')
    .where(given)
    .whereNull('e.removed_at')
    .whereNull('a.deleted_at')
    .orderByRaw('c.line_id is null, e.id')
    .select<Endpoint[]>(db.raw(COLUMNS))
}

const COLUMNS = columnsOf(ENDPOINT_FIELDS)

/**
 * The owner of an endpoint: a line, an application, or a user's account, in which case it is an operational webhook.
 */
export type EndpointOwner = { lineId: string } | { applicationId: string } | { isOfAccount: true }

export async function insertEndpoint(
  db: Database,
  endpoint: {
    id: string
    userId: string
    url: string
    secretSealed: Buffer
    name?: string | null
  } & EndpointOwner,
): Promise<void> {
  await db('endpoints').insert({
    id: endpoint.id,
    user_id: endpoint.userId,
    line_id: 'lineId' in endpoint ? endpoint.lineId : null,
    application_id: 'applicationId' in endpoint ? endpoint.applicationId : null,
    name: endpoint.name ?? null,
    url: endpoint.url,
    secret_sealed: endpoint.secretSealed,
  })
}

/**
 * Deletes an endpoint. A pause ends with it, because deliveries under way could not end otherwise. The row stays for
 * its deliveries.
 */
export async function deleteEndpoint(db: Database, id: string): Promise<void> {
  await db('endpoints').where({ id }).update({ removed_at: db.fn.now(), paused_at: null, paused_by: null })
  for (const table of ['developer_connections', 'applications']) {
    await db(table).where({ endpoint_id: id }).update({ endpoint_id: null })
  }
}

export async function renameEndpoint(db: Database, id: string, name: string | null): Promise<void> {
  await db('endpoints').where({ id }).update({ name })
}

/** Stops its deliveries; held ones stay. */
export async function removeEndpointUrl(db: Database, id: string): Promise<void> {
  await db('endpoints').where({ id }).update({ removed_at: db.fn.now() })
}

/** Sets a new URL, which starts with a clean bill of health: the old URL's health says nothing about it. */
export async function setEndpointUrl(db: Database, id: string, url: string): Promise<void> {
  await db('endpoints')
    .where({ id })
    .update({ url, removed_at: null, ...healthy })
}

/** An endpoint that is not disabled keeps its health: a program may keep enabling it. */
export async function enableEndpoint(db: Database, id: string): Promise<void> {
  await db('endpoints').where({ id }).whereNotNull('disabled_at').update(healthy)
}

/**
 * Stops the endpoints of all lines and applications of the user, except those that are disabled already, in the order
 * in which `settle_deliveries` locks them.
 *
 * @returns their number
 */
export async function stopEndpointsOf(db: Database, userId: string): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `update endpoints set disabled_at = now(), disabled_reason = 'owner_disabled'
     where id = any (array(select id from endpoints where user_id = ? and disabled_at is null
       order by id for no key update))`,
    [userId],
  )
  return rowCount
}

/** @returns their number */
export async function restartEndpointsOf(db: Database, userId: string): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `update endpoints set disabled_at = null, disabled_reason = null
     where id = any (array(select id from endpoints where user_id = ? and disabled_reason = 'owner_disabled'
       order by id for no key update))`,
    [userId],
  )
  return rowCount
}

/** Sets the events that it gets in addition to those that every endpoint gets. */
export async function setOptInEvents(
  db: Database,
  id: string,
  types: readonly OptInEventType[],
): Promise<void> {
  await db('endpoints')
    .where({ id })
    .update({ opt_in_events: [...types] })
}

export async function findSealedSecret(db: Database, id: string): Promise<Buffer | undefined> {
  const row = await db('endpoints')
    .where({ id })
    .first<{ sealed: Buffer } | undefined>({ sealed: 'secret_sealed' })
  return row?.sealed
}

/** Everything that a POST to an endpoint needs. */
const TO_CALL_FIELDS = {
  /** The line's owner, or the user who registered the application. */
  ownerId: internal<string>('user_id'),
  url: internal<string>('url'),
  secretSealed: internal<Buffer>('secret_sealed'),
  /** It is only set while a rotation's overlap lasts. */
  previousSecretSealed: internal<Buffer | null>(
    'case when previous_secret_until > now() then previous_secret_sealed end',
  ),
  policy: internal<StoredPolicy>('policy'),
  /** null if it has none. */
  headersSealed: internal<Buffer | null>('headers_sealed'),
}

export type EndpointToCall = Row<typeof TO_CALL_FIELDS>

export async function findEndpointToCall(db: Database, id: string): Promise<EndpointToCall | undefined> {
  return db('endpoints')
    .where({ id })
    .first<EndpointToCall | undefined>(db.raw(columnsOf(TO_CALL_FIELDS)))
}

export async function replaceSecret(
  db: Database,
  id: string,
  secretSealed: Buffer,
  overlapSeconds: number,
): Promise<void> {
  await db('endpoints')
    .where({ id })
    .update({
      previous_secret_sealed: overlapSeconds > 0 ? db.ref('secret_sealed') : null,
      previous_secret_until:
        overlapSeconds > 0 ? db.raw('now() + make_interval(secs => ?)', [overlapSeconds]) : null,
      secret_sealed: secretSealed,
      secret_rotated_at: db.fn.now(),
    })
}

/** The health of an endpoint that was never called. */
const healthy = {
  called_at: null,
  failing_since: null,
  consecutive_failure_count: 0,
  last_failure: null,
  disabled_at: null,
  disabled_reason: null,
}

/**
 * Counts the endpoints with a URL that have only failed for a while, and those that no longer get events because of
 * it.
 */
export async function countUnhealthyEndpoints(db: Database): Promise<{ failing: number; disabled: number }> {
  const { rows } = await db.raw<{ rows: { failing: number; disabled: number }[] }>(
    `select count(*) filter (where disabled_at is null and failing_since is not null)::integer as failing,
       count(*) filter (where disabled_at is not null)::integer as disabled
     from endpoints where removed_at is null and disabled_reason is distinct from 'owner_disabled'`,
  )
  return rows[0] ?? { failing: 0, disabled: 0 }
}
