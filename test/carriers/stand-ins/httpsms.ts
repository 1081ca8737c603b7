/**
 * httpSMS: an Android app and a service (https://api.httpsms.com or a server of one's own) that make a phone a gateway.
 * https://docs.httpsms.com/
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { checkMessage, checkWebhook, docs, openApi } from './httpsms-request.js'
import type { CheckedMessage, WebhookRequest } from './httpsms-request.js'
import { deliver, goJson, newEvent, newMessage } from './httpsms-webhooks.js'
import type { CloudEvent, StoredMessage } from './httpsms-webhooks.js'
import { brokenAnswer, startServer } from './server.js'
import type { ApiAnswer, ApiRequest, NoAnswer } from './server.js'
import type {
  CallbackAnswer,
  Forgery,
  ReceivedMessage,
  StandIn,
  TakenMessage,
  Treatment,
} from './stand-in.js'

export interface HttpSmsOptions {
  number?: string
  messageCallbackUrl?: string
  receiptCallbackUrl?: string
  /** A webhook without a signing key has no Authorization header. */
  signingKey?: string
}

export interface HttpSmsStandIn extends StandIn {
  /** What was stored through the API. */
  readonly webhooks: readonly (WebhookRequest & { id: string })[]
  /** A call that nobody took, to the message callback: `message.call.missed`. */
  missCall(from: string, calledAt?: Date): Promise<CallbackAnswer[]>
  /** The phone did not take the message in time. Not final: the service tries once more. */
  reportExpired(id: string, isFinal?: boolean, forgery?: Forgery): Promise<CallbackAnswer[]>
  /** What GET /v1/heartbeats answers; null: the phone was never heard of. */
  lastHeartbeat: { timestamp: Date; charging: boolean } | null
  /** `phone.heartbeat.offline` after an hour of silence, or `.online`, to the receipt callback. */
  heartbeat(state: 'offline' | 'online', forgery?: Forgery): Promise<CallbackAnswer[]>
}

export async function startHttpSms(options: HttpSmsOptions = {}): Promise<HttpSmsStandIn> {
  const number = options.number ?? '+18005550199'
  const userId = 'XtABz6zdeFMoBLoltz6SREDvRSh2'
  const phoneId = randomUUID()
  const signingKey = options.signingKey ?? randomBytes(32).toString('hex')
  const credentials = { apiKey: `uk_${randomBytes(32).toString('base64url')}`, signingKey }
  const taken: TakenMessage[] = []
  const violations: string[] = []
  const webhooks: (WebhookRequest & { id: string })[] = []
  const messages = new Map<string, StoredMessage>()
  const received = new Map<string, CloudEvent>()
  let next: Treatment | undefined

  const answer = (status: number, message: string, data?: unknown): ApiAnswer => ({
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    // The service's maps come out in the order of the alphabet.
    body: goJson({
      ...(data === undefined ? {} : { data }),
      message,
      status: status < 400 ? 'success' : 'error',
    }),
  })
  const violate = (sentence: string, url: string): void => void violations.push(`${sentence} ${url}`)
  const badRequest = (data: unknown): ApiAnswer => answer(400, "The request isn't properly formed", data)

  const store = (checked: CheckedMessage): StoredMessage => {
    const message = newMessage(checked, userId)
    messages.set(message.id, message)
    return message
  }

  const send = (request: ApiRequest): ApiAnswer | NoAnswer => {
    const checked = checkMessage(request, [number], violate)
    if ('status' in checked) {
      if (checked.status === 400) return badRequest(checked.data)
      return answer(422, 'validation errors while sending message', checked.data)
    }
    const treatment = next
    next = undefined
    switch (treatment) {
      case 'invalid-recipient': {
        const sentence = 'The to field must contain only digits and must be less than 14 characters'
        return answer(422, 'validation errors while sending message', { to: [sentence] })
      }
      case 'no-credit': {
        const sentence = 'You have exceeded your limit of [200] messages on your [free] plan.'
        return answer(402, `${sentence} Upgrade to send more messages on https://httpsms.com/billing`)
      }
      case 'server-error':
        return answer(500, 'We ran into an internal error while handling the request.')
      default: {
        const broken = brokenAnswer(treatment)
        if (broken) return broken
      }
    }
    const message = store(checked)
    taken.push({
      id: message.id,
      from: checked.from,
      to: checked.to,
      text: checked.content,
      mediaUrls: checked.attachments,
      reference: checked.requestId ?? undefined,
      receiptUrl: undefined,
    })
    return answer(200, 'message added to queue', message)
  }

  const storeWebhook = (request: ApiRequest, id: string | undefined): ApiAnswer => {
    const checked = checkWebhook(request, [number], violate)
    if ('status' in checked) {
      if (checked.status === 400) return badRequest(checked.data)
      return answer(422, 'validation errors while storing webhook', checked.data)
    }
    const index = webhooks.findIndex((webhook) => webhook.id === id)
    const webhook = { ...checked, id: id ?? randomUUID() }
    if (index === -1) webhooks.push(webhook)
    else webhooks[index] = webhook
    const at = new Date().toISOString()
    const data = { ...webhook, user_id: userId, created_at: at, updated_at: at }
    return id
      ? answer(200, 'webhook updated successfully', data)
      : answer(201, 'webhook created successfully', data)
  }

  const handle = (request: ApiRequest): ApiAnswer | NoAnswer => {
    const route = `${request.method} ${request.path}`
    const isSend = route === 'POST /v1/messages/send'
    const isRefused = isSend && next === 'wrong-credentials'
    if (isRefused) next = undefined
    if (isRefused || request.headers['x-api-key'] !== credentials.apiKey) {
      if (!isRefused) violate('Each request has the account’s key in the header x-api-key.', docs)
      const advice = 'Make sure your API key is set in the [x-api-key] header in the request'
      return answer(401, 'You are not authorized to carry out this request.', advice)
    }
    if (isSend) return send(request)
    const [, kind, id = ''] = /^\/v1\/(messages|webhooks)\/([^/]+)$/.exec(request.path) ?? []
    if (kind === 'messages' && request.method === 'GET') {
      const message = messages.get(id)
      if (!message) return answer(404, `cannot find message with ID [${id}]`)
      return answer(200, 'message fetched successfully', message)
    }
    if (kind === 'webhooks' && request.method === 'PUT') return storeWebhook(request, id)
    if (kind === 'webhooks' && request.method === 'DELETE') {
      const index = webhooks.findIndex((webhook) => webhook.id === id)
      if (index !== -1) webhooks.splice(index, 1)
      return answer(200, 'webhook deleted successfully', null)
    }
    switch (route) {
      case 'GET /v1/messages': {
        const { owner, contact } = Object.fromEntries(request.query)
        const of = [...messages.values()].filter(
          (message) => message.owner === owner && message.contact === contact,
        )
        return answer(200, `fetched ${of.length} messages`, of)
      }
      case 'GET /v1/phones': {
        const phone = {
          id: phoneId,
          user_id: userId,
          phone_number: number,
          messages_per_minute: 10,
          sim: 'SIM1',
        }
        return answer(200, 'fetched 1 phone', [
          { ...phone, max_send_attempts: 2, message_expiration_seconds: 600 },
        ])
      }
      case 'GET /v1/heartbeats': {
        if (!request.query.has('owner')) violate('The heartbeats are those of an owner.', openApi)
        const beat = request.query.get('owner') === number ? standIn.lastHeartbeat : null
        const of = { id: randomUUID(), owner: number, version: '344c10f', user_id: userId }
        return answer(200, 'fetched heartbeats', beat === null ? [] : [{ ...of, ...beat }])
      }
      case 'GET /v1/webhooks':
        return answer(200, `fetched ${webhooks.length} webhooks`, webhooks)
      case 'POST /v1/webhooks':
        return storeWebhook(request, undefined)
      default:
        violate(`There is no ${route}.`, openApi)
        return { status: 404, body: `Cannot ${route}` }
    }
  }
  const server = await startServer(handle)

  const emit = async (
    own: string | undefined,
    event: CloudEvent,
    forgery?: Forgery,
  ): Promise<CallbackAnswer[]> => {
    const isFor = (webhook: WebhookRequest): boolean =>
      webhook.events.includes(event.type) && webhook.phone_numbers.includes(number)
    const owns = own === undefined ? [] : [{ url: own, signing_key: signingKey }]
    const targets = [...owns, ...webhooks.filter(isFor)]
    return Promise.all(targets.map((target) => deliver(target, event, userId, forgery)))
  }

  const report = (
    id: string,
    type: string,
    change: Record<string, unknown> & { status: string },
    extra: object,
    forgery?: Forgery,
  ): Promise<CallbackAnswer[]> => {
    const message = messages.get(id)
    if (!message) throw new Error(`there is no message ${id}`)
    Object.assign(message, change)
    const { owner, contact, request_id, encrypted, content, sim } = message
    const of = { owner, contact, request_id, user_id: userId, encrypted, timestamp: new Date().toISOString() }
    const source = `/v1/messages/${id}/events`
    const event = newEvent(type, source, { ...extra, ...of, content, sim })
    return emit(standIn.callbackUrls.receipt, event, forgery)
  }

  const standIn: HttpSmsStandIn = {
    url: server.url,
    credentials,
    number,
    webhooks,
    lastHeartbeat: { timestamp: new Date(), charging: true },
    taken,
    violations,
    callbackUrls: {
      ...(options.messageCallbackUrl === undefined ? {} : { message: options.messageCallbackUrl }),
      ...(options.receiptCallbackUrl === undefined ? {} : { receipt: options.receiptCallbackUrl }),
    },
    treatNext(how) {
      if (how === 'opted-out' || how === 'throttled' || how === 'in-2xx') {
        throw new Error(
          `httpSMS has no such answer to a request: ${how}. It queues, and the phone fails afterwards.`,
        )
      }
      next = how
    },
    async receive(incoming: readonly ReceivedMessage[], forgery) {
      const answers: CallbackAnswer[] = []
      for (const { id = randomUUID(), from, to, text, mediaUrls } of incoming) {
        const data = {
          message_id: id,
          user_id: userId,
          owner: to ?? number,
          encrypted: false,
          contact: from,
          timestamp: new Date().toISOString(),
          content: text,
          sim: 'SIM1',
          attachments: mediaUrls ?? [],
        }
        // A repeat is the same event once more, with a new token.
        const event = received.get(id) ?? newEvent('message.phone.received', '/v1/messages/receive', data)
        received.set(id, event)
        answers.push(...(await emit(standIn.callbackUrls.message, event, forgery)))
      }
      return answers
    },
    async report(id, state, code, forgery) {
      const at = new Date().toISOString()
      switch (state) {
        case 'sent':
          return report(id, 'message.phone.sent', { status: 'sent', sent_at: at }, { id }, forgery)
        case 'delivered':
          return report(
            id,
            'message.phone.delivered',
            { status: 'delivered', delivered_at: at },
            { id },
            forgery,
          )
        case 'failed': {
          // The app's own words: GENERIC_FAILURE, NO_SERVICE, NULL_PDU, RADIO_OFF, LIMIT_EXCEEDED, UNKNOWN:<number>.
          const reason = code ?? 'GENERIC_FAILURE'
          const change = { status: 'failed', failed_at: at, failure_reason: reason }
          return report(id, 'message.send.failed', change, { id, error_message: reason }, forgery)
        }
      }
    },
    async reportExpired(id, isFinal = true, forgery) {
      const change = { status: 'expired', expired_at: new Date().toISOString() }
      const attempts = { message_id: id, send_attempt_count: isFinal ? 2 : 1, is_final: isFinal }
      return report(id, 'message.send.expired', change, attempts, forgery)
    },
    missCall(from, calledAt = new Date()) {
      const at = calledAt.toISOString()
      const call = {
        message_id: randomUUID(),
        user_id: userId,
        owner: number,
        contact: from,
        timestamp: at,
        sim: 'SIM1',
      }
      const event = newEvent('message.call.missed', '/v1/messages/calls/missed', call)
      return emit(standIn.callbackUrls.message, event)
    },
    heartbeat(state, forgery) {
      const at = new Date()
      const last = new Date(at.getTime() - (state === 'offline' ? 3_600_000 : 0)).toISOString()
      const times = { last_heartbeat_timestamp: last, timestamp: at.toISOString() }
      const data = { phone_id: phoneId, user_id: userId, ...times, monitor_id: randomUUID(), owner: number }
      const source = state === 'offline' ? '/v1/events/dispatch' : '/v1/heartbeats'
      const event = newEvent(`phone.heartbeat.${state}`, source, data)
      return emit(standIn.callbackUrls.receipt, event, forgery)
    },
    close: () => server.close(),
  }
  return standIn
}
