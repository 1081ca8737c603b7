import type { SentRecord } from '../../records.js'

export type ReceiptState = Pick<SentRecord, 'status' | 'error'>

/**
 * The final states of SMPP, and two that SMSCs add: NOCRED and SYSERR (https://www.smscentral.com.au/sms-api/smpp/receive-dlrs/).
 */
export const FINAL_STATES: Readonly<Record<string, ReceiptState>> = {
  DELIVRD: { status: 'delivered' },
  // The SMSC accepted it on the recipient's behalf, which tells us no more than `sent`.
  ACCEPTD: { status: 'sent' },
  EXPIRED: { status: 'failed', error: 'expired at the carrier: the phone was not reached in time' },
  DELETED: { status: 'failed', error: 'deleted at the carrier' },
  UNDELIV: { status: 'failed', error: 'undeliverable' },
  REJECTD: { status: 'failed', error: 'rejected by the network' },
  SKIPPED: { status: 'failed', error: 'skipped by the carrier' },
  NOCRED: { status: 'failed', error: 'out of credit at the carrier' },
  SYSERR: { status: 'failed', error: 'system error at the carrier' },
}

/** The values of `message_state` (SMPP 3.4 §5.2.28) in the words of the text form. */
const STATES = [
  'SCHEDLD',
  'ENROUTE',
  'DELIVRD',
  'EXPIRED',
  'DELETED',
  'UNDELIV',
  'ACCEPTD',
  'UNKNOWN',
  'REJECTD',
  'SKIPPED',
]

/**
 * NACK: https://www.voip-sip-sdk.com/p_2628-smpp-error-codes.html. BUFFRED: SMS Central, as above. ACKED and BUFFERD:
 * Kannel, for which they mean that the message is on its way (https://github.com/pruiz/kannel, gw/smsc/smsc_smpp.c).
 */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  DELIVERED: 'DELIVRD',
  ACCEPTED: 'ACCEPTD',
  UNDELIVERABLE: 'UNDELIV',
  UNDELIVERED: 'UNDELIV',
  FAILED: 'UNDELIV',
  REJECTED: 'REJECTD',
  NACK: 'REJECTD',
  EN_ROUTE: 'ENROUTE',
  ACKED: 'ENROUTE',
  BUFFRED: 'ENROUTE',
  BUFFERD: 'ENROUTE',
  BUFFERED: 'ENROUTE',
  SCHEDULED: 'SCHEDLD',
}

export function stateOfNumber(messageState: number | undefined): string | undefined {
  return STATES[messageState ?? -1]
}

/** SMPP cuts states to seven letters; some SMSCs write them in full, or as the number in `message_state`. */
export function stateOfWord(word: string | undefined): string | undefined {
  if (word === undefined) return undefined
  if (/^\d{1,3}$/.test(word)) return STATES[Number(word)]
  const stat = Object.hasOwn(OTHER_WORDS, word) ? OTHER_WORDS[word] : word
  return stat !== undefined && (STATES.includes(stat) || Object.hasOwn(FINAL_STATES, stat)) ? stat : undefined
}
