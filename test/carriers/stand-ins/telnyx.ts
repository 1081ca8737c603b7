import { createHash, generateKeyPairSync, randomBytes, randomUUID, sign, type KeyObject } from 'node:crypto'
import type {
  CallbackAnswer,
  Forgery,
  ReceivedMessage,
  StandIn,
  TakenMessage,
  Treatment,
} from './stand-in.js'
import {
  brokenAnswer,
  isHttpUrl,
  isRecord,
  parseJson,
  sendCallback,
  startServer,
  type ApiAnswer,
  type ApiRequest,
  type NoAnswer,
} from './server.js'
import { gsmLength, smsParts } from './sms-length.js'

const sendDocumentation = 'https://developers.telnyx.com/api-reference/messages/send-a-message'
const errorDocumentation = 'https://developers.telnyx.com/docs/messaging/messages/error-codes'
const keyDocumentation = 'https://developers.telnyx.com/development/api-fundamentals/authentication'

/** Titles of Telnyx's codes: https://support.telnyx.com/en/articles/6505121-telnyx-messaging-error-codes */
const titles: Readonly<Record<string, string>> = {
  '10003': 'Invalid URL',
  '10004': 'Missing required parameter',
  '10005': 'Resource not found',
  '10007': 'Unexpected error',
  '10009': 'Authentication failed',
  '10011': 'Too many requests',
  '10014': 'Unsupported Media Type',
  '10015': 'Bad Request',
  '20100': 'Insufficient funds',
  '40001': 'Not routable',
  '40002': 'Blocked as spam - temporary',
  '40003': 'Blocked as spam - permanent',
  '40008': 'Undeliverable',
  '40012': 'Invalid messaging destination number',
  '40300': 'Blocked due to STOP message',
  '40302': 'Message too large',
  '40304': 'Invalid combination of message content arguments',
  '40305': "Invalid 'from' address",
  '40310': "Invalid 'to' address",
  '40316': 'No content provided for message',
  '40317': 'Invalid MMS content',
}

/** The fields of CreateMessageRequest in Telnyx's OpenAPI file and in `telnyx` 7.24.0 (`MessageSendParams`). */
const requestFields: Readonly<Record<string, (value: unknown) => boolean>> = {
  to: isString,
  from: isString,
  text: isString,
  subject: isString,
  messaging_profile_id: isString,
  media_urls: (value) => Array.isArray(value) && value.every(isString),
  webhook_url: isString,
  webhook_failover_url: isString,
  use_profile_webhooks: isBoolean,
  auto_detect: isBoolean,
  type: (value) => value === 'SMS' || value === 'MMS',
  encoding: (value) => value === 'auto' || value === 'gsm7' || value === 'ucs2',
  send_at: (value) => value === null || (isString(value) && !Number.isNaN(Date.parse(value))),
}

export interface TelnyxStandIn extends StandIn {
  /** The messaging profile that has the number and the webhook's address. */
  readonly messagingProfileId: string
}

interface Kept extends TakenMessage {
  data: Record<string, unknown>
  /** False where the request asked that the profile's webhook be left alone. */
  isForProfile: boolean
}

interface Refusal {
  status: number
  code: string
  detail: string
  pointer?: string
}

/** @param options `onTaken` is called with each message that it takes, before it answers; `isOwn`: which numbers it has besides */
export async function startTelnyx(
  options: {
    number?: string
    messageCallbackUrl?: string
    receiptCallbackUrl?: string
    onTaken?: (message: TakenMessage) => void
    isOwn?: (number: string) => boolean
  } = {},
): Promise<TelnyxStandIn> {
  const number = options.number ?? '+13125550142'
  const apiKey = `KEY${randomBytes(16).toString('hex').toUpperCase()}_${randomBytes(11).toString('hex')}`
  const keys = generateKeyPairSync('ed25519')
  const otherKeys = generateKeyPairSync('ed25519')
  const messagingProfileId = randomUUID()
  const organizationId = randomUUID()
  const numberId = String(randomBytes(6).readUIntBE(0, 6))
  const callbackUrls: StandIn['callbackUrls'] = {
    ...(options.messageCallbackUrl === undefined ? {} : { message: options.messageCallbackUrl }),
    ...(options.receiptCallbackUrl === undefined ? {} : { receipt: options.receiptCallbackUrl }),
  }
  const taken: Kept[] = []
  const violations: string[] = []
  const eventIds = new Map<string, { id: string; attempt: number; occurredAt: string }>()
  let treatment: Treatment | undefined

  function refuse(
    { status, code, detail, pointer }: Refusal,
    headers: Record<string, string> = {},
  ): ApiAnswer | NoAnswer {
    // Every error of the API is a list under `errors`: messaging_Errors of the OpenAPI file.
    const source = pointer === undefined ? {} : { source: { pointer } }
    return answerJson(status, { errors: [{ code, title: titles[code] ?? code, detail, ...source }] }, headers)
  }

  function refuseWithViolation(
    refusal: Refusal,
    sentence: string,
    documentation = sendDocumentation,
  ): ApiAnswer | NoAnswer {
    violations.push(`${sentence} ${documentation}`)
    return refuse(refusal)
  }

  function sendMessage(got: ApiRequest): ApiAnswer | NoAnswer {
    if (got.contentType !== 'application/json') {
      return refuseWithViolation(
        { status: 415, code: '10014', detail: 'The media type is not supported.' },
        `The content type is ${got.headers['content-type'] ?? 'missing'}, not application/json.`,
      )
    }
    const body = parseJson(got.body.toString('utf8'))?.value
    if (!isRecord(body)) {
      return refuseWithViolation(
        { status: 400, code: '10015', detail: 'The request was not well-formed.' },
        'The body is not a JSON object.',
      )
    }
    const wrong = findWrong(body)
    if (wrong !== undefined) return refuseWithViolation(wrong.refusal, wrong.sentence, errorDocumentation)
    const how = treatment
    treatment = undefined
    if (how !== undefined && how !== 'in-2xx') return treat(how, body)
    return take(body, how === 'in-2xx')
  }

  function findWrong(body: Record<string, unknown>): { refusal: Refusal; sentence: string } | undefined {
    const say = (status: number, code: string, sentence: string, field?: string) => ({
      refusal: { status, code, detail: sentence, ...(field === undefined ? {} : { pointer: `/${field}` }) },
      sentence,
    })
    for (const [field, value] of Object.entries(body)) {
      const isRight = requestFields[field]
      if (isRight === undefined) return say(400, '10015', `The API has no field '${field}'.`, field)
      if (!isRight(value)) return say(422, '10015', `'${field}' has a value of a wrong type or kind.`, field)
    }
    // The recipient is in +E.164 or a short code: https://developers.telnyx.com/docs/messaging/messages/send-message
    if (body['to'] === undefined) return say(422, '10004', "'to' is missing.", 'to')
    if (!isNumberOrShortCode(body['to'])) {
      return say(400, '40310', `'to' is ${String(body['to'])}, not in +E.164 nor a short code.`, 'to')
    }
    const { from, text, media_urls: media, type } = body
    const profile = body['messaging_profile_id']
    if (profile !== undefined && profile !== messagingProfileId) {
      return say(
        400,
        '40305',
        `The account has no messaging profile ${String(profile)}.`,
        'messaging_profile_id',
      )
    }
    if (from === undefined && profile === undefined) {
      return say(422, '10004', "Both 'from' and 'messaging_profile_id' are missing.", 'from')
    }
    // Words as a sender (up to 11 letters, digits, spaces) need the profile's id beside them.
    const isWords = isString(from) && /^(?=.*[a-z])[a-z0-9 ]{1,11}$/i.test(from) && profile !== undefined
    const isOwn = from === number || options.isOwn?.(String(from)) === true
    if (from !== undefined && !isOwn && !isWords) {
      return say(
        400,
        '40305',
        `'from' is ${String(from)}, which is no number of the messaging profile.`,
        'from',
      )
    }
    const mediaUrls = Array.isArray(media) ? (media as unknown[]) : []
    if ((text === undefined || text === '') && mediaUrls.length === 0) {
      return say(400, '40316', "Neither 'text' nor 'media_urls' has anything.", 'text')
    }
    if (type === 'SMS' && mediaUrls.length > 0) return say(400, '40304', 'An SMS has media.', 'media_urls')
    if (isWords && mediaUrls.length > 0)
      return say(400, '40304', 'Words as a sender have media.', 'media_urls')
    // At most ten addresses: https://support.telnyx.com/en/articles/6505121-telnyx-messaging-error-codes (40317)
    if (mediaUrls.length > 10 || !mediaUrls.every(isHttpUrl)) {
      return say(
        400,
        '40317',
        "'media_urls' has more than ten addresses or one that is not http(s).",
        'media_urls',
      )
    }
    for (const field of ['webhook_url', 'webhook_failover_url']) {
      const url = body[field]
      if (url !== undefined && (!isHttpUrl(url) || url.length > 2_000)) {
        return say(422, '10003', `'${field}' is no address, or longer than 2000 characters.`, field)
      }
    }
    if (isString(text) && body['encoding'] === 'gsm7' && gsmLength(text) === undefined) {
      return say(400, '10015', "'text' has a character that GSM-7 lacks, and 'encoding' is gsm7.", 'text')
    }
    // An SMS has at most ten parts: https://support.telnyx.com/en/articles/1130611-understand-telnyx-sms-mdr-report-log
    const isTooLong =
      isString(text) && (body['encoding'] === 'ucs2' ? text.length > 670 : smsParts(text).parts > 10)
    if (mediaUrls.length === 0 && isTooLong)
      return say(400, '40302', "'text' has more than ten parts.", 'text')
    return undefined
  }

  function treat(how: Exclude<Treatment, 'in-2xx'>, body: Record<string, unknown>): ApiAnswer | NoAnswer {
    switch (how) {
      case 'invalid-recipient':
        return refuse({
          status: 400,
          code: '40310',
          detail: "The 'to' address is not a valid number.",
          pointer: '/to',
        })
      case 'opted-out':
        // https://developers.telnyx.com/docs/messaging/messages/advanced-opt-in-out gives the body but not the status,
        // which is from memory; the code is what tells.
        return refuse({
          status: 400,
          code: '40300',
          detail: `Messages cannot be sent from '${String(body['from'])}' to '${String(body['to'])}' due to an existing block rule.`,
        })
      case 'no-credit':
        // 402 is in the list of statuses of the messaging guide; 20100 in the list of codes.
        return refuse({ status: 402, code: '20100', detail: 'The account lacks the funds for this request.' })
      case 'wrong-credentials':
        return refuse(wrongKey)
      case 'throttled':
        // https://developers.telnyx.com/development/api-fundamentals/reliability/rate-limiting; the guide of RCS and
        // short codes names `retry-after` too.
        return refuse(
          { status: 429, code: '10011', detail: 'You have exceeded the maximum number of allowed requests.' },
          {
            'x-ratelimit-limit': '50',
            'x-ratelimit-remaining': '0',
            'x-ratelimit-reset': '1',
            'retry-after': '1',
          },
        )
      case 'server-error':
        return refuse({ status: 500, code: '10007', detail: 'An unexpected error occured.' })
      default:
        return brokenAnswer(how) ?? 'close'
    }
  }

  function take(body: Record<string, unknown>, isRefused: boolean): ApiAnswer | NoAnswer {
    const mediaUrls = (body['media_urls'] as string[] | undefined) ?? []
    const text = body['text'] as string | undefined
    const from = (body['from'] as string | undefined) ?? number
    const to = body['to'] as string
    const id = randomUUID()
    const { encoding, parts } = smsParts(text ?? '')
    const data: Record<string, unknown> = {
      record_type: 'message',
      direction: 'outbound',
      id,
      type: mediaUrls.length > 0 || body['type'] === 'MMS' ? 'MMS' : 'SMS',
      messaging_profile_id: messagingProfileId,
      organization_id: organizationId,
      from: { phone_number: from, carrier: 'TELNYX LLC', line_type: 'VoIP' },
      to: [
        {
          phone_number: to,
          status: isRefused ? 'sending_failed' : body['send_at'] ? 'scheduled' : 'queued',
          carrier: 'T-MOBILE USA, INC.',
          line_type: 'Wireless',
        },
      ],
      cc: [],
      text: text ?? '',
      subject: body['subject'] ?? null,
      media: mediaUrls.map((url) => ({ url, content_type: null, sha256: null, size: null })),
      webhook_url: body['webhook_url'] ?? callbackUrls.receipt ?? callbackUrls.message ?? null,
      webhook_failover_url: body['webhook_failover_url'] ?? null,
      encoding: body['encoding'] === 'ucs2' ? 'UCS-2' : encoding,
      parts,
      tags: [],
      cost: null,
      cost_breakdown: null,
      received_at: new Date().toISOString(),
      sent_at: null,
      completed_at: null,
      valid_until: null,
      // The schema of the answer has `errors` about addressees beside a status such as sending_failed.
      errors: isRefused
        ? [{ code: '40012', title: titles['40012'], detail: 'The number is not routable.' }]
        : [],
      tcr_campaign_id: null,
      tcr_campaign_billable: false,
      tcr_campaign_registered: null,
      wait_seconds: 0,
    }
    if (!isRefused) {
      const kept = {
        id,
        from: (body['from'] as string | undefined) ?? '',
        to,
        text,
        mediaUrls,
        reference: undefined,
        receiptUrl: body['webhook_url'] as string | undefined,
        data,
        isForProfile: body['use_profile_webhooks'] !== false,
      }
      taken.push(kept)
      options.onTaken?.(kept)
    }
    return answerJson(200, { data })
  }

  function answer(got: ApiRequest): ApiAnswer | NoAnswer {
    if (got.headers.authorization !== `Bearer ${apiKey}`) {
      return refuseWithViolation(
        wrongKey,
        'The Authorization header is not Bearer with the API key.',
        keyDocumentation,
      )
    }
    if (got.path === '/v2/messages' && got.method === 'POST') return sendMessage(got)
    const messageId = /^\/v2\/messages\/([^/]+)$/.exec(got.path)?.[1]
    const kept = taken.find((message) => message.id === messageId)
    if (got.method === 'GET' && kept !== undefined) return answerJson(200, { data: kept.data })
    return (
      setUp(got) ??
      refuseWithViolation(notFound, `The API has no ${got.method} ${got.path} (or not this id).`)
    )
  }

  /** The messaging profile and its numbers: https://developers.telnyx.com/api-reference/profiles/list-messaging-profiles */
  function setUp(got: ApiRequest): ApiAnswer | NoAnswer | undefined {
    const profile = () => ({
      record_type: 'messaging_profile',
      id: messagingProfileId,
      name: 'Stand-in',
      organization_id: organizationId,
      enabled: true,
      webhook_url: callbackUrls.message ?? null,
      webhook_failover_url: null,
      webhook_api_version: '2',
      whitelisted_destinations: ['*'],
      number_pool_settings: null,
      url_shortener_settings: null,
    })
    const one = `/v2/messaging_profiles/${messagingProfileId}`
    if (got.method === 'GET' && got.path === '/v2/messaging_profiles')
      return answerJson(200, page([profile()]))
    if (got.method === 'GET' && got.path === one) return answerJson(200, { data: profile() })
    if (got.method === 'PATCH' && got.path === one) {
      const body = parseJson(got.body.toString('utf8'))?.value
      const url = isRecord(body) ? body['webhook_url'] : undefined
      if (!isHttpUrl(url)) {
        return refuseWithViolation(
          { status: 422, code: '10003', detail: 'No address.' },
          "'webhook_url' is no address.",
        )
      }
      callbackUrls.message = url
      return answerJson(200, { data: profile() })
    }
    if (got.method === 'GET' && [`${one}/phone_numbers`, '/v2/phone_numbers/messaging'].includes(got.path)) {
      const entry = {
        record_type: 'messaging_settings',
        id: numberId,
        phone_number: number,
        messaging_profile_id: messagingProfileId,
        country_code: 'US',
        type: 'long-code',
        traffic_type: 'P2P',
        messaging_product: 'P2P',
        eligible_messaging_products: ['P2P'],
      }
      return answerJson(200, page([entry]))
    }
    return undefined
  }

  async function bring(
    url: string | undefined,
    key: string,
    eventType: string,
    payload: Record<string, unknown>,
    forgery: Forgery | undefined,
  ): Promise<CallbackAnswer> {
    if (url === undefined) return { status: 0, body: 'no address for the callback is set', isSuccess: false }
    const event = eventIds.get(key) ?? { id: randomUUID(), attempt: 0, occurredAt: new Date().toISOString() }
    event.attempt += 1
    eventIds.set(key, event)
    // https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks
    const write = (written: Record<string, unknown>) =>
      JSON.stringify({
        data: {
          event_type: eventType,
          id: event.id,
          occurred_at: event.occurredAt,
          payload: written,
          record_type: 'event',
        },
        meta: { attempt: event.attempt, delivered_to: url },
      })
    const body = write(payload)
    const seconds = String(Math.floor(Date.now() / 1_000) - (forgery === 'old' ? 3_600 : 0))
    const signature = signTelnyx(
      forgery === 'wrong-secret' ? otherKeys.privateKey : keys.privateKey,
      seconds,
      body,
    )
    const reply = await sendCallback(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(forgery === 'unsigned'
          ? {}
          : { 'Telnyx-Signature-Ed25519': signature, 'Telnyx-Timestamp': seconds }),
      },
      body: forgery === 'other-body' ? write({ ...payload, text: 'something else' }) : body,
    })
    // Any 2xx within two seconds is success; the stand-in waits for longer, for slow machines.
    return { status: reply.status, body: reply.body, isSuccess: reply.status >= 200 && reply.status < 300 }
  }

  const server = await startServer(answer)
  return {
    url: server.url,
    credentials: { apiKey, publicKey: rawPublicKey(keys.publicKey) },
    number,
    messagingProfileId,
    callbackUrls,
    taken,
    violations,
    treatNext(how) {
      treatment = how
    },
    async receive(messages, forgery) {
      const answers: CallbackAnswer[] = []
      for (const message of messages) {
        const payload = inboundPayload(
          message,
          number,
          messagingProfileId,
          organizationId,
          callbackUrls.message,
        )
        const key = `received ${String(payload['id'])}`
        answers.push(await bring(callbackUrls.message, key, 'message.received', payload, forgery))
      }
      return answers
    },
    async report(id, state, code, forgery) {
      const message = taken.find((one) => one.id === id)
      if (message === undefined) throw new Error(`Telnyx took no message ${id}.`)
      const now = new Date().toISOString()
      const [recipient] = message.data['to'] as [Record<string, unknown>]
      recipient['status'] = state === 'failed' ? 'delivery_failed' : state
      message.data['sent_at'] ??= now
      message.data['cost'] = { amount: '0.0051', currency: 'USD' }
      if (state !== 'sent') message.data['completed_at'] = now
      if (state === 'failed') {
        const failure = code ?? '40008'
        message.data['errors'] = [{ code: failure, title: titles[failure] ?? 'Undeliverable' }]
      }
      const fromProfile = message.isForProfile ? (callbackUrls.receipt ?? callbackUrls.message) : undefined
      // The request's own address comes before the profile's.
      const url = message.receiptUrl ?? fromProfile
      const eventType = state === 'sent' ? 'message.sent' : 'message.finalized'
      return [await bring(url, `${state} ${id}`, eventType, message.data, forgery)]
    },
    close: () => server.close(),
  }
}

const wrongKey: Refusal = {
  status: 401,
  code: '10009',
  detail: 'The required authentication headers were either invalid or not included in the request.',
}
const notFound: Refusal = {
  status: 404,
  code: '10005',
  detail: 'The requested resource or URL could not be found.',
}

/** Base64 of the signature of `timestamp|body`: https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks */
function signTelnyx(key: KeyObject, seconds: string, body: string): string {
  return sign(null, Buffer.from(`${seconds}|${body}`), key).toString('base64')
}

/** The portal shows the 32 bytes of the key in base64; DER puts 12 bytes before them. */
function rawPublicKey(key: KeyObject): string {
  return key.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')
}

function inboundPayload(
  message: ReceivedMessage,
  number: string,
  profileId: string,
  organizationId: string,
  webhookUrl: string | undefined,
): Record<string, unknown> {
  const mediaUrls = message.mediaUrls ?? []
  return {
    cc: [],
    completed_at: null,
    cost: { amount: '0.0051', currency: 'USD' },
    cost_breakdown: null,
    direction: 'inbound',
    encoding: smsParts(message.text).encoding,
    errors: [],
    from: { carrier: 'T-MOBILE USA, INC.', line_type: 'Wireless', phone_number: message.from },
    id: message.id ?? randomUUID(),
    media: mediaUrls.map((url) => ({
      content_type: 'image/png',
      hash_sha256: createHash('sha256').update(url).digest('hex'),
      size: 1_024,
      url,
    })),
    messaging_profile_id: profileId,
    organization_id: organizationId,
    parts: Math.max(1, smsParts(message.text).parts),
    received_at: new Date().toISOString(),
    record_type: 'message',
    sent_at: null,
    subject: null,
    tags: [],
    tcr_campaign_billable: false,
    tcr_campaign_id: null,
    tcr_campaign_registered: null,
    text: message.text,
    to: [
      {
        carrier: 'TELNYX LLC',
        line_type: 'VoIP',
        phone_number: message.to ?? number,
        status: 'webhook_delivered',
      },
    ],
    type: mediaUrls.length > 0 ? 'MMS' : 'SMS',
    valid_until: null,
    webhook_failover_url: null,
    webhook_url: webhookUrl ?? null,
  }
}

function answerJson(
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): ApiAnswer | NoAnswer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: value }
}

function page(data: unknown[]): Record<string, unknown> {
  return { data, meta: { total_pages: 1, total_results: data.length, page_number: 1, page_size: 20 } }
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

function isNumberOrShortCode(value: unknown): boolean {
  return isString(value) && (/^\+[1-9]\d{6,14}$/.test(value) || /^\d{5,8}$/.test(value))
}
