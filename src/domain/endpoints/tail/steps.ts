import type { TailedAttempt, TailedDelivery, TailedMessage } from '../../../database/endpoints/tail.js'

/** A single step of a message or a delivery. */
export interface Step {
  at: Date
  kind: 'message' | 'delivery'
  id: string
  lineId: string
  lineName: string
  /** For a delivery to an endpoint, the type of its event. */
  way: string
  /** The other party's number. */
  number: string
  state: string
  reason: string | null
}

/** A step before the line's name is known. */
type Unnamed = Omit<Step, 'lineName'>

/**
 * Returns the steps of a message since it was last seen.
 *
 * @param known the messages as they were last seen, which this changes
 * @param options.isFirst true if only the current state is of interest
 */
export function stepsOfMessage(
  known: Map<string, TailedMessage>,
  message: TailedMessage,
  { now, isFirst }: { now: Date; isFirst: boolean },
): Unnamed[] {
  const before = known.get(message.id)
  known.set(message.id, message)
  const isSame = before?.status === message.status && before.error === message.error
  if (isSame) return []
  const step = (at: Date, state: string, reason: string | null = null): Unnamed => ({
    at,
    kind: 'message',
    id: message.id,
    lineId: message.lineId,
    way: message.direction,
    number: message.number,
    state,
    reason,
  })
  const { status, error, createdAt, sentAt } = message
  const current = step(changedAt(message) ?? now, status, error)
  if (isFirst) return [current]
  // This step happened between two queries.
  const isAccepted = before === undefined && message.direction === 'outbound'
  const wasSent = sentAt !== null && (before?.sentAt ?? null) === null && status !== 'sent'
  return [
    ...(isAccepted && status !== 'scheduled' && (status !== 'queued' || error !== null)
      ? [step(createdAt, 'queued')]
      : []),
    ...(wasSent ? [step(sentAt, 'sent')] : []),
    current,
  ]
}

/** @returns undefined if the row does not say */
function changedAt({
  status,
  error,
  createdAt,
  claimedAt,
  sentAt,
  receiptAt,
}: TailedMessage): Date | undefined {
  switch (status) {
    case 'received':
      return createdAt
    case 'scheduled':
    case 'queued':
      return error === null ? createdAt : undefined
    case 'sending':
      return claimedAt ?? undefined
    case 'sent':
      return sentAt ?? undefined
    case 'delivered':
    case 'failed':
      return receiptAt ?? undefined
    case 'unknown':
      return undefined
  }
}

export function stepOfDelivery({
  id,
  lineId,
  type,
  number,
  createdAt,
  status,
  lastFailure,
}: TailedDelivery): Unnamed {
  const isHeld = status === 'held'
  return {
    at: createdAt,
    kind: 'delivery',
    id,
    lineId,
    way: type,
    number,
    // Its attempts report everything that has happened since.
    state: isHeld ? 'held' : 'pending',
    reason: isHeld ? lastFailure : null,
  }
}

export function stepOfAttempt(attempt: TailedAttempt): Unnamed {
  const { deliveryId, lineId, type, number, endedAt, failure, nextAttemptAt, deliveryStatus, attemptNumber } =
    attempt
  const isOver = nextAttemptAt === null
  return {
    at: endedAt,
    kind: 'delivery',
    id: deliveryId,
    lineId,
    way: type,
    number,
    state: failure === null ? 'delivered' : isOver ? deliveryStatus : 'pending',
    reason: failure === null ? null : `${failure} at attempt ${attemptNumber}`,
  }
}
