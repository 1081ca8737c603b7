import type { UnknownMessage } from '../carrier.js'
import type { SentRecord } from '../records.js'
import { senderKindOf } from '../../kit/text/sender-kind.js'
import { textAt } from '../kit/reading.js'
import { createdAtOf, type TwilioApi } from './api.js'
import { readOutcome } from './statuses.js'

/**
 * The list is newest first, 100 a page, so a message that a line has just sent to one number is on one of the first
 * pages.
 */
const MAX_PAGES = 5
/** Twilio's clock differs from ours, and shows whole seconds. */
const CLOCK_SKEW_MS = 10_000
/** Twilio makes its record while our request is under way, and no request lasts this long. */
const MAX_REQUEST_MS = 300_000

/** Twilio puts this before every text of a trial account. */
const TRIAL_PREFIX = 'Sent from your Twilio trial account - '

/**
 * Finds Twilio's records that may be of a message: between its two numbers, with its text, created when we handed it
 * over. They are not filtered by `DateSent`, because messages that are still in Twilio's queue have none.
 *
 * @throws CarrierRefused
 */
export async function findSent(
  api: TwilioApi,
  { fromNumber, toNumber, text, claimedAt }: UnknownMessage,
  signal: AbortSignal,
): Promise<SentRecord[]> {
  const since = claimedAt.getTime() - CLOCK_SKEW_MS
  const until = claimedAt.getTime() + MAX_REQUEST_MS
  const isService = senderKindOf(fromNumber) === 'service'
  const list = {
    path: '/Messages.json',
    query: { ...(isService ? {} : { From: fromNumber }), To: toNumber },
    name: 'messages',
    maxPages: MAX_PAGES,
    since,
  }
  const found: { createdAt: number; record: SentRecord }[] = []
  for await (const records of api.pages(list, signal)) {
    for (const each of records) {
      // The list can be filtered by one sender, but a service has several.
      if (isService && textAt(each, 'messaging_service_sid') !== fromNumber) continue
      const createdAt = createdAtOf(each)
      const record = createdAt >= since && createdAt <= until ? readRecord(each, text ?? '') : undefined
      if (record) found.push({ createdAt, record })
    }
  }
  return found.sort((a, b) => a.createdAt - b.createdAt).map(({ record }) => record)
}

/** @returns undefined if it is not of a message with this text */
function readRecord(record: Record<string, unknown>, text: string): SentRecord | undefined {
  const carrierMessageId = textAt(record, 'sid')
  const isSent = textAt(record, 'direction').startsWith('outbound') && carrierMessageId !== ''
  if (!isSent || !isText(textAt(record, 'body'), text)) return undefined
  const outcome = readOutcome(
    textAt(record, 'status'),
    textAt(record, 'error_code'),
    textAt(record, 'error_message'),
  )
  return outcome && { carrierMessageId, ...outcome }
}

function isText(body: string, text: string): boolean {
  return body.trim() === text.trim() || body.trim() === (TRIAL_PREFIX + text).trim()
}
