import * as yup from 'yup'
import * as kit from '../kit.js'
import { at, textAt } from '../kit.js'
import { listTelnyxNumbers, setUpTelnyxNumbers } from './numbers.js'

type Settings = yup.InferType<typeof settings>

const settings = yup.object({
  apiKey: kit.setting.secret(
    'An API key. Find it in the Telnyx portal under Account, Keys & Credentials, API Keys.',
  ),
  publicKey: kit.setting
    .needed("The public key, shown next to the API keys. It verifies Telnyx's requests to us.")
    .test('key', 'publicKey must be the 44 characters shown in the Telnyx portal', kit.verify.isEd25519Key),
  messagingProfileId: kit.setting.optional(
    'The ID of the messaging profile. Find it in the portal under Messaging. Lines that send under a name need it.',
  ),
  apiUrl: kit.setting.apiUrl('https://api.telnyx.com/v2'),
})

/**
 * https://developers.telnyx.com/docs/messaging/messages/error-codes, and those of the account from
 * https://developers.telnyx.com/development/api-fundamentals/api-errors
 */
const CODES: kit.CodeTable = {
  // These are about the key, the account's state and its credit, a profile that is off, an account without messaging,
  // or a profile that has spent its daily limit:
  // https://developers.telnyx.com/docs/messaging/messages/configurable-spend-limits
  account: ['10009', '10010', /^20\d{3}$/, '40312', '40314', '40333'],
  // These mean too many requests, and a full queue:
  // https://developers.telnyx.com/docs/messaging/messages/rate-limiting
  throttled: ['10011', '40318'],
  // https://developers.telnyx.com/docs/messaging/messages/advanced-opt-in-out
  opted_out: ['40300'],
  unknown: ['10007', '10008'],
  rejected: [/^40\d{3}$/],
}

/** https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks */
const STATES: kit.StateTable = {
  queued: 'nothing',
  sending: 'nothing',
  sent: 'sent',
  // No report came in time: the message may have arrived.
  delivery_unconfirmed: 'sent',
  delivered: 'delivered',
  sending_failed: 'failed',
  delivery_failed: 'failed',
  expired: 'failed',
}

/** The values of `autoresponse_type`, which is present if Telnyx has answered (advanced-opt-in-out, as above). */
const KEYWORDS = { STOP: 'stop', START: 'start', HELP: 'help' } as const

export const telnyx: kit.Provider<Settings> = {
  kind: 'telnyx',
  title: 'Telnyx',
  // https://developers.telnyx.com/docs/messaging/messages/mms-transcoding : the networks decide how large.
  media: { count: 10 },
  settings,
  // Telnyx answers STOP, START and HELP itself, and blocks recipients where it must (advanced-opt-in-out, as above).
  defaults: { handlesOptOut: true },
  codes: CODES,
  credentialsHint: 'Copy the API key from the Telnyx portal, and check the balance there.',
  api: ({ apiKey, apiUrl }) => ({ url: apiUrl, headers: { Authorization: `Bearer ${apiKey}` } }),

  /** https://developers.telnyx.com/api-reference/messages/send-a-message */
  send: ({ id, from, to, text, mediaUrls }, { callbackUrl, settings: { messagingProfileId } }) => {
    // This URL takes precedence over the profile's. Each of the two is tried three times.
    const url = callbackUrl('events', { messageId: id })
    const media = mediaUrls.length === 0 ? {} : { media_urls: mediaUrls }
    // https://developers.telnyx.com/docs/messaging/messages/alphanumeric-sender-id
    const profile =
      kit.senderKindOf(from) === 'name' && messagingProfileId !== ''
        ? { messaging_profile_id: messagingProfileId }
        : {}
    return {
      path: '/messages',
      json: { from, to, text, ...media, ...profile, webhook_url: url, webhook_failover_url: url },
    }
  },
  id: ({ body }) => textAt(body, 'data.id'),
  charge: ({ body }) => chargeOf(at(body, 'data')),
  refusal: ({ body }) => {
    const isFailed = kit.entryOf(STATES, textAt(body, 'data.to.0.status')) === 'failed'
    return faultAt(body, 'errors.0') ?? (isFailed ? (faultAt(body, 'data.errors.0') ?? {}) : undefined)
  },

  test: () => ({ path: '/messaging_profiles', query: { 'page[size]': '1' } }),
  listNumbers: listTelnyxNumbers,
  setUpNumbers: setUpTelnyxNumbers,

  callbacks: {
    urls: { events: 'Webhook URL of the messaging profile' },
    hint: "telnyx-signature-ed25519 does not match. Check the account's publicKey and this machine's clock",
    /** The signature is over the time, a bar and the body (receiving-webhooks, as above). */
    verify: ({ publicKey }, { body, header }) => {
      const time = header('telnyx-timestamp')
      const signed = Buffer.concat([Buffer.from(`${time}|`), body])
      const signature = header('telnyx-signature-ed25519')
      return kit.verify.isFresh(time) && kit.verify.isEd25519(publicKey, signed, signature)
    },
    items: ({ fields }) => fields.data,
    read: (event, { request }) => {
      const type = textAt(event, 'event_type')
      const payload = at(event, 'payload')
      if (type === 'message.received') return readMessage(payload)
      if (!/^message\.(sent|finalized)$/.test(type)) return kit.unclear(`an event of type "${type}"`)
      const messageId = request.query.get('messageId') ?? undefined
      const [id, state] = [textAt(payload, 'id'), textAt(payload, 'to.0.status')]
      const charge = chargeOf(payload)
      return kit.receipt(STATES, { id, state, messageId, charge, ...faultAt(payload, 'errors.0') })
    },
    // Telnyx waits two seconds, and then tries again (receiving-webhooks, as above).
    waitMs: 1500,
  },
}

/** The price is null until it is known: https://developers.telnyx.com/api-reference/callbacks/delivery-update */
function chargeOf(message: unknown) {
  return kit.readCharge({
    price: textAt(message, 'cost.amount'),
    currency: textAt(message, 'cost.currency'),
    segments: textAt(message, 'parts'),
  })
}

function faultAt(value: unknown, path: string): kit.Refusal | undefined {
  const code = textAt(value, `${path}.code`)
  const said = textAt(value, `${path}.detail`) || textAt(value, `${path}.title`)
  return code === '' && said === '' ? undefined : { code, said }
}

function readMessage(payload: unknown): kit.CallbackItem {
  return kit.message({
    id: textAt(payload, 'id'),
    from: textAt(payload, 'from.phone_number'),
    to: textAt(payload, 'to.0.phone_number'),
    text: textAt(payload, 'text'),
    mediaUrls: kit.textsAt(payload, 'media', 'url'),
    keyword: kit.entryOf(KEYWORDS, textAt(payload, 'autoresponse_type').toUpperCase()),
  })
}
