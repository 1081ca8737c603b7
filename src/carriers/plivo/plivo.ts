import * as yup from 'yup'
import * as kit from '../kit.js'
import { textAt } from '../kit.js'
import { listPlivoNumbers, setUpPlivoNumbers } from './numbers.js'
import { isSignedByPlivo } from './signature.js'
import { readMessage, readReport } from './items.js'
import { withoutEnding } from '../../without-ending.js'

type Settings = yup.InferType<typeof settings>

const settings = yup.object({
  authId: kit.setting.needed('The Auth ID, shown on the overview page of the Plivo console.'),
  authToken: kit.setting.secret(
    'The Auth Token, shown next to the Auth ID. Plivo also signs its requests to us with it.',
  ),
  signatures: kit.setting.choice(
    ['V3', 'V2'],
    'The signature version required of callbacks. V2 does not cover their content, so use it only if Plivo does not send V3.',
  ),
  callbackKey: kit.setting.callbackKey(),
  apiUrl: kit.setting.apiUrl('https://api.plivo.com/v1'),
})

/**
 * These are the codes of reports; an API that refuses gives no code:
 * https://plivo.com/docs/messaging/troubleshooting/error-codes
 */
const CODES: kit.CodeTable = {
  opted_out: ['200'],
  // 403 is a country that is not switched on, which concerns this recipient and not the account.
  statuses: { 403: 'rejected' },
  words: {
    10: 'invalid message',
    20: 'network error',
    30: 'marked as spam',
    40: 'invalid source number',
    50: 'invalid destination number',
    60: 'loop detected',
    70: 'destination permanently unavailable',
    80: 'destination temporarily unavailable',
    90: 'no route available',
    100: 'prohibited by the carrier',
    110: 'message too long',
    200: 'blocked by STOP from the destination',
    201: 'this number cannot send to the destination',
    300: 'failed to dispatch the message',
    420: 'message expired',
    450: 'destination country barred',
    900: 'insufficient credit',
    910: 'account disabled',
    1000: 'unknown error',
  },
}

export const plivo: kit.Provider<Settings> = {
  kind: 'plivo',
  title: 'Plivo',
  // https://support.plivo.com/hc/en-us/articles/360041855032
  media: { count: 10, bytesEach: 2_000_000, bytesInTotal: 5_000_000 },
  settings,
  // In the USA and Canada it answers STOP and HELP itself, and blocks: https://docs.plivo.com/docs/messaging/concepts/dnd-service
  defaults: { handlesOptOut: true },
  numbers: 'plain',
  codes: CODES,
  credentialsHint: 'Copy the Auth ID and the Auth Token from the Plivo console.',
  api: ({ authId, authToken, apiUrl }) => ({
    url: `${withoutEnding(apiUrl, '/')}/Account/${encodeURIComponent(authId)}`,
    headers: { Authorization: `Basic ${Buffer.from(`${authId}:${authToken}`).toString('base64')}` },
  }),

  /** https://docs.plivo.com/docs/messaging/api/message/send-a-message */
  send: ({ id, from, to, text, mediaUrls }, { callbackUrl }) => ({
    path: '/Message/',
    json: {
      ...{ src: from, dst: to, text },
      ...(mediaUrls.length === 0 ? { type: 'sms' } : { type: 'mms', media_urls: mediaUrls }),
      // Reports come only to the URL in the request.
      url: callbackUrl('message', { messageId: id }),
      method: 'POST',
    },
  }),
  id: ({ body }) => textAt(body, 'message_uuid.0'),
  refusal: ({ status, body }) => {
    if (status >= 300) return { said: textAt(body, 'error') || textAt(body, 'message') }
    // Wrong numbers are listed beside the ids of the others, in a successful response.
    const isWrong = textAt(body, 'message_uuid.0') === '' && kit.listAt(body, 'invalid_number').length > 0
    return isWrong ? { said: 'Plivo cannot send to this number' } : undefined
  },

  /** https://docs.plivo.com/docs/messaging/api/overview */
  test: () => ({ path: '/Number/', query: { limit: '1' } }),
  listNumbers: listPlivoNumbers,
  setUpNumbers: setUpPlivoNumbers,

  callbacks: {
    urls: { message: 'Message URL of the application, with method POST' },
    hint: "Plivo's signature does not match. Check the account's authToken and signatures, and PUBLIC_URL",
    // A signature of V2 does not cover what the request says, and no signature has a time in it.
    key: ({ callbackKey }) => callbackKey,
    verify: isSignedByPlivo,
    read: (fields, { request }) => {
      const messageId = request.query.get('messageId')
      return messageId === null ? readMessage(fields) : readReport(fields, messageId)
    },
    // Plivo reads the answer to a message as XML that may send another one (handling-incoming, as above).
    answer: { type: 'application/xml', body: '<Response/>' },
    // Plivo waits eight seconds, and then tries again three times (handling-incoming, as above).
    waitMs: 6000,
  },
}
