import { setTimeout as sleep } from 'node:timers/promises'
import { asError, OutcomeUnknown } from '../../errors.js'
import { callFunction } from '../answers.js'
import type { Database } from '../connection.js'
import { DatabaseUnavailable, mayBeDone } from '../outage.js'
import { toJson } from '../text.js'

/** How long a statement whose answer was lost is looked into, within what clients wait in all. */
const LOOK_MS = 4000
const PATIENCE_MS = 9000
const LOOK_PAUSE_MS = 200

/** Who wants it sent: a line's webhook, an application, a user's program, a user by hand, or the service by itself. */
export type OutboundSource = 'webhook' | 'application' | 'api' | 'console' | 'service'

/** A message that is to be sent. */
export interface QueueRequest {
  messageId: string
  lineId: string
  source: OutboundSource
  /** The application, where it is the source. */
  applicationId?: string | undefined
  /** E.164 */
  toNumber: string
  text: string | null
  /** What is to be copied before it is sent, in order. */
  media?: readonly { id: string; url: string; token: string }[]
  /**
   * The time when it is to be sent, if that is still to come by the clock of Postgres; otherwise it is sent at once.
   */
  sendAt?: Date | undefined
  /** If it was not handed over by then, it fails. */
  expiresAt?: Date | undefined
  /** What whoever sends it calls it. */
  clientRef?: string | undefined
  /** What they say to the carrier besides. */
  carrierOptions?: Readonly<Record<string, string>> | undefined
  /** The message that this one repeats. */
  againOf?: string
  /** The service takes no more now; the answer is `line_full`, as when the line's own backlog is. */
  isBacklogFull?: boolean
  /**
   * Far fewer messages than the limit are known to wait on the line. Then they are not counted, which would cost time.
   */
  isLineRoomy?: boolean
  /** `scopeId`: whose key it is. `requestHash`: hex; tells a repeat from another request under the same key. */
  idempotency?: { scopeId: string; key: string; requestHash: string } | undefined
  /** How many segments its text takes, which it counts in spend caps; left out: nothing. */
  segmentCount?: number | undefined
  /** Whether whoever asked is gone by now; left out: they wait. */
  hasLeft?: (() => boolean) | undefined
  /** What let a webhook's request in. If it has changed since, the answer is `webhook_changed`. */
  openedBy?: { tokenHash: Buffer; lineVersion: string }
}

/** A sliding window as it is after the request. `opensMs`: until it gives back one message; 0 when none counts. */
export interface Allowance {
  limit: number
  used: number
  opensMs: number
}

export interface QueueAnswer {
  outcome:
    | 'accepted'
    | 'replayed'
    | 'key_reused'
    | 'key_in_flight'
    | 'not_connected'
    | 'webhook_changed'
    | 'opted_out'
    | 'rate_limited'
    | 'over_cap'
    | 'over_monthly_cap'
    | 'line_full'
  /** The id of the accepted message, or of the first one under the same key. */
  messageId: string | null
  /** The windows of the line's incoming webhook; undefined: the statement's own answer was lost, and it was done. */
  windows: { toNumber: Allowance; line: Allowance } | undefined
  /** How many waited on the line before the request; null: not counted. */
  waitingOnLine: number | null
}

interface Row {
  n: number
  outcome: QueueAnswer['outcome']
  messageId: string | null
  numberLimit: number
  numberUsed: number
  numberOpensMs: number
  lineLimit: number
  lineUsed: number
  lineOpensMs: number
  lineWaiting: number | null
}

/**
 * Everything that is to be sent passes here. One transaction for the batch (`queue_messages`) judges keys, opt-outs,
 * limits and backlogs and writes the rows. A message that is answered as `accepted` is committed. Answers are in the
 * order of the requests, with an Error where the line is gone.
 *
 * If the statement's answer is lost, the rows tell what it did, by the ids that the requests have: an answer is
 * OutcomeUnknown only where Postgres gives no answer to that either.
 *
 * @throws DatabaseUnavailable when nothing of it was done, nor will be
 */
export async function queueMessages(
  db: Database,
  requests: readonly QueueRequest[],
  maxQueuedPerLine: number,
): Promise<(QueueAnswer | Error)[]> {
  const patientUntil = performance.now() + PATIENCE_MS
  try {
    return await queue(db, requests, maxQueuedPerLine)
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable) || !mayBeDone(error)) throw error
    return findOutcomes(db, requests, maxQueuedPerLine, { lost: error, patientUntil })
  }
}

/** What a statement did whose answer was lost. What it did not do, and cannot do any more, is done now. */
async function findOutcomes(
  db: Database,
  requests: readonly QueueRequest[],
  maxQueuedPerLine: number,
  { lost, patientUntil }: { lost: DatabaseUnavailable; patientUntil: number },
): Promise<(QueueAnswer | Error)[]> {
  const isOver = await lost.isOver()
  const ids = requests.map(({ messageId }) => messageId)
  let done: Set<string>
  try {
    done = await findWritten(db, ids, Math.min(performance.now() + LOOK_MS, patientUntil))
  } catch (error) {
    return requests.map(() => new OutcomeUnknown(error))
  }
  const missing = requests.filter(({ messageId }) => !done.has(messageId))
  const others = isOver && missing.length > 0 ? await queueLate(db, missing, maxQueuedPerLine) : []
  const late = new Map(missing.map(({ messageId }, n) => [messageId, others[n]]))
  return requests.map(({ messageId }) =>
    done.has(messageId) ? asDone(messageId) : (late.get(messageId) ?? new OutcomeUnknown(lost)),
  )
}

/**
 * Which of these messages have rows. Other connections may be dead like the one whose answer was lost, and the pool
 * needs a moment to replace them: whoever waits for the answer is better served late than by "not known".
 */
async function findWritten(db: Database, ids: readonly string[], untilMs: number): Promise<Set<string>> {
  for (;;) {
    try {
      return new Set(await db('messages').whereIn('id', ids).pluck<string[]>('id'))
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || performance.now() > untilMs) throw error
    }
    await sleep(LOOK_PAUSE_MS)
  }
}

/** Some requests of the batch were done, so a failure is that of the others alone. */
async function queueLate(
  db: Database,
  requests: readonly QueueRequest[],
  maxQueuedPerLine: number,
): Promise<(QueueAnswer | Error)[]> {
  try {
    return await queue(db, requests, maxQueuedPerLine)
  } catch (error) {
    const failure = mayBeDone(error) ? new OutcomeUnknown(error) : asError(error)
    return requests.map(() => failure)
  }
}

function asDone(messageId: string): QueueAnswer {
  return { outcome: 'accepted', messageId, windows: undefined, waitingOnLine: null }
}

async function queue(
  db: Database,
  requests: readonly QueueRequest[],
  maxQueuedPerLine: number,
): Promise<(QueueAnswer | Error)[]> {
  const rows = await callFunction<'queue_messages', Row>(db, 'queue_messages', '?::jsonb, ?::integer', [
    toJson(requests.map(asRow)),
    maxQueuedPerLine,
  ])
  const byPlace = new Map(rows.map((row) => [row.n, row]))
  return requests.map((_, n) => {
    const row = byPlace.get(n)
    return row === undefined ? new Error('its line is gone') : asAnswer(row)
  })
}

function asRow(request: QueueRequest, n: number): object {
  const { media = [], idempotency, openedBy } = request
  return {
    n,
    id: request.messageId,
    line_id: request.lineId,
    source: request.source,
    application_id: request.applicationId,
    to: request.toNumber,
    text: request.text,
    media: media.length === 0 ? undefined : media,
    again_of: request.againOf,
    full: request.isBacklogFull,
    roomy: request.isLineRoomy,
    scope_id: idempotency?.scopeId,
    key: idempotency?.key,
    hash: idempotency?.requestHash,
    token_hash: openedBy?.tokenHash.toString('hex'),
    line_version: openedBy?.lineVersion,
    segments: request.segmentCount,
    send_at: request.sendAt,
    expires_at: request.expiresAt,
    client_ref: request.clientRef,
    carrier_options: request.carrierOptions,
  }
}

function asAnswer(row: Row): QueueAnswer {
  return {
    outcome: row.outcome,
    messageId: row.messageId,
    windows: {
      toNumber: { limit: row.numberLimit, used: row.numberUsed, opensMs: row.numberOpensMs },
      line: { limit: row.lineLimit, used: row.lineUsed, opensMs: row.lineOpensMs },
    },
    waitingOnLine: row.lineWaiting,
  }
}

/** How many messages wait in all, counted no further than `limit`. */
export async function countQueued(db: Database, limit: number): Promise<number> {
  const result = await db.raw<{ rows: { count: number }[] }>(
    `select count(*)::integer as count from (select 1 from messages where status = 'queued' limit ?) waiting`,
    [limit],
  )
  return result.rows[0]?.count ?? 0
}
