import {
  columnsOf,
  count,
  internal,
  listOf,
  made,
  moment,
  oneOf,
  orNull,
  shown,
  url,
  uuid,
  type Kind,
  type Row,
} from '../../shape.js'
import type { Database } from '../connection.js'
import { DISABLED_REASONS } from './endpoints.js'
import { OPT_IN_EVENT_TYPES } from './events.js'

const name: Kind<string> = { schema: { type: 'string', minLength: 1, maxLength: 100 } }

/** An endpoint that a line has beside its outgoing webhook URL. The columns are those of `endpoints e`. */
export const LINE_ENDPOINT_FIELDS = {
  id: shown('e.id', uuid),
  lineId: shown('e.line_id', uuid),
  userId: internal('e.user_id', uuid),
  name: shown('e.name', orNull(name), 'What you call it; null: it has no name.'),
  url: shown('e.url', url, 'Where its events are sent.'),
  optInEvents: shown(
    'e.opt_in_events',
    listOf(oneOf(...OPT_IN_EVENT_TYPES)),
    'The events that it gets besides those of received messages.',
  ),
  /** null: no event was sent to it yet. */
  calledAt: internal('e.called_at', orNull(moment)),
  failingSince: shown('e.failing_since', orNull(moment), 'Every attempt since this moment has failed.'),
  consecutiveFailureCount: shown('e.consecutive_failure_count', count),
  disabledAt: shown('e.disabled_at', orNull(moment), 'Events are held since this moment.'),
  disabledReason: shown(
    'e.disabled_reason',
    orNull(oneOf(...DISABLED_REASONS)),
    '`gone`: it answered 410. `failing`: every attempt of five days failed. `owner_disabled`: the account of its owner was ' +
      'disabled.',
  ),
  pausedAt: shown('e.paused_at', orNull(moment), 'Since when no events are sent: they wait.'),
  /** Who paused it: a user's id; null: the command line. */
  pausedByUser: internal('e.paused_by', orNull(uuid)),
  pausedBy: made(orNull(oneOf('owner', 'operator')), 'What an `operator` paused only operators resume.'),
  previousSecretUntil: shown(
    'case when e.previous_secret_until > now() then e.previous_secret_until end',
    orNull(moment),
    'Until this moment the previous signing secret signs too.',
  ),
  createdAt: shown('e.created_at', moment),
}

export type LineEndpoint = Row<typeof LINE_ENDPOINT_FIELDS>

/** For operators: whosever it is. */
export async function findEndpointOfAnyLine(db: Database, id: string): Promise<LineEndpoint | undefined> {
  return existing(db).where({ 'e.id': id }).first<LineEndpoint | undefined>(db.raw(COLUMNS))
}

/** Oldest first; the caller has looked whose line it is. */
export async function listEndpointsOfLine(db: Database, lineId: string): Promise<LineEndpoint[]> {
  return existing(db).where({ 'e.line_id': lineId }).orderBy('e.id').select<LineEndpoint[]>(db.raw(COLUMNS))
}

/** A pause ends with it: what is still under way could not end otherwise. The row stays, for its deliveries. */
export async function deleteEndpoint(db: Database, id: string): Promise<void> {
  await db('endpoints').where({ id }).update({ removed_at: db.fn.now(), paused_at: null, paused_by: null })
}

export async function renameEndpoint(db: Database, id: string, name: string | null): Promise<void> {
  await db('endpoints').where({ id }).update({ name })
}

const COLUMNS = columnsOf(LINE_ENDPOINT_FIELDS)

function existing(db: Database) {
  return db('endpoints as e').whereNotNull('e.line_id').whereNull('e.removed_at')
}
