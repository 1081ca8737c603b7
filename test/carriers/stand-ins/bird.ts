import { createHmac, randomBytes } from 'node:crypto'
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
  fieldFaults,
  isHttpUrl,
  isRecord,
  parseJson,
  sendCallback,
  startServer,
} from './server.js'
import type { ApiAnswer, ApiRequest, FieldType, NoAnswer } from './server.js'
import { smsParts } from './sms-length.js'

/**
 * Bird's API of 2026 (`https://{region}.platform.bird.com/v1`, keys `bk_{region}_…`): SMS, webhooks, numbers. The facts
 * are from the official packages `@messagebird/sdk` 0.63.0 and `messagebird/bird-sdk-typescript` and from Bird's guides.
 * The numbers of the error codes (`E…`) are not public where they were looked for: those here are made up, but for that of
 * validation and the two of idempotency; the names are Bird's where the description of the operation has them.
 */
const smsDocs = 'https://bird.com/docs/api/reference/create-sms-message'
const webhookDocs = 'https://bird.com/docs/guides/webhooks'
const authDocs = 'https://bird.com/docs/api'

export interface BirdOptions {
  number?: string
  messageCallbackUrl?: string
  receiptCallbackUrl?: string
  /** For 24 hours after a rotation each delivery is signed with the former secret (this one) too. */
  formerWebhookSecret?: string
}

const sendFields = {
  ...{
    to: 'string',
    from: 'string',
    text: 'string',
    category: 'string',
    validity_period: 'number',
    tags: 'array',
  },
  ...{ metadata: 'object', options: 'object', media_urls: 'array', messaging_profile_id: 'string' },
  ...{ scheduled_at: 'string', template: 'object', broadcast_id: 'string', campaign_id: 'string' },
  ...{ audience_id: 'string', contact_id: 'string', topic_id: 'string', personalization: 'object' },
} satisfies Record<string, FieldType>
/** Declared, but refused with `SMSUnsupportedFeature`. */
const previewFields = [
  ...['validity_period', 'media_urls', 'messaging_profile_id', 'scheduled_at', 'broadcast_id', 'campaign_id'],
  ...['audience_id', 'contact_id', 'topic_id', 'personalization'],
]
const optionFields = {
  smart_encoding: 'boolean',
  track_clicks: 'boolean',
  max_price_per_segment: 'number',
} as const
const categories = ['transactional', 'marketing', 'authentication', 'service']
/** Which event tells of which failure. */
const eventOf: Record<string, string> = {
  ...{ unreachable: 'undelivered', provider_unavailable: 'undelivered' },
  ...{ recipient_opted_out: 'rejected', insufficient_balance: 'rejected', sender_unregistered: 'rejected' },
}

type Message = Record<string, unknown> & { id: string }

interface Taken extends TakenMessage {
  tags: unknown
  metadata: unknown
}

/** A prefix, and a ULID in lower case. */
const newId = (prefix: string): string => {
  const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
  return `${prefix}_01${[...randomBytes(24)].map((byte) => alphabet[byte % 32]).join('')}`
}
const workspaceId = newId('ws')

function segmentsOf(text: string): { count: number; encoding: string; characters: number } {
  const { encoding, parts } = smsParts(text)
  return {
    count: parts,
    encoding: encoding === 'GSM-7' ? 'GSM_7BIT' : 'UCS2',
    characters: Array.from(text).length,
  }
}

export async function startBird(options: BirdOptions = {}): Promise<StandIn> {
  const number = options.number ?? '+15557654321'
  const credentials = {
    apiKey: `bk_us1_${randomBytes(16).toString('hex')}`,
    webhookSecret: `whsec_${randomBytes(24).toString('base64')}`,
  }
  const callbackUrls: StandIn['callbackUrls'] = {}
  if (options.messageCallbackUrl !== undefined) callbackUrls.message = options.messageCallbackUrl
  if (options.receiptCallbackUrl !== undefined) callbackUrls.receipt = options.receiptCallbackUrl
  const taken: Taken[] = []
  const violations: string[] = []
  /** Newest first. */
  const messages: Message[] = []
  /** The id of the event that tells of a received message: a repeat has the same. */
  const eventIds = new Map<string, string>()
  const replays = new Map<string, { body: string; answer: ApiAnswer }>()
  let treatment: Treatment | undefined

  const violate = (fault: string, docs: string): void => void violations.push(`Bird: ${fault}. ${docs}`)

  function refuse(status: number, type: string, code: string, name: string, more: object = {}): ApiAnswer {
    const request_id = newId('req')
    const doc_url = `https://docs.bird.com/errors/${code}`
    const error = {
      type,
      code,
      name,
      message: `The request was refused: ${name}`,
      doc_url,
      request_id,
      ...more,
    }
    return { status, headers: { 'x-request-id': request_id }, body: { error } }
  }
  function invalid(faults: { property: string; fault: string }[], docs: string): ApiAnswer {
    for (const { fault } of faults) violate(fault, docs)
    const details = faults.map(({ property, fault }) => ({ param: property, message: fault }))
    return refuse(422, 'validation_error', 'E01001', 'ValidationError', { details })
  }
  const notPermitted = (name: string, param: string, fault: string): ApiAnswer => {
    violate(fault, smsDocs)
    return refuse(422, 'validation_error', 'E90002', name, { param })
  }

  function checkSend(body: Record<string, unknown>): ApiAnswer | undefined {
    const faults = fieldFaults(body, sendFields, ['to'])
    if (isRecord(body.options)) faults.push(...fieldFaults(body.options, optionFields, [], 'options.'))
    if (body.template !== undefined) {
      for (const name of ['text', 'from', 'category', 'media_urls'])
        if (body[name] !== undefined)
          faults.push({ property: name, fault: `${name} does not go with template` })
    } else {
      if (typeof body.text !== 'string' || body.text === '')
        faults.push({ property: 'text', fault: 'text is missing' })
      else if (smsParts(body.text).parts > 12)
        faults.push({ property: 'text', fault: 'text has more than 12 segments' })
      if (!categories.includes(String(body.category)))
        faults.push({ property: 'category', fault: `category is one of ${categories.join(', ')}` })
    }
    if (body.metadata !== undefined && Buffer.byteLength(JSON.stringify(body.metadata)) > 2048)
      faults.push({ property: 'metadata', fault: 'metadata has at most 2 KB' })
    const tags = Array.isArray(body.tags) ? (body.tags as unknown[]) : []
    if (tags.length > 20) faults.push({ property: 'tags', fault: 'there are at most 20 tags' })
    for (const tag of tags) {
      const [name, value] = isRecord(tag) ? [tag.name, tag.value] : []
      const isRight = (part: unknown, max: number): boolean =>
        typeof part === 'string' && part.length <= max && /^[A-Za-z0-9_-]+$/.test(part)
      if (!isRight(name, 32) || !isRight(value, 64))
        faults.push({
          property: 'tags',
          fault: 'a tag has name (32) and value (64) of letters, digits, _ and -',
        })
    }
    if (typeof body.to === 'string' && !/^\+[1-9]\d{6,14}$/.test(body.to))
      faults.push({ property: 'to', fault: `to must be E.164 with its +, not ${body.to}` })
    if (faults.length > 0) return invalid(faults, smsDocs)
    const preview = previewFields.find((name) => body[name] !== undefined)
    if (preview !== undefined)
      return notPermitted('SMSUnsupportedFeature', preview, `${preview} is not available`)
    if (body.template === undefined && body.from === undefined)
      return notPermitted('SMSNoEligibleSender', 'from', 'a free text needs from')
    if (body.template === undefined && body.from !== number)
      return notPermitted(
        'SMSSenderNotConfigured',
        'from',
        `the workspace does not hold ${String(body.from)}`,
      )
    return undefined
  }

  function send(request: ApiRequest): ApiAnswer | NoAnswer {
    const text = request.body.toString('utf8')
    const parsed = request.contentType === 'application/json' ? parseJson(text) : undefined
    if (parsed === undefined || !isRecord(parsed.value)) {
      violate('the body is no JSON object of type application/json', smsDocs)
      return refuse(400, 'bad_request_error', 'E90003', 'InvalidRequestBody')
    }
    const body = parsed.value
    // The same key within three hours brings the same answer once more.
    const key = request.headers['idempotency-key']
    const replay = typeof key === 'string' ? replays.get(key) : undefined
    if (replay !== undefined && replay.body === text) return replay.answer
    if (replay !== undefined) return refuse(409, 'conflict_error', 'E01005', 'idempotency_key_reuse')
    const refusal = checkSend(body)
    if (refusal !== undefined) return refusal
    const how = treatment
    treatment = undefined
    const broken = brokenAnswer(how, 202)
    if (broken !== undefined) return broken
    if (how === 'invalid-recipient')
      return refuse(422, 'validation_error', 'E90004', 'SMSInvalidRecipient', { param: 'to' })
    if (how === 'no-credit') return refuse(402, 'billing_error', 'E90005', 'InsufficientBalance')
    if (how === 'wrong-credentials') return refuse(401, 'auth_error', 'E90006', 'InvalidApiKey')
    if (how === 'throttled') {
      const answer = refuse(429, 'rate_limit_error', 'E90007', 'RateLimitExceeded')
      return { ...answer, headers: { ...answer.headers, 'retry-after': '1' } }
    }
    if (how === 'server-error') return refuse(500, 'internal_error', 'E90008', 'InternalError')
    const id = newId('sms')
    const { to, from, category, tags, metadata } = body
    const reference = isRecord(metadata) ? JSON.stringify(metadata) : undefined
    taken.push({
      ...{ id, from: String(from ?? ''), to: String(to), mediaUrls: [], reference, receiptUrl: undefined },
      text: typeof body.text === 'string' ? body.text : undefined,
      ...{ tags: tags ?? null, metadata: metadata ?? null },
    })
    const message = {
      ...{ id, direction: 'outbound', status: 'accepted', to, from: from ?? number },
      text: category === 'authentication' ? '**REDACTED**' : body.text,
      ...{ category: category ?? 'transactional', segments: segmentsOf(String(body.text ?? '')), cost: null },
      ...(tags === undefined ? {} : { tags }),
      ...(metadata === undefined ? {} : { metadata }),
      options: { smart_encoding: isRecord(body.options) && body.options.smart_encoding === true },
      ...{ created_at: new Date().toISOString(), sent_at: null, delivered_at: null },
    }
    messages.unshift(message)
    const answer = { status: 202, headers: { 'x-request-id': newId('req') }, body: message }
    if (typeof key === 'string') replays.set(key, { body: text, answer })
    return answer
  }

  function page(request: ApiRequest, all: Message[]): ApiAnswer {
    const limit = Number(request.query.get('limit') ?? 25)
    if (!Number.isInteger(limit) || limit < 1 || limit > 100)
      return invalid([{ property: 'limit', fault: 'limit is 1 to 100' }], smsDocs)
    const after = request.query.get('starting_after')
    const start = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1
    const data = all.slice(start, start + limit)
    const next_cursor = start + limit < all.length ? (data.at(-1)?.id ?? null) : null
    return {
      status: 200,
      body: { data, next_cursor, prev_cursor: null, refresh_cursor: data[0]?.id ?? null },
    }
  }

  function list(request: ApiRequest): ApiAnswer {
    const { query } = request
    const isWanted = (message: Message): boolean =>
      ['direction', 'to', 'from', 'category'].every(
        (name) => !query.has(name) || query.get(name) === message[name],
      ) &&
      (!query.has('status') || query.getAll('status').includes(String(message.status))) &&
      (!query.has('created_after') || String(message.created_at) >= String(query.get('created_after'))) &&
      (!query.has('created_before') || String(message.created_at) < String(query.get('created_before')))
    return page(request, messages.filter(isWanted))
  }

  /** Bird takes HTTPS URLs of public hosts only; this takes any, and signs with its one secret. */
  function createWebhook(request: ApiRequest): ApiAnswer {
    const parsed = parseJson(request.body.toString('utf8'))
    const body = parsed !== undefined && isRecord(parsed.value) ? parsed.value : {}
    const faults = fieldFaults(body, { url: 'string', events: 'array', description: 'string' }, [
      'url',
      'events',
    ])
    if (!isHttpUrl(body.url)) faults.push({ property: 'url', fault: 'url must be a URL' })
    if (faults.length > 0) return invalid(faults, webhookDocs)
    const events = body.events as unknown[]
    if (events.includes('sms.received')) callbackUrls.message = String(body.url)
    if (events.includes('sms.delivered')) callbackUrls.receipt = String(body.url)
    const at = new Date().toISOString()
    const endpoint = { id: newId('whk'), ...body, status: 'active', created_at: at, updated_at: at }
    return { status: 201, body: { ...endpoint, secret: credentials.webhookSecret } }
  }

  function handle(request: ApiRequest): ApiAnswer | NoAnswer {
    if (request.headers.authorization !== `Bearer ${credentials.apiKey}`) {
      violate('no right API key in Authorization: Bearer', authDocs)
      return refuse(401, 'auth_error', 'E90006', 'InvalidApiKey')
    }
    if (request.headers['user-agent'] === undefined) {
      violate('there is no User-Agent header', 'https://bird.com/docs/errors')
      return refuse(403, 'permission_error', 'E90010', 'MissingUserAgent')
    }
    const route = `${request.method} ${request.path}`
    if (route === 'POST /v1/sms/messages') return send(request)
    if (route === 'GET /v1/sms/messages') return list(request)
    if (route === 'POST /v1/webhooks') return createWebhook(request)
    if (route === 'GET /v1/numbers') {
      const kind = { kind: 'dedicated', number_type: 'local', capabilities: ['sms'], status: 'active' }
      return page(request, [{ id: 'num_01krdgeqcxet5s7t44vh8rt9mg', number, country_code: 'US', ...kind }])
    }
    const message = messages.find(({ id }) => route === `GET /v1/sms/messages/${id}`)
    if (message !== undefined) return { status: 200, body: message }
    if (!/^GET \/v1\/sms\/messages\/sms_/.test(route)) violate(`there is no ${route}`, smsDocs)
    return refuse(404, 'not_found_error', 'E90009', 'NotFound')
  }

  /**
   * Standard Webhooks: base64 of HMAC-SHA256 over `id.timestamp.body`, keyed with the decoded secret, after `v1,`; several
   * signatures are parted by spaces. https://www.standardwebhooks.com/
   */
  async function call(
    url: string,
    event: unknown,
    eventId: string,
    forgery: Forgery | undefined,
  ): Promise<CallbackAnswer> {
    const text = JSON.stringify(event)
    const timestamp = String(Math.floor(Date.now() / 1000) - (forgery === 'old' ? 86_400 : 0))
    const sign = (secret: string): string =>
      `v1,${createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
        .update(`${eventId}.${timestamp}.${text}`)
        .digest('base64')}`
    const secrets = [credentials.webhookSecret, options.formerWebhookSecret].filter(
      (secret) => secret !== undefined,
    )
    const wrong = [`whsec_${randomBytes(24).toString('base64')}`]
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    if (forgery !== 'unsigned') {
      headers['webhook-id'] = eventId
      headers['webhook-timestamp'] = timestamp
      headers['webhook-signature'] = (forgery === 'wrong-secret' ? wrong : secrets).map(sign).join(' ')
    }
    const body = forgery === 'other-body' ? text.replace('{', '{"forged":true,') : text
    const answer = await sendCallback(url, { headers, body })
    return { ...answer, isSuccess: answer.status >= 200 && answer.status < 300 }
  }

  const server = await startServer(handle)
  return {
    url: server.url,
    credentials,
    number,
    callbackUrls,
    taken,
    violations,
    treatNext: (how) => {
      if (how === 'opted-out' || how === 'in-2xx')
        throw new Error(
          `Bird has no such answer to a request: ${how}. It takes the message and tells of sms.rejected.`,
        )
      treatment = how
    },
    /** The event has no field for attachments: media does not arrive. */
    receive: async (received: readonly ReceivedMessage[], forgery) => {
      const answers: CallbackAnswer[] = []
      for (const { id = newId('sms'), from, to = number, text } of received) {
        const content = text === '' ? {} : { text }
        const segments = segmentsOf(text)
        const at = new Date().toISOString()
        if (!messages.some((message) => message.id === id))
          messages.unshift({
            ...{
              id,
              direction: 'inbound',
              status: 'received',
              to,
              from,
              ...content,
              category: null,
              segments,
            },
            ...{ cost: null, created_at: at, sent_at: null, delivered_at: null },
          })
        const data = {
          sms_id: id,
          workspace_id: workspaceId,
          to,
          from,
          tags: null,
          metadata: null,
          cost: null,
        }
        const event = { type: 'sms.received', timestamp: at, data: { ...data, ...content, segments } }
        const eventId = eventIds.get(id) ?? newId('evt')
        eventIds.set(id, eventId)
        if (callbackUrls.message !== undefined)
          answers.push(await call(callbackUrls.message, event, eventId, forgery))
      }
      return answers
    },
    report: async (id, state, code = 'invalid_destination', forgery) => {
      const message = taken.find((candidate) => candidate.id === id)
      if (message === undefined) throw new Error(`Bird: no message ${id}`)
      const status = state === 'failed' ? (eventOf[code] ?? 'failed') : state
      const at = new Date().toISOString()
      const error = {
        code,
        description: `The message failed: ${code}`,
        carrier_error_code: null,
        occurred_at: at,
      }
      const failure = state === 'failed' ? { error } : {}
      // It is null until the message has been priced (`MessageCost` of @messagebird/sdk).
      const components = { transaction_amount: '0.00750', passthrough_amount: null }
      const cost = state === 'delivered' ? { amount: '0.00750', currency_code: 'USD', ...components } : null
      const stored = messages.find((candidate) => candidate.id === id)
      if (stored !== undefined)
        Object.assign(stored, { status }, state === 'failed' ? { last_error: error } : {})
      const { to, from, tags, metadata } = message
      const data = { sms_id: id, workspace_id: workspaceId, to, from, tags, metadata, cost, ...failure }
      if (callbackUrls.receipt === undefined) return []
      return [
        await call(
          callbackUrls.receipt,
          { type: `sms.${status}`, timestamp: at, data },
          newId('evt'),
          forgery,
        ),
      ]
    },
    close: () => server.close(),
  }
}
