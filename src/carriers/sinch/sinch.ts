import * as yup from 'yup'
import * as kit from '../kit.js'
import { textAt } from '../kit.js'
import { listReceived, readInbound } from './inbounds.js'

type Settings = yup.InferType<typeof settings>

const settings = yup.object({
  servicePlanId: kit.setting.needed('The service plan ID. Find it in the Sinch dashboard under SMS, APIs.'),
  apiToken: kit.setting.secret('The API token of the service plan, shown next to its ID.'),
  // https://developers.sinch.com/docs/sms/api-reference/#base-url
  region: kit.setting.choice(
    ['us', 'eu', 'au', 'br', 'ca'],
    'The region of the service plan. The REST URL in the dashboard starts with it.',
  ),
  apiUrl: kit.setting.optional('The URL of the API, if not that of the region. Only for tests.'),
  webhookSecret: kit.setting.optionalSecret(
    'The secret that Sinch signs callbacks with. Your Sinch account manager has to turn signing on.',
  ),
  callbackKey: kit.setting.callbackKey(),
})

/**
 * https://developers.sinch.com/docs/sms/api-reference/status-codes/ and, in words,
 * https://developers.sinch.com/docs/sms/api-reference/sms/delivery-reports/delivery-report-error-codes
 */
const CODES: kit.CodeTable = {
  // `blocked_account` also means an account without credit.
  account: ['blocked_account', 'missing_callback_url'],
  rejected: [/^syntax_/, 'illegal_number_type', 'unknown_group', 'unknown_campaign'],
  words: {
    402: 'no route to the recipient',
    403: 'Sinch failed to send it',
    404: 'a temporary failure in transit',
    406: 'it expired before it was sent',
    407: 'it was cancelled',
    408: 'the message centre rejected it',
    410: 'no default sender for the recipient',
    411: 'the message has too many parts',
    412: 'the account is not set up for the region',
    413: 'the account is blocked, or has no credit',
    414: 'Sinch could not fetch the media',
    415: 'the network rejected the media message',
    416: 'the network does not support the media message',
    417: 'the recipient cannot receive media messages',
    418: 'the phone does not support these media',
  },
}

/** https://developers.sinch.com/docs/sms/api-reference/status-codes/ */
const STATES: kit.StateTable = {
  Queued: 'nothing',
  Dispatched: 'sent',
  Delivered: 'delivered',
  // The operator has not reported: the message may have arrived.
  Unknown: 'sent',
  Aborted: 'failed',
  Cancelled: 'failed',
  Rejected: 'failed',
  Deleted: 'failed',
  Failed: 'failed',
  Expired: 'failed',
}

export const sinch: kit.Provider<Settings> = {
  kind: 'sinch',
  title: 'Sinch',
  // The body has one URL: https://developers.sinch.com/docs/sms/api-reference/mms-support
  media: { count: 1 },
  settings,
  codes: CODES,
  credentialsHint: 'Copy the service plan ID, the API token and the region from the Sinch dashboard.',
  api: ({ apiUrl, region, servicePlanId, apiToken }) => ({
    url: `${apiUrl || `https://${region}.sms.api.sinch.com`}/xms/v1/${encodeURIComponent(servicePlanId)}`,
    headers: { Authorization: `Bearer ${apiToken}` },
  }),

  /** https://developers.sinch.com/docs/sms/api-reference/sms/tag/Batches/ */
  send: ({ id, from, to, text, mediaUrls }, { callbackUrl }) => {
    const [url] = mediaUrls
    const content = url === undefined ? { body: text } : { type: 'mt_media', body: { url, message: text } }
    return {
      path: '/batches',
      json: {
        from,
        to: [to],
        ...content,
        // Without this, no report ever comes. Reports of messages under way would be two more requests for each.
        delivery_report: 'per_recipient_final',
        callback_url: callbackUrl('events'),
        client_reference: id,
      },
    }
  },
  id: ({ body }) => textAt(body, 'id'),
  refusal: ({ status, body }) => {
    const [code, said] = [textAt(body, 'code'), textAt(body, 'text')]
    return status < 300 || code === '' ? undefined : { code, said }
  },

  test: () => ({ path: '/inbounds', query: { page: '0', page_size: '1' } }),
  listReceived,

  callbacks: {
    urls: { events: 'Callback URL of the service plan' },
    hint: "the key in the URL or x-sinch-webhook-signature does not match. Check webhookSecret and this machine's clock",
    key: ({ callbackKey }) => callbackKey,
    /**
     * The signature is over the body, the nonce and the time: https://developers.sinch.com/docs/sms/release-notes/
     * (HMAC for callbacks)
     */
    verify: ({ webhookSecret }, { body, header }) => {
      if (webhookSecret === '') return true
      const time = header('x-sinch-webhook-signature-timestamp')
      const end = `.${header('x-sinch-webhook-signature-nonce')}.${time}`
      const signed = {
        encoding: 'base64',
        secret: webhookSecret,
        over: Buffer.concat([body, Buffer.from(end)]),
        given: header('x-sinch-webhook-signature'),
      } as const
      return kit.verify.isFresh(time) && kit.verify.isHmac(signed)
    },
    read: (event) => {
      if (!/^recipient_delivery_report_(sms|mms)$/.test(textAt(event, 'type'))) return readInbound(event)
      return kit.receipt(STATES, {
        id: textAt(event, 'batch_id'),
        state: textAt(event, 'status'),
        code: textAt(event, 'code'),
        messageId: textAt(event, 'client_reference') || undefined,
      })
    },
  },
}
