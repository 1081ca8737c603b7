/**
 * SMS Gateway for Android (SMSGate): an app that makes a phone a gateway. Its message API exists twice: on the cloud
 * server or a server of one's own (`/3rdparty/v1/…`), and on the phone itself (`/message`, "local server"). Webhooks
 * always come from the phone. https://docs.sms-gate.app/getting-started/
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { brokenAnswer, isRecord, parseJson, startServer } from './server.js'
import type { ApiAnswer, ApiRequest, NoAnswer } from './server.js'
import { checkMessage } from './smsgate-request.js'
import { checkWebhook, deliver, isoIn, nanoId, readAttachment } from './smsgate-webhooks.js'
import type { Webhook } from './smsgate-webhooks.js'
import type {
  CallbackAnswer,
  Forgery,
  ReceivedMessage,
  StandIn,
  TakenMessage,
  Treatment,
} from './stand-in.js'

const apiDocs = 'https://docs.sms-gate.app/integration/authentication/'

export interface SmsGateOptions {
  number?: string
  messageCallbackUrl?: string
  receiptCallbackUrl?: string
  /** The cloud's API takes none but https addresses; tests have none. `true` lets http on loopback be registered. */
  allowHttpWebhooks?: boolean
  /** Whether the app may read the SIM's number. If not, it leaves its own number out of every event. */
  knowsOwnNumber?: boolean
}

export interface SmsGateStandIn extends StandIn {
  /** The base address of the cloud server's API, as the official client takes it. `url` itself is the local server. */
  readonly apiUrl: string
  readonly deviceId: string
  /** What was registered through the API. */
  readonly webhooks: readonly Webhook[]
  /** A data SMS, base64. */
  receiveData(from: string, data: string, forgery?: Forgery): Promise<CallbackAnswer[]>
  /** The event of the cancelled message. */
  reportCancelled(id: string): Promise<CallbackAnswer[]>
  /** When the server has heard of the phone last; left out: now. */
  lastSeenAt?: Date
  /** In percent. Below 10 the phone's health is an answer with 500. */
  batteryLevel: number
  /** The app's heartbeat, to the receipt callback and to whoever registered for it. */
  ping(forgery?: Forgery): Promise<CallbackAnswer[]>
  appStarted(): Promise<CallbackAnswer[]>
}

interface StoredMessage {
  id: string
  state: string
  text: string | undefined
  data: { data: string; port: number } | undefined
  isEncrypted: boolean
  recipients: { phoneNumber: string; state: string; error?: string }[]
  states: Record<string, string>
}

export async function startSmsGate(options: SmsGateOptions = {}): Promise<SmsGateStandIn> {
  const number = options.number ?? '+491701234567'
  const ownNumber = options.knowsOwnNumber === false ? null : number
  const credentials = { username: 'EOVBKZ', password: 'x5nmyo3d_7zqwc', signingKey: nanoId(8) }
  const deviceId = nanoId()
  const taken: TakenMessage[] = []
  const violations: string[] = []
  const webhooks: Webhook[] = []
  const messages = new Map<string, StoredMessage>()
  const inbox: Record<string, unknown>[] = []
  const tokens = new Map<string, { id: string; scopes: string[]; until: number }>()
  let next: Treatment | undefined

  const json = (status: number, body: unknown, headers?: Record<string, string>): ApiAnswer => ({
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  const refuse = (status: number, message: string): ApiAnswer => json(status, { message })
  const violate = (sentence: string, url: string): void => void violations.push(`${sentence} ${url}`)

  /** Basic on both; a bearer token only on the server. The scopes of the token that came, or 'all'. */
  const authorize = (request: ApiRequest, isLocal: boolean): string[] | 'all' | undefined => {
    const header = request.headers.authorization ?? ''
    const [scheme = '', value = ''] = header.split(' ')
    if (scheme.toLowerCase() === 'basic') {
      const expected = `${credentials.username}:${credentials.password}`
      return Buffer.from(value, 'base64').toString('utf8') === expected ? 'all' : undefined
    }
    if (scheme.toLowerCase() === 'bearer' && !isLocal) {
      const token = tokens.get(value)
      return token && token.until > Date.now() ? token.scopes : undefined
    }
    return undefined
  }

  const stateOf = (message: StoredMessage, withContent: boolean): Record<string, unknown> => ({
    id: message.id,
    deviceId,
    state: message.state,
    isHashed: false,
    isEncrypted: message.isEncrypted,
    recipients: message.recipients,
    states: message.states,
    ...(withContent && message.text !== undefined ? { textMessage: { text: message.text } } : {}),
    ...(withContent && message.data ? { dataMessage: message.data } : {}),
  })

  const send = (request: ApiRequest, isLocal: boolean): ApiAnswer | NoAnswer => {
    const checked = checkMessage(request, { isLocal, deviceId, violate })
    if ('refusal' in checked) return refuse(400, checked.refusal)
    const treatment = next
    next = undefined
    // https://docs.sms-gate.app/features/sending-messages/#server-queue-limits: 503, on the server alone.
    if (treatment === 'throttled' && !isLocal) {
      return refuse(503, 'queue limits exceeded: too many pending messages: 100 / 100')
    }
    // The phone checks the number only when it sends: the local server takes the message, and it fails afterwards.
    if (treatment === 'invalid-recipient' && !isLocal) return refuse(400, 'invalid phone number')
    if (treatment === 'server-error') return refuse(500, 'failed to handle request')
    const broken = brokenAnswer(treatment, 202)
    if (broken) return broken
    const id = checked.id ?? nanoId()
    if (messages.has(id)) return refuse(409, 'message with the same ID already exists')
    const stored: StoredMessage = {
      id,
      state: 'Pending',
      text: checked.text,
      data: checked.data,
      isEncrypted: checked.isEncrypted,
      recipients: checked.phoneNumbers.map((phoneNumber) => ({ phoneNumber, state: 'Pending' })),
      states: isLocal ? { Pending: new Date().toISOString() } : {},
    }
    messages.set(id, stored)
    for (const to of checked.phoneNumbers) {
      const reference = checked.id
      taken.push({
        id,
        from: number,
        to,
        text: checked.text,
        mediaUrls: [],
        reference,
        receiptUrl: undefined,
      })
    }
    const location = isLocal ? undefined : { location: `/3rdparty/v1/messages/${id}` }
    return json(202, stateOf(stored, true), location)
  }

  const registerWebhook = (request: ApiRequest, isLocal: boolean): ApiAnswer => {
    const allowHttp = options.allowHttpWebhooks === true
    const checked = checkWebhook(request, { isLocal, deviceId, allowHttp, violate })
    if ('refusal' in checked) return refuse(400, checked.refusal)
    // The phone's own server keeps no device with a webhook (the app's `WebHooksService.kt`).
    const webhook = isLocal ? { ...checked, deviceId: null } : checked
    const index = webhooks.findIndex((other) => other.id === webhook.id)
    if (index === -1) webhooks.push(webhook)
    else webhooks[index] = webhook
    return json(201, webhook)
  }

  const generateToken = (request: ApiRequest): ApiAnswer => {
    const body = parseJson(request.body.toString('utf8'))?.value
    const scopes = isRecord(body) && Array.isArray(body.scopes) ? body.scopes.map(String) : []
    const ttl = isRecord(body) && typeof body.ttl === 'number' ? body.ttl : 86400
    if (scopes.length === 0) {
      violate('A token needs at least one scope.', apiDocs)
      return refuse(400, 'failed to validate: scopes required')
    }
    const token = { id: randomUUID(), scopes, until: Date.now() + ttl * 1000 }
    const access = nanoId(60)
    tokens.set(access, token)
    return json(201, {
      id: token.id,
      token_type: 'Bearer',
      access_token: access,
      refresh_token: nanoId(60),
      expires_at: new Date(token.until).toISOString(),
    })
  }

  const handle = (request: ApiRequest): ApiAnswer | NoAnswer => {
    const isLocal = !request.path.startsWith('/3rdparty/v1/') && !request.path.startsWith('/api/3rdparty/v1/')
    const path = request.path.replace(/^(\/api)?\/3rdparty\/v1/, '').replace(/\/$/, '') || '/'
    const isSend = request.method === 'POST' && /^\/messages?$/.test(path)
    // Anybody may ask for it (the app's `WebService.kt`).
    if (isLocal && request.method === 'GET' && path === '/health') {
      const health = healthOf()
      return json(health.status === 'fail' ? 500 : 200, health)
    }
    const scopes = isSend && next === 'wrong-credentials' ? undefined : authorize(request, isLocal)
    if (!scopes) {
      if (isSend && next === 'wrong-credentials') next = undefined
      else violate('Each request has the account’s name and password as Basic, or a bearer token.', apiDocs)
      if (!isLocal) return refuse(401, 'Unauthorized')
      return {
        status: 401,
        headers: { 'www-authenticate': 'Basic realm="Access to SMS Gateway", charset=UTF-8' },
      }
    }
    const mayNot = (scope: string): ApiAnswer | undefined =>
      scopes === 'all' || scopes.includes('all:any') || scopes.includes(scope)
        ? undefined
        : refuse(403, isLocal ? 'Insufficient permissions' : `scope required: ${scope}`)
    if (isSend) return mayNot('messages:send') ?? send(request, isLocal)
    const route = `${request.method} ${path.replace(/^\/(message|device|webhook)(?=\/|$)/, '/$1s')}`
    const lastPart = decodeURIComponent(path.split('/').pop() ?? '')
    const stored = messages.get(lastPart)
    if (/^GET \/messages\/[^/]+$/.test(route)) {
      return (
        mayNot('messages:read') ??
        (stored ? json(200, stateOf(stored, true)) : refuse(404, 'message not found'))
      )
    }
    if (/^DELETE \/messages\/[^/]+$/.test(route)) {
      const refusal = mayNot('messages:cancel')
      if (refusal) return refusal
      if (!stored) return refuse(404, 'message not found')
      if (stored.state !== 'Pending') return refuse(409, 'message is not pending')
      stored.state = 'Cancelling'
      return json(200, stateOf(stored, false))
    }
    if (/^DELETE \/webhooks\/[^/]+$/.test(route)) {
      const index = webhooks.findIndex((webhook) => webhook.id === lastPart)
      const refusal = mayNot('webhooks:delete')
      if (!refusal && index !== -1) webhooks.splice(index, 1)
      return refusal ?? { status: 204 }
    }
    switch (route) {
      case 'GET /messages': {
        const list = [...messages.values()].reverse()
        const total = { 'x-total-count': String(list.length) }
        const withContent = request.query.get('includeContent') === 'true'
        const all = list.map((message) => stateOf(message, withContent))
        return mayNot(isLocal ? 'messages:read' : 'messages:list') ?? json(200, all, total)
      }
      case 'GET /inbox':
        // The server answers that it cannot do this yet; the phone can.
        if (!isLocal) return refuse(501, 'Inbox API is not implemented yet')
        return mayNot('inbox:list') ?? json(200, inbox, { 'x-total-count': String(inbox.length) })
      case 'GET /webhooks':
        return mayNot('webhooks:list') ?? json(200, webhooks)
      case 'POST /webhooks':
        return mayNot('webhooks:write') ?? registerWebhook(request, isLocal)
      case 'GET /devices': {
        const at = new Date().toISOString()
        const simCards = [{ slotIndex: 0, simNumber: 1, ...(ownNumber ? { phoneNumber: ownNumber } : {}) }]
        const device = {
          id: deviceId,
          name: 'Google/panther',
          createdAt: at,
          updatedAt: at,
          lastSeen: (isLocal ? undefined : standIn.lastSeenAt?.toISOString()) ?? at,
          simCards,
        }
        return mayNot('devices:list') ?? json(200, [device])
      }
      case 'POST /auth/token':
        return isLocal ? refuse(404, 'Not Found') : (mayNot('tokens:manage') ?? generateToken(request))
      default:
        violate(
          `There is no ${request.method} ${request.path}.`,
          'https://docs.sms-gate.app/integration/api/',
        )
        return isLocal ? { status: 404 } : refuse(404, `Cannot ${request.method} ${request.path}`)
    }
  }
  /** The app's `BatteryMonitor.kt`; the flags of charging are 1 it is, 2 at a charger, 4 by USB. */
  const healthOf = () => {
    const { batteryLevel: level } = standIn
    const status = level < 10 ? 'fail' : level < 25 ? 'warn' : 'pass'
    const battery = { description: 'Battery level in percent', observedUnit: 'percent' }
    const charging = { description: 'Is the phone charging?', observedUnit: 'flags', observedValue: 3 }
    const checks = {
      'battery:level': { ...battery, observedValue: level, status },
      'battery:charging': { ...charging, status: 'pass' },
    }
    return { checks, releaseId: 1, status, version: '1.68.0' }
  }
  const server = await startServer(handle)

  /** An event has an id of its own for each webhook, the same again when it is repeated. */
  const emit = async (
    own: string | undefined,
    event: string,
    payload: object,
    forgery?: Forgery,
    id = nanoId(),
  ): Promise<CallbackAnswer[]> => {
    const answers: CallbackAnswer[] = []
    const registered = webhooks.filter((webhook) => webhook.event === event)
    const targets = [
      ...(own === undefined ? [] : [{ url: own, id: `own-${event.replace(':', '-')}` }]),
      ...registered,
    ]
    for (const [index, { url, id: webhookId }] of targets.entries()) {
      const eventId = index === 0 ? id : `${id}-${index}`
      const content = { id: eventId, webhookId, deviceId, event, payload }
      answers.push(await deliver(url, content, credentials.signingKey, forgery))
    }
    return answers
  }
  const now = (): string => isoIn(new Date(), 7)

  /** The events of a message. To repeat them, the app sends the same content again, signed anew. */
  const eventsOf = async (message: ReceivedMessage): Promise<{ event: string; payload: object }[]> => {
    // The app makes the id of an SMS from its content: a 32 bit number in hexadecimal, which may come twice.
    const messageId = randomBytes(4)
      .toString('hex')
      .replace(/^0+(?=.)/, '')
    const { from: sender, text } = message
    const recipient = message.to ?? ownNumber
    // Another number is that of the other card.
    const simNumber = recipient === ownNumber ? 1 : 2
    const common = { messageId, phoneNumber: sender, recipient, sender, simNumber }
    const isMms = (message.mediaUrls ?? []).length > 0
    const type = isMms ? 'MMS' : 'SMS'
    inbox.unshift({
      id: messageId,
      type,
      sender,
      recipient,
      simNumber: 1,
      contentPreview: text,
      createdAt: now(),
    })
    if (!isMms) return [{ event: 'sms:received', payload: { message: text, receivedAt: now(), ...common } }]
    const attachments = await Promise.all((message.mediaUrls ?? []).map(readAttachment))
    const size = attachments.reduce((sum, attachment) => sum + attachment.size, 0)
    const notice = {
      contentClass: null,
      receivedAt: now(),
      size,
      subject: null,
      transactionId: `T${messageId}`,
    }
    const content = { attachments, body: text === '' ? null : text, receivedAt: now(), subject: null }
    return [
      { event: 'mms:received', payload: { ...notice, ...common } },
      { event: 'mms:downloaded', payload: { ...content, ...common } },
    ]
  }
  const received = new Map<string, { event: string; payload: object }[]>()

  const reportAs = async (
    id: string,
    event: string,
    state: string,
    extra: (at: string) => object,
    forgery?: Forgery,
  ) => {
    const stored = messages.get(id)
    if (!stored) throw new Error(`there is no message ${id}`)
    stored.state = state
    stored.states[state] = new Date().toISOString()
    const answers: CallbackAnswer[] = []
    for (const recipient of stored.recipients) {
      recipient.state = state
      const common = {
        phoneNumber: recipient.phoneNumber,
        recipient: recipient.phoneNumber,
        sender: ownNumber,
      }
      const payload = { ...extra(now()), messageId: id, ...common, simNumber: 1 }
      answers.push(...(await emit(standIn.callbackUrls.receipt, event, payload, forgery)))
    }
    return answers
  }

  const standIn: SmsGateStandIn = {
    url: server.url,
    apiUrl: `${server.url}/3rdparty/v1`,
    credentials,
    number,
    deviceId,
    webhooks,
    batteryLevel: 94,
    taken,
    violations,
    callbackUrls: {
      ...(options.messageCallbackUrl === undefined ? {} : { message: options.messageCallbackUrl }),
      ...(options.receiptCallbackUrl === undefined ? {} : { receipt: options.receiptCallbackUrl }),
    },
    treatNext(how) {
      if (how === 'opted-out' || how === 'no-credit' || how === 'in-2xx') {
        throw new Error(
          `SMSGate has no such answer to a request: ${how}. The message fails afterwards, if at all.`,
        )
      }
      next = how
    },
    async receive(incoming, forgery) {
      const answers: CallbackAnswer[] = []
      for (const message of incoming) {
        const id = message.id ?? nanoId()
        const events = received.get(id) ?? (await eventsOf(message))
        received.set(id, events)
        for (const { event, payload } of events) {
          const eventId = event === 'mms:received' ? `${id}-notice` : id
          answers.push(...(await emit(standIn.callbackUrls.message, event, payload, forgery, eventId)))
        }
      }
      return answers
    },
    receiveData(sender, data, forgery) {
      const messageId = randomBytes(4).toString('hex')
      const common = { messageId, phoneNumber: sender, recipient: ownNumber, sender, simNumber: 1 }
      const payload = { data, receivedAt: now(), ...common }
      return emit(standIn.callbackUrls.message, 'sms:data-received', payload, forgery)
    },
    report(id, state, code, forgery) {
      const reason = code ?? 'RESULT_ERROR_GENERIC_FAILURE (Generic failure cause)'
      switch (state) {
        case 'sent':
          return reportAs(id, 'sms:sent', 'Sent', (sentAt) => ({ partsCount: 1, sentAt }), forgery)
        case 'delivered':
          return reportAs(id, 'sms:delivered', 'Delivered', (deliveredAt) => ({ deliveredAt }), forgery)
        case 'failed':
          return reportAs(id, 'sms:failed', 'Failed', (failedAt) => ({ failedAt, reason }), forgery)
      }
    },
    reportCancelled: (id) => reportAs(id, 'sms:cancelled', 'Cancelled', (cancelledAt) => ({ cancelledAt })),
    ping(forgery) {
      return emit(standIn.callbackUrls.receipt, 'system:ping', { health: healthOf() }, forgery)
    },
    appStarted() {
      const simCards = [{ carrierName: 'Carrier', phoneNumber: ownNumber, simNumber: 1, slotIndex: 0 }]
      return emit(standIn.callbackUrls.receipt, 'app:started', { simCards })
    },
    close: () => server.close(),
  }
  return standIn
}
