import type { Database } from '../connection.js'
import { MEDIA_OF_MESSAGE, type MediaStatus } from '../media/reading.js'
import { isQueued } from './turns.js'

export const MESSAGE_STATUSES = [
  'queued',
  'sending',
  'sent',
  'delivered',
  'failed',
  'unknown',
  'received',
] as const

export type MessageStatus = (typeof MESSAGE_STATUSES)[number]

/** A message as the sending worker sees it, with what its line says about sending. */
export interface MessageToSend {
  id: string
  lineId: string
  account: {
    id: string
    name: string
    kind: string
    version: number
    messagesPerSecond: number | null
    messagesPerSecondPerLine: number | null
  }
  lineStatus: 'active' | 'disabled'
  numberLimit: number
  lineLimit: number
  fromNumber: string
  toNumber: string
  text: string | null
  /** Of a message with media: our copy. null for one without; `hasMedia` tells. */
  media: { status: MediaStatus; token: string; failure: string | null } | null
  hasMedia: boolean
  status: MessageStatus
  attemptCount: number
  ageMs: number
  /** Not of the message that confirms the opt-out. */
  isOptedOut: boolean
  /** How long the line and the number are paused; 0: they are not. */
  pausedMs: number
  /** An earlier message to the same number is not over yet. */
  isBehind: boolean
}

const earlierUnfinished = `exists (
  select 1 from messages p where p.line_id = m.line_id and p.to_number = m.to_number
    and p.status in ('queued', 'sending') and p.id < m.id)`

export async function loadMessagesToSend(
  db: Database,
  ids: readonly string[],
): Promise<(MessageToSend | undefined)[]> {
  const { rows } = await db.raw<{ rows: MessageToSend[] }>(
    `select m.id, m.line_id as "lineId", l.status as "lineStatus",
            json_build_object('id', a.id, 'name', a.name, 'kind', a.kind, 'version', a.version,
              'messagesPerSecond', a.messages_per_second,
              'messagesPerSecondPerLine', a.messages_per_second_per_line) as account,
            l.messages_per_number_per_minute as "numberLimit", l.messages_per_minute as "lineLimit",
            m.from_number as "fromNumber", m.to_number as "toNumber", m.text, m.status,
            m.media_url is not null as "hasMedia", ${MEDIA_OF_MESSAGE} as media,
            m.attempt_count as "attemptCount",
            (extract(epoch from clock_timestamp() - m.created_at) * 1000)::float8 as "ageMs",
            c.opted_out_at is not null and m.id is distinct from c.opt_out_answer_id as "isOptedOut",
            greatest(0, ceil(extract(epoch from c.paused_until - clock_timestamp()) * 1000))::float8 as "pausedMs", ${earlierUnfinished} as "isBehind"
     from messages m
     join lines l on l.id = m.line_id
     join carrier_accounts a on a.name = l.carrier
     left join line_contacts c on c.line_id = m.line_id and c.number = m.to_number
     where m.id = any (?::uuid[])`,
    [[...ids]],
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id))
}

/** A claim of a message for one attempt. */
export interface Claim {
  /** Which attempt of the message this is, from 1; the carrier gets it. */
  attempt: number
  /** Which claim this is; `settleMessages` wants it back. Unlike the attempt's number it is never given twice. */
  claim: number
}

/**
 * The fence before a carrier call: queued → sending by compare-and-set, so that of all jobs for a message one
 * gets it, and never before the earlier messages to its number are over.
 *
 * @returns undefined for who did not get it
 */
export async function claimMessages(
  db: Database,
  ids: readonly string[],
  leaseMs: number,
): Promise<(Claim | undefined)[]> {
  const { rows } = await db.raw<{ rows: ({ id: string } & Claim)[] }>(
    `update messages m
     set status = 'sending', claimed_at = clock_timestamp(), attempt_count = m.attempt_count + 1, claim_count = m.claim_count + 1,
         lease_until = now() + make_interval(secs => ?)
     where m.id = any (?::uuid[]) and ${isQueued} and not ${earlierUnfinished}
     returning m.id, m.attempt_count as attempt, m.claim_count as claim`,
    [leaseMs / 1000, [...ids]],
  )
  // Two jobs of one message may stand in one batch: the row is claimed once, and the first of them has it.
  const byId = new Map(rows.map(({ id, ...claim }) => [id, claim]))
  return ids.map((id) => {
    const claim = byId.get(id)
    byId.delete(id)
    return claim
  })
}

/** Says when a waiting message is next due, so that the sweeper leaves it alone until then. */
export async function postponeMessages(
  db: Database,
  waits: readonly { id: string; ms: number }[],
): Promise<void> {
  await db.raw(
    `update messages m set due_at = clock_timestamp() + make_interval(secs => g.ms / 1000.0)
     from jsonb_to_recordset(?::jsonb) as g(id uuid, ms integer)
     where m.id = any (?::uuid[]) and m.id = g.id and ${isQueued}`,
    [JSON.stringify(waits), waits.map(({ id }) => id)],
  )
}
