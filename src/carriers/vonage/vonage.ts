import * as yup from 'yup'
import * as kit from '../kit.js'
import { at, textAt } from '../kit.js'
import { listVonageNumbers, setUpVonageNumbers } from './numbers.js'

type Settings = yup.InferType<typeof settings>

const settings = yup.object({
  apiKey: kit.setting.needed('The API key, shown at the top of the API settings in the Vonage dashboard.'),
  apiSecret: kit.setting.secret('The API secret. Find it in the API settings in the Vonage dashboard.'),
  signatureSecret: kit.setting.secret(
    'The signature secret (not the API secret) that Vonage signs callbacks with. Find it in the API settings under Signed webhooks.',
  ),
  applicationId: kit.setting.optional(
    'The ID of the application that `carrier setup` links numbers to. Find it in the dashboard under Applications. If empty, enter the callback URLs at Vonage yourself.',
  ),
  apiUrl: kit.setting.apiUrl('https://api.nexmo.com'),
})

/**
 * The codes of reports: https://developer.vonage.com/en/api-errors/messages. Refusals have other numbers in the same
 * place, so they go by their status: https://developer.vonage.com/en/api/messages
 */
const CODES: kit.CodeTable = {
  // https://developer.vonage.com/en/opt-out-assist/guides/messaging-opted-out-numbers
  opted_out: ['1240'],
}

/** https://developer.vonage.com/en/messages/concepts/messages-status-callbacks */
const STATES: kit.StateTable = {
  submitted: 'sent',
  delivered: 'delivered',
  read: 'delivered',
  rejected: 'failed',
  undeliverable: 'failed',
}

/** The kinds of media that an MMS can have, which are also the names of their fields (api/messages, as above). */
const MEDIA = ['image', 'video', 'audio', 'vcard', 'file']

export const vonage: kit.Provider<Settings> = {
  kind: 'vonage',
  title: 'Vonage',
  settings,
  numbers: 'plain',
  codes: CODES,
  // https://developer.vonage.com/en/messages/concepts/mms : the type `content` has several.
  media: { count: 10 },
  credentialsHint: 'Copy the API key and the API secret from the API settings in the Vonage dashboard.',
  api: ({ apiKey, apiSecret, apiUrl }) => ({
    url: apiUrl,
    headers: { Authorization: `Basic ${Buffer.from(`${apiKey}:${apiSecret}`).toString('base64')}` },
  }),

  /** https://developer.vonage.com/en/api/messages */
  send: ({ id, from, to, text, media }, { callbackUrl }) => ({
    path: '/v1/messages',
    json: {
      ...{ from, to },
      ...contentOf(text, media),
      // It comes back in every report.
      client_ref: id,
      webhook_url: callbackUrl('status'),
      webhook_version: 'v1',
    },
  }),
  id: ({ body }) => textAt(body, 'message_uuid'),
  refusal: ({ status, body }) => (status < 300 ? undefined : { said: wordsOf(body) }),

  /** Numbers are on a different host from messages: https://developer.vonage.com/en/api/numbers */
  test: ({ apiUrl }) => ({ path: `${accountUrlOf(apiUrl)}/account/numbers`, query: { size: '1' } }),
  listNumbers: (asking) => listVonageNumbers(asking, accountUrlOf(asking.settings.apiUrl)),
  setUpNumbers: (wanted, asking) => setUpVonageNumbers(wanted, asking, accountUrlOf(asking.settings.apiUrl)),

  callbacks: {
    urls: { inbound: 'Inbound URL', status: 'Status URL' },
    hint: "Vonage's token does not match. Check the account's signatureSecret and this machine's clock",
    /**
     * The request has a token with the hash of the body in it:
     * https://developer.vonage.com/en/getting-started/concepts/webhooks
     */
    verify: ({ signatureSecret }, request) => {
      const claims = kit.readJwt(kit.verify.bearerOf(request), signatureSecret)
      return claims !== undefined && kit.claimsBody(claims, 'payload_hash', request.body)
    },
    read: (fields, { name }) => (name === 'inbound' ? readMessage(fields) : readReport(fields)),
  },
}

/** A single file has a type of its own; several are in a list, and the text is the caption of the first. */
function contentOf(text: string | undefined, media: kit.MessageToSend['media']): object {
  const parts = media.map(({ url, contentType }, n) => ({
    type: contentType.startsWith('video/') ? 'video' : 'image',
    url,
    caption: n === 0 ? text : undefined,
  }))
  const [first, ...others] = parts
  if (first === undefined) return { channel: 'sms', message_type: 'text', text }
  if (others.length > 0) return { channel: 'mms', message_type: 'content', content: parts }
  const { type, ...file } = first
  return { channel: 'mms', message_type: type, [type]: file }
}

/** Numbers are on one host for all regions. In tests, everything is on one host. */
function accountUrlOf(apiUrl: string): string {
  return /^https:\/\/api[\w-]*\.(nexmo|vonage)\.com/.test(apiUrl) ? 'https://rest.nexmo.com' : apiUrl
}

/** Errors follow RFC 7807. Invalid parameters are in a list (api/messages, as above). */
function wordsOf(body: unknown): string {
  const faults = kit
    .listAt(body, 'invalid_parameters')
    .map((each) => `${textAt(each, 'name')}: ${textAt(each, 'reason')}`)
  return [textAt(body, 'title'), textAt(body, 'detail'), ...faults].filter((each) => each !== '').join('. ')
}

/** See https://developer.vonage.com/en/api/messages, "Inbound Message". */
function readMessage(fields: unknown): kit.CallbackItem {
  const channel = textAt(fields, 'channel')
  if (channel !== 'sms' && channel !== 'mms') return kit.unclear(`a message from channel "${channel}"`)
  // Several parts are in a list; a single one has its own field.
  const parts = [...kit.listAt(fields, 'content'), ...MEDIA.map((name) => at(fields, name))]
  const texts = [textAt(fields, 'text'), ...parts.map((each) => textAt(each, 'caption'))]
  return kit.message({
    id: textAt(fields, 'message_uuid'),
    from: textAt(fields, 'from'),
    to: textAt(fields, 'to'),
    text: [...new Set(texts)].filter((each) => each !== '').join('\n'),
    mediaUrls: [...new Set(parts.flatMap((each) => kit.textsAt(each, 'url')))],
  })
}

function readReport(fields: unknown): kit.CallbackItem {
  return kit.receipt(STATES, {
    id: textAt(fields, 'message_uuid'),
    state: textAt(fields, 'status'),
    // The title is the code (messages-status-callbacks, as above).
    code: textAt(fields, 'error.title'),
    said: textAt(fields, 'error.detail'),
    messageId: textAt(fields, 'client_ref') || undefined,
    // https://developer.vonage.com/en/messages/concepts/messages-status-callbacks
    charge: kit.readCharge({
      price: textAt(fields, 'usage.price'),
      currency: textAt(fields, 'usage.currency'),
      segments: textAt(fields, 'sms.count_total'),
    }),
  })
}
