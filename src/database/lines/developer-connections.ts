import type { OptInEventType } from '../../event-types.js'
import type { Database } from '../connection.js'
import type { DisabledReason } from '../endpoints/endpoints.js'

export interface DeveloperConnection {
  lineId: string
  enabled: boolean
  /** null if no outgoing webhook URL is set. */
  endpointId: string | null
  /** The same endpoint, or the one whose URL was removed. */
  keptEndpointId: string | null
  /** The kept endpoint has them too. */
  optInEvents: OptInEventType[]
  outgoingWebhookUrl: string | null
  endpointDisabledAt: Date | null
  endpointDisabledReason: DisabledReason | null
  /** The time since which the endpoint has only failed. */
  endpointFailingSince: Date | null
  endpointFailureCount: number | null
  /** The time when its deliveries were paused. */
  endpointPausedAt: Date | null
  /** A user's id; null for the command line. */
  endpointPausedBy: string | null
  /** Until then, events are also signed with the secret from before the last rotation. */
  previousSecretUntil: Date | null
  hasIncomingWebhook: boolean
  incomingWebhookCreatedAt: Date | null
  tokenRegeneratedAt: Date | null
  /** Until then, the token from before the last regeneration also works. */
  previousTokenUntil: Date | null
}

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
  const row: DeveloperConnection | undefined = await db('developer_connections as c')
    .join('lines as l', 'l.id', 'c.line_id')
    .leftJoin('endpoints as k', 'k.id', 'c.endpoint_id')
    .leftJoin('endpoints as e', (join) => join.on('e.id', 'k.id').onNull('e.removed_at'))
    .leftJoin('incoming_webhooks as w', 'w.line_id', 'c.line_id')
    .where({ 'l.user_id': userId, 'l.id': lineId })
    .first({
      lineId: 'c.line_id',
      enabled: 'c.enabled',
      endpointId: 'e.id',
      keptEndpointId: 'k.id',
      optInEvents: db.raw(`coalesce(k.opt_in_events, '{}')`),
      outgoingWebhookUrl: 'e.url',
      endpointDisabledAt: 'e.disabled_at',
      endpointDisabledReason: 'e.disabled_reason',
      endpointFailingSince: 'e.failing_since',
      endpointFailureCount: 'e.consecutive_failure_count',
      endpointPausedAt: 'e.paused_at',
      endpointPausedBy: 'e.paused_by',
      previousSecretUntil: db.raw(
        'case when e.previous_secret_until > now() then e.previous_secret_until end',
      ),
      hasIncomingWebhook: db.raw('w.line_id is not null'),
      incomingWebhookCreatedAt: 'w.created_at',
      tokenRegeneratedAt: 'w.regenerated_at',
      previousTokenUntil: db.raw('case when w.previous_token_until > now() then w.previous_token_until end'),
    })
  return row
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
