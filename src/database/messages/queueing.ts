import { setTimeout as sleep } from 'node:timers/promises'
import { asError, OutcomeUnknown, type UserError } from '../../errors.js'
import { callFunction } from '../answers.js'
import { givingWay, type Database } from '../connection.js'
import { countOf } from '../lists.js'
import { DatabaseUnavailable, mayBeDone } from '../outage.js'
import { toJson } from '../text.js'

/** How long to spend on finding out about a statement whose answer was lost, within the clients' total wait. */
const LOOK_MS = 4000
const PATIENCE_MS = 9000
const LOOK_PAUSE_MS = 200

/**
 * The origin of a message: a line's webhook, an application, a user's program, a user by hand, or the service itself.
 */
export type OutboundSource = 'webhook' | 'application' | 'api' | 'console' | 'service'

/** A message to send. */
export interface QueueRequest {
  messageId: string
  lineId: string
  source: OutboundSource
  /** The application, if it is the source. */
  applicationId?: string | undefined
  /** An E.164 number. */
  toNumber: string
  text: string | null
  /** The files to copy before it is sent, in order. */
  media?: readonly { id: string; url: string; token: string }[]
  /** The time to send it, if that is in the future by the clock of Postgres; otherwise it is sent immediately. */
  sendAt?: Date | undefined
  /** If it has not been handed over by then, it fails. */
  expiresAt?: Date | undefined
  /** The sender's reference. */
  clientRef?: string | undefined
  carrierOptions?: Readonly<Record<string, string>> | undefined
  /** The message that this one repeats. */
  againOf?: string
  /**
   * True if the service accepts no more messages now; the answer is `line_full`, as if the line's own backlog were
   * full.
   */
  isBacklogFull?: boolean
  /**
   * Why it is not accepted now, although its contents would be. This does not apply to a repeat, which gets the answer
   * to the first; otherwise the answer is `refused`.
   */
  refusal?: UserError | undefined
  /**
   * True if far fewer messages than the limit are known to wait on the line. They are then not counted, because that
   * would take time.
   */
  isLineRoomy?: boolean
  /**
   * `scopeId` is the owner of the key. `requestHash` is hex, and tells a repeat from another request under the same
   * key.
   */
  idempotency?: { scopeId: string; key: string; requestHash: string } | undefined
  /** The number of segments of its text, which counts in spend caps; if left out, nothing counts. */
  segmentCount?: number | undefined
  /** Returns true if the client is gone by now; if omitted, the client counts as waiting. */
  hasDisconnected?: (() => boolean) | undefined
  /** The credentials that let a webhook's request in. If they have changed since, the answer is `webhook_changed`. */
  openedBy?: { tokenHash: Buffer; lineVersion: string }
}

/**
 * The state of a sliding window after the request. `opensMs` is the time until it has room for one more message than
 * now; 0 if no message counts.
 */
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
    | 'refused'
    | 'over_cap'
    | 'over_monthly_cap'
    | 'line_full'
  /** The id of the accepted message, or of the first one under the same key. */
  messageId: string | null
  /** The windows of the line's incoming webhook; undefined if the statement's answer was lost although it was done. */
  windows: { toNumber: Allowance; line: Allowance } | undefined
  /** The number that waited on the line before the request; null if not counted. */
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
 * Every message to send passes through here. One transaction for the batch (`queue_messages`) checks keys, opt-outs,
 * limits and backlogs and writes the rows. A message whose answer is `accepted` is committed. Answers are in the order
 * of the requests, with an Error if the line is gone.
 *
 * If the statement's answer is lost, the rows show what it did, by the ids that the requests have: an answer is
 * OutcomeUnknown only if Postgres does not answer that either.
 *
 * @throws DatabaseUnavailable if none of it was done, nor will be
 */
export async function queueMessages(
  db: Database,
  requests: readonly QueueRequest[],
  maxQueuedPerLine: number,
): Promise<(QueueAnswer | Error)[]> {
  const patientUntil = performance.now() + PATIENCE_MS
  try {
    return await givingWay(() => queue(db, requests, maxQueuedPerLine))
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable) || !mayBeDone(error)) throw error
    return findOutcomes(db, requests, maxQueuedPerLine, { lost: error, patientUntil })
  }
}

/**
 * Finds out what a statement did whose answer was lost. Requests that it did not do, and no longer can, are done now.
 */
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
 * Finds which of these messages have rows. Other connections may be as dead as the one whose answer was lost, and the
 * pool needs a moment to replace them: for the client a late answer is better than "not known".
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

/** Some requests of the batch were done, so a failure concerns only the others. */
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
    refused: request.refusal === undefined ? undefined : true,
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

/** Counts all waiting messages, up to `limit`. */
export async function countQueued(db: Database, limit: number): Promise<number> {
  return countOf(db, `(select 1 from messages where status = 'queued' limit ?) waiting`, [limit])
}
