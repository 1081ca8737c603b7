import { isAcknowledged, type Ledger, type PostedText } from './ledger.js'
import type { Received, Taken } from './outside.js'

/** The limits of a line. In no 60 seconds may the carrier see more texts than these. */
const LIMITS = { perNumber: 5, perLine: 30 }
const MINUTE_MS = 60_000

export interface Goodput {
  acceptedPerSecond: number
  capacityPerSecond: number
}

/** The score of one run. Times are in ms, and Infinity stands for never. */
export interface Score {
  /** The number of outbound and inbound messages that were acknowledged. */
  acknowledged: number
  lost: number
  /** They are neither lost nor doubled. Nobody can know whether they were sent, and their state says so. */
  unknown: number
  doubled: number
  /** Inbound messages that became more than one event. */
  twoIds: number
  /** Inbound messages that were not acknowledged and never became an event. Their carrier may not bring them again. */
  unheard: number
  outOfOrder: number
  overLimits: number
  /** Texts that were answered 503, which says that they were not accepted, although they were. */
  refusedButDone: number
  /** By how many percent fewer texts were accepted than can be. */
  shortfall: number
  answers500: number
  /** Requests without any answer, because the process was gone or silent. */
  unanswered: number
  /** How often a process ended without being told to. */
  crashes: number
  outageMs: number
  /** The time until something new was accepted. */
  backMs: number
  /** The time until something new was sent and delivered, to and from people for whom nothing else waits. */
  recoverMs: number
  /** The time until every message that had been acknowledged before was where it belongs. */
  drainMs: number
}

/** What each may be at most. */
export type Goals = Partial<Record<keyof Score, number>>

export interface Evidence {
  ledger: Ledger
  taken: readonly Taken[]
  received: readonly Received[]
  /** What the row of each acknowledged message says, by the message's id. */
  statuses: ReadonlyMap<string, string>
  /**
   * The ids of messages that are `unknown`, or were until Linehook asked the carrier. The carrier took them after Linehook had
   * stopped waiting, so they may come behind later ones, or over a limit.
   */
  wereUnknown: ReadonlySet<string>
  /** How many rows each text has. */
  copies: ReadonlyMap<string, number>
  goodput?: Goodput | undefined
  limitedNumber: string
  /** The moment from which recovery is counted. */
  mendedAt: number
  crashes: number
}

export function scoreOf(evidence: Evidence): Score {
  const { ledger, taken, received } = evidence
  const acknowledged = {
    texts: ledger.texts.filter(isAcknowledged),
    inbound: ledger.inbound.filter(isAcknowledged),
  }
  const takenAt = firstOf(taken.map(({ at, text }) => [text, at]))
  const receivedAt = firstOf(received.map((each) => [idOfReceived(each), each.at]))
  const answers = [...ledger.texts, ...ledger.inbound].map(({ status }) => status)
  return {
    acknowledged: acknowledged.texts.length + acknowledged.inbound.length,
    lost: findLost(evidence).length,
    unknown: acknowledged.texts.filter(({ messageId }) => evidence.statuses.get(messageId) === 'unknown')
      .length,
    doubled: taken.length - takenAt.size,
    twoIds: countTwoIds(received),
    unheard: findUnheard(evidence).length,
    outOfOrder: findOutOfOrder(evidence).length,
    overLimits: countOverLimits(evidence),
    refusedButDone: countRefusedButDone(evidence),
    shortfall: shortfallOf(evidence.goodput),
    answers500: answers.filter((status) => status >= 500 && status !== 503).length,
    unanswered: answers.filter((status) => status === 0).length,
    crashes: evidence.crashes,
    outageMs: longestOutage(ledger.texts),
    ...recoveryOf(evidence, takenAt, receivedAt),
    drainMs: drainedAfter(evidence, takenAt, receivedAt),
  }
}

/** The states in which a message may stay without being sent. */
const MAY_STAY = { text: /^$/, limited: /^queued$/, picture: /^failed: media_(?!internal)/ } as const

/** Finds acknowledged messages that are neither where they belong nor known to be uncertain, with what their rows say. */
export function findLost({ ledger, taken, received, statuses }: Evidence): { id: string; status: string }[] {
  const sent = new Set(taken.map(({ text }) => text))
  const told = new Set(received.map(idOfReceived))
  const texts = ledger.texts.filter(isAcknowledged).flatMap(({ id, messageId, kind }) => {
    const status = statuses.get(messageId) ?? 'no row'
    const isPlaced = sent.has(id) || status === 'unknown' || MAY_STAY[kind].test(status)
    return isPlaced ? [] : [{ id, status }]
  })
  const inbound = ledger.inbound.filter(isAcknowledged).filter(({ id }) => !told.has(id))
  return [...texts, ...inbound.map(({ id }) => ({ id, status: 'no event' }))]
}

export function findUnheard({ ledger, received }: Evidence): string[] {
  const told = new Set(received.map(idOfReceived))
  return ledger.inbound.filter((each) => !isAcknowledged(each) && !told.has(each.id)).map(({ id }) => id)
}

/** A text is recognized by itself, and a picture by its sender. */
function idOfReceived({ event }: Received): string {
  return event.type === 'inboundText' ? event.payload : event.fromNumber
}

function firstOf(entries: [string, number][]): Map<string, number> {
  const first = new Map<string, number>()
  for (const [id, at] of entries) first.set(id, Math.min(at, first.get(id) ?? Infinity))
  return first
}

function countTwoIds(received: readonly Received[]): number {
  const ids = new Map<string, Set<string>>()
  for (const each of received) {
    const inboundId = idOfReceived(each)
    ids.set(inboundId, (ids.get(inboundId) ?? new Set()).add(each.id))
  }
  return [...ids.values()].filter((each) => each.size > 1).length
}

/**
 * A text that came after a later one, which was posted when this one had been answered. A text that is `unknown` does not
 * count: the carrier was too slow to say that it takes it, so later texts do not wait for it any more, and it may come at any
 * time.
 */
export interface OutOfOrder {
  id: string
  status: string
  /** The later text that came first, and how long before this one it came. */
  behind: string
  byMs: number
}

export function findOutOfOrder({ ledger, taken, statuses, wereUnknown }: Evidence): OutOfOrder[] {
  const takenAt = firstOf(taken.map(({ at, text }) => [text, at]))
  const found: OutOfOrder[] = []
  const earliest = new Map<string, { id: string; at: number }>()
  // Each conversation is read from its last text to its first. No text may come later than the earliest of those behind it.
  const texts = ledger.texts.filter(isAcknowledged).sort((a, b) => b.sequence - a.sequence)
  for (const { id, messageId, conversation } of texts) {
    const at = takenAt.get(id)
    if (at === undefined || wereUnknown.has(messageId)) continue
    const status = statuses.get(messageId) ?? 'no row'
    const first = earliest.get(conversation)
    if (first !== undefined && at > first.at) {
      found.push({ id, status, behind: first.id, byMs: Math.round(at - first.at) })
    } else earliest.set(conversation, { id, at })
  }
  return found
}

/**
 * A text may be posted again after an answer. It has more rows than were acknowledged only if another answer was wrong; one
 * that did not come, or said that nobody knows, was none.
 */
function countRefusedButDone({ ledger, copies }: Evidence): number {
  const byText = new Map<string, PostedText[]>()
  for (const text of ledger.texts) byText.set(text.id, [...(byText.get(text.id) ?? []), text])
  return [...byText].filter(([text, posted]) => {
    if (posted.some(({ status, isUnknown }) => status === 0 || isUnknown)) return false
    const acknowledged = new Set(posted.filter(isAcknowledged).map(({ messageId }) => messageId))
    return (copies.get(text) ?? 0) > acknowledged.size
  }).length
}

function shortfallOf(goodput: Goodput | undefined): number {
  if (goodput === undefined) return 0
  return Math.max(0, Math.round(100 * (1 - goodput.acceptedPerSecond / goodput.capacityPerSecond)))
}

/** Counts the texts that the carrier got although the minute before them was full. */
function countOverLimits({ ledger, taken, wereUnknown, limitedNumber }: Evidence): number {
  const late = new Set(ledger.texts.filter(({ messageId }) => wereUnknown.has(messageId)).map(({ id }) => id))
  const ofLine = taken
    .filter(({ from, text }) => from === limitedNumber && !late.has(text))
    .sort((a, b) => a.at - b.at)
  const numbers = [...new Set(ofLine.map(({ to }) => to))]
  const toNumbers = numbers.map((to) =>
    countOver(
      ofLine.filter((each) => each.to === to),
      LIMITS.perNumber,
    ),
  )
  return countOver(ofLine, LIMITS.perLine) + toNumbers.reduce((sum, count) => sum + count, 0)
}

function countOver(taken: readonly Taken[], limit: number): number {
  return taken.filter(({ at }, index) => {
    const before = taken[index - limit]
    return before !== undefined && at - before.at < MINUTE_MS
  }).length
}

/** The longest time between two accepted texts, while clients were posting. */
function longestOutage(texts: readonly PostedText[]): number {
  const byWebhook = texts.filter(({ kind }) => kind === 'text')
  const accepted = byWebhook.filter(isAcknowledged).map(({ answeredAt }) => answeredAt)
  const ends = byWebhook.map(({ answeredAt }) => answeredAt)
  const moments = [Math.min(...byWebhook.map(({ postedAt }) => postedAt)), ...accepted, Math.max(...ends)]
  const sorted = moments.sort((a, b) => a - b)
  return Math.max(...sorted.map((at, index) => at - (sorted[index - 1] ?? at)))
}

function recoveryOf(
  { ledger, mendedAt }: Evidence,
  takenAt: ReadonlyMap<string, number>,
  receivedAt: ReadonlyMap<string, number>,
): Pick<Score, 'backMs' | 'recoverMs'> {
  const texts = ledger.texts.filter(({ postedAt, kind }) => postedAt >= mendedAt && kind === 'text')
  const inbound = ledger.inbound.filter(({ broughtAt }) => broughtAt >= mendedAt)
  const acceptedAt = texts.filter(isAcknowledged).map(({ answeredAt }) => answeredAt)
  const alone = texts.filter(({ sequence }) => sequence === 0).map(({ id }) => takenAt.get(id) ?? Infinity)
  const told = inbound.map(({ id }) => receivedAt.get(id) ?? Infinity)
  return {
    backMs: Math.min(...acceptedAt) - mendedAt,
    recoverMs: Math.max(Math.min(...alone), Math.min(...told)) - mendedAt,
  }
}

function drainedAfter(
  evidence: Evidence,
  takenAt: ReadonlyMap<string, number>,
  receivedAt: ReadonlyMap<string, number>,
): number {
  const { ledger, statuses, mendedAt } = evidence
  const texts = ledger.texts
    .filter((text) => isAcknowledged(text) && text.kind === 'text' && text.answeredAt <= mendedAt)
    .filter(({ messageId }) => statuses.get(messageId) !== 'unknown')
    .map(({ id }) => takenAt.get(id) ?? Infinity)
  const inbound = ledger.inbound
    .filter((each) => isAcknowledged(each) && each.answeredAt <= mendedAt)
    .map(({ id }) => receivedAt.get(id) ?? Infinity)
  return Math.max(mendedAt, ...texts, ...inbound) - mendedAt
}
