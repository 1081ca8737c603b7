import * as yup from 'yup'
import * as kit from '../kit.js'
import { at, textAt } from '../kit.js'
import { listNumbers, listPhones, readPhone, setUpWebhook } from './phones.js'

type Settings = yup.InferType<typeof settings>

const settings = yup.object({
  apiKey: kit.setting.secret('The API key. Find it on the Settings page of httpsms.com.'),
  signingKey: kit.setting.callbackKey().meta({
    about:
      "The webhook's signing key. Leave empty to generate one, which the callback setup then enters at httpSMS.",
    secret: true,
  }),
  callbackKey: kit.setting.callbackKey(),
  apiUrl: kit.setting.apiUrl('https://api.httpsms.com'),
})

/** https://docs.httpsms.com/webhooks/events */
const STATES: kit.StateTable = {
  'message.phone.sent': 'sent',
  'message.phone.delivered': 'delivered',
  'message.send.failed': 'failed',
  'message.send.expired': 'failed',
}

/** The events that say that the phone is back in contact, or has not been for an hour. */
const HEARTBEATS = ['phone.heartbeat.online', 'phone.heartbeat.offline']

const MISSED_CALL = 'message.call.missed'

/** The events that httpSMS sends us. */
const EVENTS = ['message.phone.received', ...Object.keys(STATES), ...HEARTBEATS, MISSED_CALL]

/** `content` may not be empty, even with a picture. */
const NO_TEXT = '📎'

export const httpsms: kit.Provider<Settings> = {
  kind: 'httpsms',
  title: 'httpSMS',
  media: { count: 10 },
  settings,
  codes: {
    // The words of the phone's Android (webhooks/events, as above).
    words: {
      GENERIC_FAILURE: 'the phone could not send it. Check its credit and its SIM card',
      NO_SERVICE: 'the phone has no network',
      RADIO_OFF: 'the phone is in flight mode',
      LIMIT_EXCEEDED: 'the phone has sent too many texts',
      expired: 'the phone was offline for too long',
    },
  },
  credentialsHint: 'Copy the API key from the Settings page of httpsms.com, and check your plan there.',
  api: ({ apiKey, apiUrl }) => ({ url: apiUrl, headers: { 'x-api-key': apiKey } }),

  /** See https://api.httpsms.com/index.html : each SIM card is a phone of the account, so `from` chooses it. */
  send: ({ id, from, to, text = NO_TEXT, mediaUrls }) => ({
    path: '/v1/messages/send',
    json: {
      from,
      to,
      content: text,
      attachments: mediaUrls.length === 0 ? undefined : mediaUrls,
      request_id: id,
    },
  }),
  id: ({ body }) => textAt(body, 'data.id'),
  /** The faults of invalid fields are in `data`, in sentences. */
  refusal: ({ status, body }) => {
    if (status < 400) return undefined
    const faults = at(body, 'data')
    const sentences = kit.isRecord(faults)
      ? Object.keys(faults).flatMap((each) => kit.textsAt(faults, each))
      : []
    const said = sentences.join('; ') || textAt(body, 'message')
    // The phone is not, or no longer, one of the account.
    const isOfPhone = kit.isRecord(faults) && Object.hasOwn(faults, 'from')
    return { said, ...(isOfPhone ? { meaning: 'account' } : {}) }
  },

  test: () => ({ path: '/v1/phones', query: { limit: '1' } }),
  listNumbers,
  listPhones,
  setUpNumbers: (wanted, asking) => setUpWebhook(wanted, asking, EVENTS),

  callbacks: {
    urls: { events: 'Callback URL for the webhook' },
    hint: "the token does not match. Check the account's signingKey, the webhook's URL and this machine's clock",
    // The token does not cover the body: anyone who saw one could send another body with it for minutes.
    key: ({ callbackKey }) => callbackKey,
    /** See https://docs.httpsms.com/webhooks/introduction : the token is for one URL (`aud`). */
    verify: ({ signingKey }, request) => {
      const claims = kit.readJwt(kit.verify.bearerOf(request), signingKey)
      return kit.textsAt(claims, 'aud').includes(request.url)
    },
    read: (event) => {
      const type = textAt(event, 'type')
      const data = at(event, 'data')
      if (type === 'message.phone.received') return readMessage(data)
      if (type === MISSED_CALL) {
        const numbers = { from: textAt(data, 'contact'), to: textAt(data, 'owner') }
        return kit.missedCall({ ...numbers, at: textAt(data, 'timestamp') })
      }
      if (HEARTBEATS.includes(type))
        return readPhone(textAt(data, 'owner'), textAt(data, 'last_heartbeat_timestamp'))
      if (kit.entryOf(STATES, type) === undefined) return kit.unclear(`an event of type "${type}"`)
      const isExpired = type === 'message.send.expired'
      // Another attempt follows.
      if (isExpired && textAt(data, 'is_final') === 'false') return kit.NOTHING
      const code = isExpired ? 'expired' : textAt(data, 'error_message')
      const id = textAt(data, 'id') || textAt(data, 'message_id')
      const messageId = textAt(data, 'request_id') || undefined
      return kit.receipt(STATES, { id, state: type, code, messageId })
    },
    // It waits five seconds and then immediately tries once more.
    waitMs: 4000,
  },
}

/** The phone may encrypt with a key that neither the service nor Linehook knows. */
function readMessage(data: unknown): kit.CallbackItem {
  if (at(data, 'encrypted') === true)
    return kit.unclear('an encrypted message. Turn off encryption in the app')
  return kit.message({
    id: textAt(data, 'message_id'),
    from: textAt(data, 'contact'),
    to: textAt(data, 'owner'),
    text: textAt(data, 'content'),
    mediaUrls: kit.textsAt(data, 'attachments'),
  })
}
