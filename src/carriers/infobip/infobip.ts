import * as yup from 'yup'
import * as kit from '../kit.js'
import { at, textAt } from '../kit.js'
import { listNumbers, setUpNumbers } from './numbers.js'
import { readMessage, readReport, STATES } from './items.js'

type Settings = yup.InferType<typeof settings>

const settings = yup.object({
  apiKey: kit.setting.secret(
    'An API key with the scopes sms:manage and numbers:manage. Find it in the Infobip portal under Developer Tools, API Keys.',
  ),
  apiUrl: kit.setting
    .needed(
      'The base URL of the account, such as https://abc123.api.infobip.com. It is shown next to the API keys.',
    )
    .matches(/^https?:\/\/[^/]+/, 'apiUrl must be a full URL, such as https://abc123.api.infobip.com'),
  callbackKey: kit.setting.callbackKey(),
})

/**
 * Names of statuses and of errors, whose numbers overlap:
 * https://www.infobip.com/docs/essentials/api-essentials/response-status-and-error-codes
 */
const CODES: kit.CodeTable = {
  account: [
    'REJECTED_NOT_ENOUGH_CREDITS',
    'REJECTED_PREPAID_PACKAGE_EXPIRED',
    'REJECTED_ROUTE_NOT_AVAILABLE',
    // The line's number is not registered for the account, or is blocked there.
    'REJECTED_SOURCE',
    'REJECTED_SENDER',
    // Nothing was taken, and Infobip says to try again.
    'REJECTED_SYSTEM_ERROR',
  ],
  opted_out: [
    'REJECTED_DESTINATION_BLOCKLISTED',
    'EC_BLACKLISTED_DESTINATIONADDRESS',
    // The recipient wrote STOP to a toll-free number.
    'EC_CONTENT_BLOCKED',
  ],
}

export const infobip: kit.Provider<Settings> = {
  kind: 'infobip',
  title: 'Infobip',
  // https://www.infobip.com/docs/mms/message-types : the networks decide how large.
  media: { count: 10 },
  settings,
  numbers: 'plain',
  codes: CODES,
  credentialsHint: "Copy the API key and the base URL from the Infobip portal, and check the key's scopes.",
  // https://www.infobip.com/docs/essentials/api-essentials/api-authentication
  api: ({ apiKey, apiUrl }) => ({ url: apiUrl, headers: { Authorization: `App ${apiKey}` } }),

  /**
   * https://www.infobip.com/docs/api/channels/sms/outbound-sms/send-sms-messages and
   * https://www.infobip.com/docs/api/channels/mms/send-mms-messages
   *
   * Up to 100 reports for one URL come at a time, so our id is in the data that comes back, and not in the URL.
   */
  send: ({ id, from, to, text, mediaUrls }, { callbackUrl }) => {
    const segments = [
      ...(text === undefined ? [] : [{ type: 'TEXT', text }]),
      ...mediaUrls.map((url) => ({ type: 'LINK', contentUrl: url })),
    ]
    const message = {
      sender: from,
      destinations: [{ to }],
      content: mediaUrls.length === 0 ? { text } : { messageSegments: segments },
      webhooks: { delivery: { url: callbackUrl('events') }, callbackData: id },
    }
    return {
      path: mediaUrls.length === 0 ? '/sms/3/messages' : '/mms/2/messages',
      json: { messages: [message] },
    }
  },
  id: ({ body }) => textAt(body, 'messages.0.messageId'),
  charge: ({ body }) => kit.readCharge({ segments: textAt(body, 'messages.0.details.messageCount') }),
  refusal: ({ body }) => {
    const status = at(body, 'messages.0.status')
    if (kit.entryOf(STATES, textAt(status, 'groupName')) === 'failed')
      return { code: textAt(status, 'name'), said: textAt(status, 'description') }
    return faultOf(body)
  },

  test: () => ({ path: '/numbers/1/numbers', query: { limit: '1' } }),
  listNumbers,
  setUpNumbers,

  callbacks: {
    urls: { events: 'HTTP forwarding URL of each number, for SMS and MMS' },
    hint: 'the key in the URL does not match. Enter the URL shown for this account at Infobip',
    key: ({ callbackKey }) => callbackKey,
    // Up to 100 reports come at a time:
    // https://www.infobip.com/docs/api/channels/sms/outbound-sms/receive-outbound-sms-message-reports
    bringsMany: true,
    items: ({ fields }) => fields.results,
    read: (item) => (at(item, 'status') === undefined ? readMessage(item) : readReport(item)),
  },
}

/**
 * https://www.infobip.com/docs/essentials/api-essentials/response-status-and-error-codes shows the format of errors;
 * older paths return requestError.
 */
function faultOf(body: unknown): kit.Refusal | undefined {
  const older = at(body, 'requestError.serviceException')
  if (older !== undefined) return { code: textAt(older, 'messageId'), said: textAt(older, 'text') }
  const code = textAt(body, 'errorCode')
  if (code === '') return undefined
  const said = ['description', 'violations.0.property', 'violations.0.violation'].map((path) =>
    textAt(body, path),
  )
  return { code, said: said.join(' ') }
}
