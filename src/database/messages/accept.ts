import type { Database } from '../connection.js'

export interface AcceptRequest {
  messageId: string
  lineId: string
  /** E.164 */
  toNumber: string
  text: string
  /** The service takes no more now; the answer is `line_full`, as when the line's own backlog is. */
  isBacklogFull?: boolean
  idempotencyKey?: string
  /** Hex; what the request asks for, to tell a repeat from another request under the same key. */
  requestHash?: string
}

/** A sliding window as it is after the request. `opensMs`: until it gives back one message; 0 when none counts. */
export interface Allowance {
  limit: number
  used: number
  opensMs: number
}

export interface AcceptAnswer {
  outcome:
    'accepted' | 'replayed' | 'key_reused' | 'key_in_flight' | 'opted_out' | 'rate_limited' | 'line_full'
  /** Of the accepted message, or of the first one under the same key. */
  messageId: string | null
  toNumber: Allowance
  line: Allowance
}

interface Row {
  n: number
  outcome: AcceptAnswer['outcome']
  message_id: string | null
  number_limit: number
  number_used: number
  number_opens_ms: number
  line_limit: number
  line_used: number
  line_opens_ms: number
}

/**
 * Accepts messages from incoming webhooks: keys, opt-outs, limits and rows in one transaction for the batch.
 * What is answered as `accepted` is committed. Answers are in the order of the requests.
 */
export async function acceptMessages(
  db: Database,
  requests: readonly AcceptRequest[],
  maxQueuedPerLine: number,
): Promise<AcceptAnswer[]> {
  const rows = requests.map((request, n) => ({
    n,
    id: request.messageId,
    line_id: request.lineId,
    to: request.toNumber,
    text: request.text,
    full: request.isBacklogFull ?? false,
    key: request.idempotencyKey,
    hash: request.requestHash,
  }))
  const result = await db.raw<{ rows: Row[] }>('select * from accept_messages(?::jsonb, ?)', [
    JSON.stringify(rows),
    maxQueuedPerLine,
  ])
  return result.rows.map((row) => ({
    outcome: row.outcome,
    messageId: row.message_id,
    toNumber: { limit: row.number_limit, used: row.number_used, opensMs: row.number_opens_ms },
    line: { limit: row.line_limit, used: row.line_used, opensMs: row.line_opens_ms },
  }))
}

/** How many messages wait in all, counted no further than `limit`. */
export async function countQueued(db: Database, limit: number): Promise<number> {
  const result = await db.raw<{ rows: { count: number }[] }>(
    `select count(*)::integer as count from (select 1 from messages where status = 'queued' limit ?) waiting`,
    [limit],
  )
  return result.rows[0]?.count ?? 0
}
