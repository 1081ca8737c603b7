import * as yup from 'yup'
import * as kit from '../kit.js'
import { at, textAt } from '../kit.js'
import { listAll, listBirdNumbers } from './lists.js'

type Settings = yup.InferType<typeof settings>

const settings = yup.object({
  apiKey: kit.setting
    .secret('An API key, which starts with bk_. Find it in the Bird dashboard under Developers, API keys.')
    .matches(/^bk_[a-z]{2}\d+_\S+$/, 'apiKey must start with bk_ and a region, such as bk_eu1_…'),
  signingSecret: kit.setting
    .secret("The webhook's secret, which starts with whsec_. The Bird dashboard shows it under Webhooks.")
    .matches(
      /^whsec_[A-Za-z\d+/]+=*$/,
      'signingSecret must be the full secret that Bird shows, starting with whsec_',
    ),
  category: kit.setting.choice(
    ['transactional', 'service', 'marketing', 'authentication'],
    'The category Bird assigns to texts. Bird does not store the text of authentication messages.',
  ),
  apiUrl: kit.setting.optional(
    'The URL of the API. Leave empty to use the region from the key. Change it only for tests.',
  ),
})

/**
 * The errors of https://bird.com/docs/guides/errors, and the codes of reports from https://bird.com/docs/webhooks.
 * Bird names each error, and also numbers it; its documentation uses the names.
 */
const CODES: kit.CodeTable = {
  // The number does not belong to the workspace, or may not be used for messages of this `category`.
  account: ['SMSSenderNotConfigured', 'SenderCategoryNotPermitted'],
  opted_out: ['recipient_opted_out'],
  // The same request is being processed, or was: https://bird.com/docs/guides/errors
  unknown: ['request_in_progress', 'idempotency_key_reuse'],
}

/** https://bird.com/docs/webhooks */
const STATES: kit.StateTable = {
  // Bird has it, and may name the price only in this event.
  'sms.accepted': 'sent',
  'sms.sent': 'sent',
  'sms.delivered': 'delivered',
  'sms.undelivered': 'failed',
  'sms.failed': 'failed',
  'sms.rejected': 'failed',
  'sms.expired': 'failed',
}

/** The name of our message id in the message's metadata, which comes back in each event. */
const REFERENCE = 'linehook_message_id'

/**
 * This is the API for keys that begin with `bk_`. The older APIs of Bird and MessageBird have other keys and other
 * hosts.
 */
export const bird: kit.Provider<Settings> = {
  kind: 'bird',
  title: 'Bird',
  settings,
  // Bird's rules answer STOP, START and HELP, and it blocks recipients where it must (SmsKeywordRule of the same
  // API).
  defaults: { handlesOptOut: true },
  codes: CODES,
  credentialsHint: 'Check the API key, its permissions and the account balance in the Bird dashboard.',
  /** https://bird.com/docs/sdks/typescript: the region is in the key. Without a User-Agent, the response is 403. */
  api: ({ apiKey, apiUrl }) => ({
    url: apiUrl === '' ? `https://${apiKey.split('_')[1] ?? ''}.platform.bird.com` : apiUrl,
    headers: { Authorization: `Bearer ${apiKey}`, 'User-Agent': 'Linehook' },
  }),

  /** https://bird.com/docs/api/reference/create-sms-message */
  send: (message, { settings: { category } }) => {
    const { id, from, to, text } = message
    return { path: '/v1/sms/messages', json: { from, to, text, category, metadata: { [REFERENCE]: id } } }
  },
  id: ({ body }) => textAt(body, 'id'),
  charge: ({ body }) => chargeOf(body),
  refusal: ({ body }) => {
    const code = textAt(body, 'error.name') || textAt(body, 'error.code')
    const said = textAt(body, 'error.message')
    return code === '' && said === '' ? undefined : { code, said }
  },

  test: () => ({ path: '/v1/sms/messages', query: { limit: '1' } }),
  listNumbers: listBirdNumbers,
  listReceived: async (since, asking) => {
    const query = { direction: 'inbound', created_after: since.toISOString() }
    const listed = await listAll(asking, '/v1/sms/messages', query)
    return listed.map((each) => ({
      receivedAt: new Date(textAt(each, 'created_at')),
      item: readMessage(each, textAt(each, 'id')),
    }))
  },

  callbacks: {
    urls: { events: 'URL of the webhook' },
    hint: "webhook-signature does not match. Check the account's signingSecret and this machine's clock",
    /** Standard Webhooks: https://bird.com/docs/webhooks. After a rotation there are two signatures for a day. */
    verify: ({ signingSecret }, { body, header }) => {
      const time = header('webhook-timestamp')
      const secret = Buffer.from(signingSecret.slice('whsec_'.length), 'base64')
      const over = Buffer.concat([Buffer.from(`${header('webhook-id')}.${time}.`), body])
      const given = header('webhook-signature').split(' ')
      const isOurs = (signature: string) =>
        signature.startsWith('v1,') &&
        kit.verify.isHmac({ encoding: 'base64', secret, over, given: signature.slice(3) })
      return kit.verify.isFresh(time) && given.some(isOurs)
    },
    read: (event) => {
      const type = textAt(event, 'type')
      const data = at(event, 'data')
      const id = textAt(data, 'sms_id')
      if (type === 'sms.received') return readMessage(data, id)
      // A webhook may also get events about emails, calls and lists.
      if (!type.startsWith('sms.')) return type === '' ? kit.unclear('an event without a type') : kit.NOTHING
      const messageId = textAt(data, `metadata.${REFERENCE}`) || undefined
      const [code, said] = [textAt(data, 'error.code'), textAt(data, 'error.description')]
      return kit.receipt(STATES, { id, state: type, code, said, messageId, charge: chargeOf(data) })
    },
  },
}

/**
 * The cost is null until it is known (create-sms-message, as above). An event has only what Bird priced with it, and its
 * amount is the sum of that: without Bird's own charge it is just a network's fee, which must not replace the price.
 */
function chargeOf(message: unknown) {
  const isPriced = at(message, 'cost.transaction_amount') !== null
  return kit.readCharge({
    price: isPriced ? textAt(message, 'cost.amount') : '',
    currency: textAt(message, 'cost.currency_code'),
    segments: textAt(message, 'segments.count'),
  })
}

/**
 * Bird's event says neither where attachments are nor that there are any: a message without a text has nothing else.
 */
function readMessage(data: unknown, id: string): kit.CallbackItem {
  const text = textAt(data, 'text')
  if (text === '') return kit.unclear('a message with attachments only, which Bird does not forward')
  return kit.message({ id, from: textAt(data, 'from'), to: textAt(data, 'to'), text })
}
