import type { SentRecord } from '../records.js'
import { withoutNumbers } from '../refusals.js'
import { explainCode, isOptOut } from './errors.js'

/** Our states for Twilio's states of a message that it has taken. */
const STATUSES: Record<string, SentRecord['status']> = {
  accepted: 'sent',
  scheduled: 'sent',
  queued: 'sent',
  sending: 'sent',
  sent: 'sent',
  partially_delivered: 'sent',
  delivered: 'delivered',
  read: 'delivered',
  undelivered: 'failed',
  failed: 'failed',
  canceled: 'failed',
}

/** @returns undefined for a state that a sent message cannot have */
export function readOutcome(
  status: string,
  errorCode: string,
  errorMessage: string,
): Omit<SentRecord, 'carrierMessageId'> | undefined {
  const outcome = Object.hasOwn(STATUSES, status) ? STATUSES[status] : undefined
  if (outcome !== 'failed') return outcome && { status: outcome }
  const said = errorMessage === '' ? `Twilio reports it as ${status}` : errorMessage.slice(0, 500)
  return {
    status: 'failed',
    error: explainCode(errorCode) ?? withoutNumbers(said),
    ...(errorCode === '' ? {} : { carrierCode: errorCode }),
    ...(isOptOut(errorCode) ? { isOptedOut: true } : {}),
  }
}
