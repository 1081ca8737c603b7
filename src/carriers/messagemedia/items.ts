import * as kit from '../kit.js'
import { textAt } from '../kit.js'

/**
 * https://messagemedia.github.io/documentation/#tag/Delivery-Reports explains six of these, and its schema of a report
 * has the others too.
 */
const STATES: kit.StateTable = {
  queued: 'nothing',
  scheduled: 'nothing',
  processed: 'nothing',
  enroute: 'nothing',
  submitted: 'sent',
  delivered: 'delivered',
  expired: 'failed',
  rejected: 'failed',
  failed: 'failed',
  undeliverable: 'failed',
  cancelled: 'failed',
}

/** The name of our message id in the message's metadata, which comes back in its reports. */
export const REFERENCE = 'linehook_message_id'

export function readReply(fields: unknown): readonly kit.CallbackItem[] {
  const [from, to] = [textAt(fields, 'source_number'), textAt(fields, 'destination_number')]
  const [id, text] = [textAt(fields, 'reply_id'), textAt(fields, 'content')]
  // Media are in the request itself, not at a URL.
  const attached = kit
    .listAt(fields, 'attachments')
    .map((each) => kit.dataUrl(textAt(each, 'content_type'), textAt(each, 'content')))
  const mediaUrls = attached.filter((url) => url !== '')
  const isMissing =
    attached.length > mediaUrls.length || (textAt(fields, 'type') === 'MMS' && attached.length === 0)
  const missing = isMissing ? [kit.unclear('a message that does not include its media')] : []
  if (isMissing && text === '' && mediaUrls.length === 0) return missing
  return [kit.message({ id, from, to, text, mediaUrls }), ...missing]
}

export function readReport(fields: unknown): kit.CallbackItem {
  const [id, state, code] = [
    textAt(fields, 'message_id'),
    textAt(fields, 'status'),
    textAt(fields, 'error_code'),
  ]
  return kit.receipt(STATES, {
    id,
    state,
    code,
    messageId: textAt(fields, `metadata.${REFERENCE}`) || undefined,
    // Only accounts for which MessageMedia has turned them on get these.
    charge: kit.readCharge({ segments: textAt(fields, 'billing_units') }),
  })
}
