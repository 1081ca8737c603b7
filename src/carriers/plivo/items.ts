import * as kit from '../kit.js'
import { textAt } from '../kit.js'

/** https://docs.plivo.com/docs/messaging/api/message/message-status-callbacks */
const STATES: kit.StateTable = {
  queued: 'nothing',
  sent: 'sent',
  delivered: 'delivered',
  undelivered: 'failed',
  failed: 'failed',
  rejected: 'failed',
}

/** The values of `MessageIntent`: https://docs.plivo.com/docs/messaging/api/message/handling-incoming */
const KEYWORDS = { optout: 'stop', optin: 'start', help: 'help' } as const

/** An MMS has at most ten: https://support.plivo.com/hc/en-us/articles/360041856452 */
const MAX_MEDIA = 10

export function readMessage(fields: unknown): kit.CallbackItem {
  return kit.message({
    id: textAt(fields, 'MessageUUID'),
    from: textAt(fields, 'From'),
    to: textAt(fields, 'To'),
    // The text of an MMS is in another field.
    text: textAt(fields, 'Text') || textAt(fields, 'Body'),
    // The fields begin with 0 or 1, because two pages of the documentation differ.
    mediaUrls: [...Array(MAX_MEDIA + 1).keys()].flatMap((n) => kit.textsAt(fields, `Media${n}`)),
    keyword: kit.entryOf(KEYWORDS, textAt(fields, 'MessageIntent').toLowerCase()),
  })
}

export function readReport(fields: unknown, messageId: string): kit.CallbackItem {
  const code = textAt(fields, 'ErrorCode')
  return kit.receipt(STATES, {
    id: textAt(fields, 'MessageUUID'),
    state: textAt(fields, 'Status').toLowerCase(),
    // 000 means none.
    code: code === '000' ? '' : code,
    messageId,
    // All prices are in US dollars (message-status-callbacks, as above).
    charge: kit.readCharge({
      price: textAt(fields, 'TotalAmount'),
      currency: 'USD',
      segments: textAt(fields, 'Units'),
    }),
  })
}
