import type { OptInEventType } from '../../event-types.js'
import type { Database } from '../connection.js'
import type { DisabledReason } from '../endpoints/endpoints.js'
import { columnsOf, internal, type Row } from '../../shape.js'

const FIELDS = {
  lineId: internal<string>('c.line_id'),
  enabled: internal<boolean>('c.enabled'),
  /** null if no outgoing webhook URL is set. */
  endpointId: internal<string | null>('e.id'),
  /** The same endpoint, or the one whose URL was removed. */
  keptEndpointId: internal<string | null>('k.id'),
  /** The kept endpoint has them too. */
  optInEvents: internal<OptInEventType[]>(`coalesce(k.opt_in_events, '{}')`),
  outgoingWebhookUrl: internal<string | null>('e.url'),
  endpointDisabledAt: internal<Date | null>('e.disabled_at'),
  endpointDisabledReason: internal<DisabledReason | null>('e.disabled_reason'),
  /** The time since which the endpoint has only failed. */
  endpointFailingSince: internal<Date | null>('e.failing_since'),
  endpointFailureCount: internal<number | null>('e.consecutive_failure_count'),
  /** The time when its deliveries were paused. */
  endpointPausedAt: internal<Date | null>('e.paused_at'),
  /** A user's id; null for the command line. */
  endpointPausedBy: internal<string | null>('e.paused_by'),
  /** Until then, events are also signed with the secret from before the last rotation. */
  previousSecretUntil: internal<Date | null>(
    'case when e.previous_secret_until > now() then e.previous_secret_until end',
  ),
  hasIncomingWebhook: internal<boolean>('w.line_id is not null'),
  incomingWebhookCreatedAt: internal<Date | null>('w.created_at'),
  tokenRegeneratedAt: internal<Date | null>('w.regenerated_at'),
  /** Until then, the token from before the last regeneration also works. */
  previousTokenUntil: internal<Date | null>(
    'case when w.previous_token_until > now() then w.previous_token_until end',
  ),
}

export type DeveloperConnection = Row<typeof FIELDS>

export interface ConnectionOptions {
  /** True to keep others from changing the connection, its endpoints or its webhook until the transaction ends. */
  isLocked?: boolean
}

/** The endpoint's fields are those of the line's outgoing webhook. */
export async function findConnection(
  db: Database,
  userId: string,
  lineId: string,
  { isLocked = false }: ConnectionOptions = {},
): Promise<DeveloperConnection | undefined> {
  // This is a separate statement: anything joined to a row that waited for its lock is as it was before the wait.
  if (isLocked) await db('developer_connections').where({ line_id: lineId }).forUpdate().select('line_id')
  return db('developer_connections as c')
    .join('lines as l', 'l.id', 'c.line_id')
    .leftJoin('endpoints as k', 'k.id', 'c.endpoint_id')
    .leftJoin('endpoints as e', (join) => join.on('e.id', 'k.id').onNull('e.removed_at'))
    .leftJoin('incoming_webhooks as w', 'w.line_id', 'c.line_id')
    .where({ 'l.user_id': userId, 'l.id': lineId })
    .first<DeveloperConnection | undefined>(db.raw(columnsOf(FIELDS)))
}

/**
 * Makes the connection if the line has none yet.
 *
 * @returns false if the user has no such line
 */
export async function setConnectionEnabled(
  db: Database,
  userId: string,
  lineId: string,
  { enabled }: { enabled: boolean },
): Promise<boolean> {
  const { rows } = await db.raw<{ rows: unknown[] }>(
    `insert into developer_connections (line_id, enabled)
     select id, ?::boolean from lines where user_id = ? and id = ?
     on conflict (line_id) do update set enabled = excluded.enabled, updated_at = now()
     returning line_id`,
    [enabled, userId, lineId],
  )
  return rows.length > 0
}

export async function setConnectionEndpoint(
  db: Database,
  lineId: string,
  endpointId: string | null,
): Promise<void> {
  await db('developer_connections')
    .where({ line_id: lineId })
    .update({ endpoint_id: endpointId, updated_at: db.fn.now() })
}
