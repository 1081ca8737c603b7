import * as yup from 'yup'
import * as kit from '../kit.js'
import { textAt } from '../kit.js'
import { listNumbers, setUpWebhook } from './account.js'
import { readReply, readReport, REFERENCE } from './items.js'

type Settings = yup.InferType<typeof settings>

const settings = yup.object({
  apiKey: kit.setting.needed(
    'An API key of type "basic authentication". Create it in the MessageMedia portal under Configuration, API Settings.',
  ),
  apiSecret: kit.setting.secret('The secret of the API key. The portal shows it only once.'),
  publicKey: kit.setting
    .optional(
      'The public key of the enabled signature key. The API shows it when the key is created. If empty, callbacks are authenticated only by the secret in their URL.',
    )
    .max(2000, 'publicKey must have at most 2000 characters')
    .test(
      'key',
      'publicKey must be the base64 text returned by the API',
      (key) => key === '' || kit.verify.isRsaKey(key),
    ),
  callbackKey: kit.setting.callbackKey(),
  apiUrl: kit.setting.apiUrl('https://api.messagemedia.com'),
})

/**
 * A response refuses only because of the request or the account. Everything else comes in reports:
 * https://messagemedia.github.io/documentation/#tag/Webhooks-Management
 */
const CODES: kit.CodeTable = {
  opted_out: ['302'],
  words: {
    301: 'The usage limit has been reached',
    302: 'The recipient is blocked, for example after STOP',
    303: 'The sender is blocked',
    304: 'MessageMedia dropped it. Contact its support',
    305: 'It was treated as a duplicate of another message',
    320: 'It expired before it was forwarded',
    330: 'The gateway failed',
    331: 'MessageMedia discarded it',
    332: 'No route to the recipient',
    333: 'The recipient cannot receive texts from this sender',
    400: 'It could not be delivered',
    401: 'It expired before it was delivered',
    402: 'The operator rejected it',
    403: 'The operator skipped it',
    405: 'The operator cancelled it',
    410: "The sender's number is not valid",
    411: "The recipient's number is not valid",
    412: 'The operator blocks the recipient',
    413: 'The recipient cannot receive texts',
    414: 'The recipient could not be reached',
  },
}

/** The values of `source_number_type`. Services belong to another carrier. */
const SOURCE_TYPES = {
  number: 'INTERNATIONAL',
  short_code: 'SHORTCODE',
  name: 'ALPHANUMERIC',
  service: undefined,
} as const

export const messagemedia: kit.Provider<Settings> = {
  kind: 'messagemedia',
  title: 'MessageMedia',
  media: { count: 10, types: ['image/png', 'image/jpeg', 'image/gif'] },
  settings,
  codes: CODES,
  credentialsHint:
    'Create a key for basic authentication in the MessageMedia portal. An HMAC key does not work.',
  api: ({ apiUrl, apiKey, apiSecret }) => ({
    url: apiUrl,
    headers: { Authorization: `Basic ${Buffer.from(`${apiKey}:${apiSecret}`).toString('base64')}` },
  }),

  /** https://messagemedia.github.io/documentation/#tag/Messages. Without `delivery_report` there are no reports. */
  send: ({ id, from, to, text, mediaUrls }, { callbackUrl }) => ({
    path: '/v1/messages',
    json: {
      messages: [
        {
          // It must not be empty, even with media.
          content: text ?? ' ',
          destination_number: to,
          source_number: from,
          source_number_type: SOURCE_TYPES[kit.senderKindOf(from)],
          ...(mediaUrls.length === 0 ? {} : { format: 'MMS', media: mediaUrls }),
          delivery_report: true,
          callback_url: callbackUrl('events'),
          metadata: { [REFERENCE]: id },
        },
      ],
    },
  }),
  id: ({ body }) => textAt(body, 'messages.0.message_id'),
  refusal: ({ body }) => {
    const said = [textAt(body, 'message'), ...kit.textsAt(body, 'details')].filter((each) => each !== '')
    return said.length === 0 ? undefined : { said: said.join(': ') }
  },

  test: () => ({ path: '/v1/replies' }),
  listNumbers: async ({ ask }) => listNumbers(ask),
  setUpNumbers: async (_numbers, { ask, callbackUrl }) => setUpWebhook(ask, callbackUrl('events')),

  callbacks: {
    urls: { events: 'Webhook URL for received messages and delivery reports' },
    hint: "the secret in the URL or X-MessageMedia-Signature does not match. Check the URL at MessageMedia, the account's publicKey and this machine's clock",
    key: ({ callbackKey }) => callbackKey,
    /**
     * The signature is over the request line, the date and the body with nothing in between:
     * https://github.com/messagemedia/enterprise-webhooks-nodejs-sdk. An account signs only after MessageMedia has
     * switched it on, so the secret in the URL is always required as well.
     */
    verify: ({ publicKey }, { url, method, body, header }) => {
      if (publicKey === '') return true
      const [date, signature] = [header('Date'), header('X-MessageMedia-Signature')]
      const line = `${method} ${url.replace(/^https?:\/\/[^/]+/i, '')} HTTP/1.1`
      const over = Buffer.concat([Buffer.from(line + date), body])
      const digest = header('X-MessageMedia-Digest-Type')
      return kit.verify.isFresh(date) && kit.verify.isRsa({ publicKey, digest, over, signature })
    },
    bringsMedia: true,
    // A message's own callback URL gets its reports, and also the replies to it, in addition to the webhook: their
    // ids are the same.
    read: (fields) => (textAt(fields, 'reply_id') === '' ? readReport(fields) : readReply(fields)),
  },
}
