import type { Database } from '../connection.js'
import { runNamed } from '../named-statement.js'
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
  /** Which of its jobs is the current one. */
  generation: number
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
  /** How long it has to wait yet, by Postgres's clock; 0: its time has come. */
  earlyMs: number
  /** An earlier message to the same number is not over yet. */
  isBehind: boolean
}

/** SQL: an earlier message to the same number as `m` is not over. The order is that of acceptance. */
export const isBehind = `exists (
  select 1 from messages p where p.line_id = m.line_id and p.to_number = m.to_number
    and p.status in ('queued', 'sending') and p.position < m.position)`

export async function loadMessagesToSend(
  db: Database,
  ids: readonly string[],
): Promise<(MessageToSend | undefined)[]> {
  const { rows } = await db.raw<{ rows: MessageToSend[] }>(
    `select m.id, m.job_generation as generation, m.line_id as "lineId", l.status as "lineStatus",
            json_build_object('id', a.id, 'name', a.name, 'kind', a.kind, 'version', a.version,
              'messagesPerSecond', a.messages_per_second,
              'messagesPerSecondPerLine', a.messages_per_second_per_line) as account,
            l.messages_per_number_per_minute as "numberLimit", l.messages_per_minute as "lineLimit",
            m.from_number as "fromNumber", m.to_number as "toNumber", m.text, m.status,
            m.media_url is not null as "hasMedia", ${MEDIA_OF_MESSAGE} as media,
            m.attempt_count as "attemptCount",
            (extract(epoch from clock_timestamp() - m.created_at) * 1000)::float8 as "ageMs",
            c.opted_out_at is not null and m.id is distinct from c.opt_out_answer_id as "isOptedOut",
            greatest(0, ceil(extract(epoch from c.paused_until - clock_timestamp()) * 1000))::float8 as "pausedMs", 
            greatest(0, ceil(extract(epoch from m.not_before - clock_timestamp()) * 1000))::float8 as "earlyMs", ${isBehind} as "isBehind"
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

/** What a worker claims: the claim's id is its own, and `settleMessages` wants it back. */
export interface ClaimRequest {
  id: string
  claim: string
}

export type ClaimAnswer =
  /** `attempt`: which one of the message this is, from 1; the carrier gets it. */
  | { kind: 'claimed'; attempt: number }
  /** The line's windows are full; how long until they may have room. */
  | { kind: 'full'; ms: number }
  /** Somebody else has it, it is over, or it is not first to its number. */
  | { kind: 'missed' }

/**
 * The fence before a carrier call (`claim_messages`): of all jobs for a message one gets it, never before the earlier
 * messages to its number are over, and never beyond the line's limits.
 */
export async function claimMessages(
  db: Database,
  claims: readonly ClaimRequest[],
  leaseMs: number,
): Promise<ClaimAnswer[]> {
  const rows = await runNamed<{
    id: string
    claim: string | null
    attempt: number | null
    opens_ms: number | null
  }>(
    db,
    'claim_messages',
    'select id, claim, attempt, opens_ms from claim_messages(?::jsonb, make_interval(secs => ?))',
    [JSON.stringify(claims), leaseMs / 1000],
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return claims.map(({ id, claim }) => {
    const row = byId.get(id)
    if (row?.opens_ms != null) return { kind: 'full', ms: row.opens_ms }
    if (row?.claim !== claim) return { kind: 'missed' }
    return { kind: 'claimed', attempt: row.attempt ?? 1 }
  })
}

/**
 * Lets a queued message wait: no job that comes earlier does anything, and the sweep leaves it alone until then. Not
 * when it has got a new job since it was loaded: its turn has come meanwhile.
 */
export async function postponeMessage(
  db: Database,
  { id, generation }: Pick<MessageToSend, 'id' | 'generation'>,
  ms: number,
): Promise<void> {
  await db.raw(
    `update messages m set due_at = clock_timestamp() + make_interval(secs => ?),
       not_before = clock_timestamp() + make_interval(secs => ?)
     where m.id = any (?::uuid[]) and m.job_generation = ? and ${isQueued}`,
    [ms / 1000, ms / 1000, [id], generation],
  )
}
