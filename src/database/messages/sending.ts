import type { MediaReason, MediaStatus, MessageReason } from '../../states.js'
import type { Database } from '../connection.js'
import { runNamed } from '../named-statement.js'
import { toJson } from '../text.js'
import { isQueued } from './requeueing.js'

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
  numberLimit: number
  lineLimit: number
  fromNumber: string
  toNumber: string
  text: string | null
  /** Of a message with media: our copy. null for one without. */
  media: { status: MediaStatus; token: string; failure: MediaReason | null } | null
  ageMs: number
}

/** What a worker claims: the claim's id is its own, and `settleMessages` wants it back. */
export interface ClaimRequest {
  id: string
  claim: string
  /** It has its places in the windows (`enterWindows`), which a claim needs after the answer `crowded`. */
  hasPlaces?: boolean
  /** No process seems to hold its account's sessions. */
  isHere?: boolean
}

export type ClaimAnswer =
  /** `attempt`: which one of the message this is, from 1; the carrier gets it. */
  | { kind: 'claimed'; message: MessageToSend; attempt: number }
  /** It is not to be sent any more. */
  | { kind: 'refused'; message: MessageToSend; error: MessageReason | MediaReason }
  /** The process that holds its account's sessions sends it. */
  | { kind: 'elsewhere'; message: MessageToSend }
  /** Its time has not come; `paused`: the line and the number are. */
  | { kind: 'early' | 'paused'; message: MessageToSend; ms: number }
  /** It gets its job when an earlier message to its number is over, or when its media are copied. */
  | { kind: 'behind' | 'without_media'; message: MessageToSend }
  | { kind: 'crowded'; message: MessageToSend }
  /** The line's windows are full; how long until they may have room. */
  | { kind: 'full'; message: MessageToSend; ms: number }
  /** Somebody else has it, or it is over. */
  | { kind: 'missed' }

export interface ClaimSettings {
  leaseMs: number
  /** A message that was accepted longer ago is not sent any more. */
  maxAgeMs: number
  /** After so long the sweep looks at messages that wait for an earlier one or for their media. */
  lookAgainMs: number
  /** Kinds of carriers that send where the account's sessions are, and the accounts whose sessions are here. */
  heldKinds: readonly string[]
  heldAccounts: readonly string[]
}

interface ClaimRow extends MessageToSend {
  claim: string
  verdict: Exclude<ClaimAnswer['kind'], 'missed'>
  failure: MessageReason | MediaReason | null
  waitMs: number
  attempt: number | null
}

/**
 * Claims messages for a carrier call (`claim_messages`). Only one of all jobs for a message gets it, never before the
 * earlier messages to its number are over, and never beyond the line's limits.
 */
export async function claimMessages(
  db: Database,
  claims: readonly ClaimRequest[],
  limits: ClaimSettings,
): Promise<ClaimAnswer[]> {
  const rows = await runNamed<ClaimRow>(
    db,
    'claim_messages',
    `select id, claim, verdict, failure, wait_ms as "waitMs", attempt, generation, line_id as "lineId",
       from_number as "fromNumber", to_number as "toNumber", text, media, age_ms as "ageMs", account,
       number_limit as "numberLimit", line_limit as "lineLimit"
     from claim_messages(?::jsonb, make_interval(secs => ?), make_interval(secs => ?), make_interval(secs => ?),
       ?::text[], ?::uuid[])`,
    [
      toJson(
        claims.map(({ id, claim, hasPlaces, isHere }) => ({
          id,
          claim,
          has_places: hasPlaces,
          is_here: isHere,
        })),
      ),
      limits.leaseMs / 1000,
      limits.maxAgeMs / 1000,
      limits.lookAgainMs / 1000,
      limits.heldKinds,
      limits.heldAccounts,
    ],
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return claims.map(({ id, claim }) => asAnswer(claim, byId.get(id)))
}

function asAnswer(ownClaim: string, row: ClaimRow | undefined): ClaimAnswer {
  if (row === undefined) return { kind: 'missed' }
  const { claim, verdict, failure, waitMs, attempt, ...message } = row
  switch (verdict) {
    case 'claimed':
      // If a batch claims a message twice, only one of the two claims gets it.
      return claim === ownClaim ? { kind: verdict, message, attempt: attempt ?? 1 } : { kind: 'missed' }
    case 'refused':
      return { kind: verdict, message, error: failure ?? 'internal_error' }
    case 'early':
    case 'paused':
    case 'full':
      return { kind: verdict, message, ms: waitMs }
    case 'elsewhere':
    case 'behind':
    case 'without_media':
    case 'crowded':
      return { kind: verdict, message }
  }
}

/**
 * Lets a queued message wait: until then jobs do nothing with it, and the sweep leaves it alone. Does nothing if the
 * message has got a new job since it was read, because its turn has come meanwhile.
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
