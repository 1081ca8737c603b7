import * as kit from '../kit.js'
import { at, textAt } from '../kit.js'

/**
 * The groups of statuses, and those of their members that mean something else:
 * https://www.infobip.com/docs/essentials/api-essentials/response-status-and-error-codes
 */
export const STATES: kit.StateTable = {
  ACCEPTED: 'sent',
  PENDING: 'sent',
  DELIVERED: 'delivered',
  DELIVERED_TO_OPERATOR: 'sent',
  UNDELIVERABLE: 'failed',
  EXPIRED: 'failed',
  // The operator's report did not arrive in time; the message may have.
  EXPIRED_DLR_UNKNOWN: 'sent',
  REJECTED: 'failed',
}

/**
 * https://www.infobip.com/docs/api/channels/sms/inbound-sms/receive-inbound-sms-messages shows the format of a message;
 * an MMS has parts in `message`.
 */
export function readMessage(item: unknown): kit.CallbackItem {
  const texts = kit.listAt(item, 'message').filter((part) => textAt(part, 'contentType') === 'text/plain')
  return kit.message({
    id: textAt(item, 'messageId'),
    from: textAt(item, 'from'),
    to: textAt(item, 'to'),
    text: textAt(item, 'text') || texts.map((part) => textAt(part, 'value')).join('\n'),
    mediaUrls: kit.textsAt(item, 'message', 'url'),
  })
}

export function readReport(item: unknown): kit.CallbackItem {
  const [name, group] = [textAt(item, 'status.name'), textAt(item, 'status.groupName')]
  // If Infobip itself refuses a message, only the status gives the reason.
  const reason = at(item, ['', '0'].includes(textAt(item, 'error.groupId')) ? 'status' : 'error')
  return kit.receipt(STATES, {
    id: textAt(item, 'messageId'),
    state: kit.entryOf(STATES, name) === undefined ? group : name,
    code: textAt(reason, 'name'),
    said: textAt(reason, 'description'),
    messageId: textAt(item, 'callbackData') || undefined,
    // Older paths call it smsCount: https://www.infobip.com/docs/api/channels/sms/outbound-sms/receive-outbound-sms-message-reports
    charge: kit.readCharge({
      price: textAt(item, 'price.pricePerMessage'),
      isEach: true,
      currency: textAt(item, 'price.currency'),
      segments: textAt(item, 'messageCount') || textAt(item, 'smsCount'),
    }),
  })
}
