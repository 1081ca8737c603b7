import { randomBytes, randomUUID } from 'node:crypto'
import type { CallbackAnswer, Forgery, StandIn, TakenMessage, Treatment } from './stand-in.js'
import { forgedUrl } from './forged-url.js'
import { brokenAnswer, fieldFaults, isRecord, parseJson, sendCallback, startServer } from './server.js'
import type { ApiAnswer, ApiRequest, FieldType, NoAnswer } from './server.js'

/**
 * Clickatell's One API: messages on the channel `sms`, their status, the balance, and the callbacks for replies and
 * statuses. The shapes are from Clickatell's guides and from three open clients of it (`clickatell-api` for Rust,
 * `zerratar/clickatell-oneapi-csharp`, MobiMarket's `OneApi` for PHP), which carry its tables and examples.
 */
const apiDocs = 'https://docs.clickatell.com/channels/one-api/one-api-reference/'
const errorDocs = 'https://docs.clickatell.com/channels/one-api/one-api-errors-table/'

export interface ClickatellOptions {
  number?: string
  messageCallbackUrl?: string
  receiptCallbackUrl?: string
}

const messageFields = {
  ...{ channel: 'string', to: 'string', content: 'string', from: 'string', clientMessageId: 'string' },
  ...{ scheduledDeliveryTime: 'string', validityPeriod: 'integer', charset: 'string' },
  ...{ encryptionKey: 'string', userDataHeader: 'string', binary: 'boolean' },
} satisfies Record<string, FieldType>

/** Number → HTTP status, description: {@link errorDocs}. */
const errors = {
  1: [401, 'Invalid or missing integration API Key'],
  18: [500, 'Internal error'],
  20: [402, 'Insufficient account balance'],
  21: [400, 'Payload data is malformed'],
  22: [400, 'Maximum messages per request payload exceeded'],
  23: [400, 'Invalid or missing parameter'],
  24: [400, 'Maximum message content size exceeded'],
  25: [400, 'Invalid recipient address'],
  26: [400, 'Recipient opted out'],
  39: [400, 'Channel is not available on integration'],
  41: [400, 'Resource does not exist'],
  42: [400, 'HTTP method is not supported on this resource'],
  43: [400, 'Rate limit'],
  45: [400, 'FROM number is not related to integration'],
} as const satisfies Record<number, readonly [number, string]>
type ErrorCode = keyof typeof errors

/** https://docs.clickatell.com/channels/one-api/one-api-message-status-table/ */
const statuses: Record<string, string> = {
  ...{
    1: 'UNKNOWN',
    2: 'QUEUED',
    3: 'SCHEDULED',
    4: 'SENT_TO_SUPPLIER',
    5: 'DEVICE_ACK',
    6: 'READ',
    20: 'EXPIRED',
  },
  ...{ 21: 'STOPPED_BY_USER', 22: 'STOPPED_BY_ADMIN', 23: 'DELIVERY_FAILURE', 24: 'EMULATED' },
  ...{
    25: 'INSUFFICIENT_ACCOUNT_BALANCE',
    26: 'VOLUME_LIMIT',
    27: 'VOLUME_LIMIT_DAILY',
    28: 'VOLUME_LIMIT_MONTHLY',
  },
  ...{ 29: 'RECIPIENT_DOES_NOT_EXIST', 100: 'ROUTING_ERROR' },
}

const newId = (): string => randomUUID().replaceAll('-', '')
const digits = (number: string): string => number.replace(/^\+/, '')
const errorOf = (code: ErrorCode, detail = ''): { code: number; description: string } => ({
  code,
  description: errors[code][1] + (detail === '' ? '' : `: ${detail}`),
})

export async function startClickatell(options: ClickatellOptions = {}): Promise<StandIn> {
  const number = options.number ?? '+15557654321'
  const credentials = {
    apiKey: randomBytes(16).toString('base64'),
    /** Of the callbacks, as the integration's set-up has them. From memory: their form is HTTP Basic. */
    callbackUsername: 'clickatell',
    callbackPassword: randomUUID() as string,
  }
  const callbackUrls: StandIn['callbackUrls'] = {}
  if (options.messageCallbackUrl !== undefined) callbackUrls.message = options.messageCallbackUrl
  if (options.receiptCallbackUrl !== undefined) callbackUrls.receipt = options.receiptCallbackUrl
  const taken: TakenMessage[] = []
  const violations: string[] = []
  const states = new Map<string, { status: string; timestamp: number }>()
  const integration = { integrationId: newId(), integrationName: 'My integration' }
  let treatment: Treatment | undefined

  const violate = (fault: string, docs = apiDocs): void =>
    void violations.push(`Clickatell: ${fault}. ${docs}`)
  /** An error of the whole request has no list of messages. */
  const refuseAll = (code: ErrorCode): ApiAnswer => ({
    status: errors[code][0],
    body: { error: errorOf(code) },
  })

  /** What is wrong with one message; undefined if it can be taken. */
  function errorOfMessage(message: Record<string, unknown>): { code: ErrorCode; detail: string } | undefined {
    const faults = fieldFaults(message, messageFields, ['channel', 'to', 'content'])
    const fail = (code: ErrorCode, detail: string, fault: string): { code: ErrorCode; detail: string } => {
      violate(fault, errorDocs)
      return { code, detail }
    }
    const [first] = faults
    if (first !== undefined) return fail(23, first.property, faults.map(({ fault }) => fault).join('; '))
    if (message.channel !== 'sms')
      return fail(39, '', `the channel is sms here, not ${String(message.channel)}`)
    if (message.content === '') return fail(23, 'content', 'content is empty')
    // The limit is that which MobiMarket's client has; how many parts an account may send is set in the account.
    if (String(message.content).length > 4096) return fail(24, '', 'content has more than 4096 characters')
    if (!/^[1-9]\d{6,14}$/.test(String(message.to)))
      return fail(
        25,
        String(message.to),
        `to is an international number without + or 0, not ${String(message.to)}`,
      )
    if (message.from !== undefined && message.from !== digits(number))
      return fail(45, '', `from is the integration's number without +, not ${String(message.from)}`)
    // From memory: at most 64 characters.
    if (typeof message.clientMessageId === 'string' && message.clientMessageId.length > 64)
      return fail(23, 'clientMessageId', 'clientMessageId has at most 64 characters')
    return undefined
  }

  function send(request: ApiRequest): ApiAnswer | NoAnswer {
    const parsed =
      request.contentType === 'application/json' ? parseJson(request.body.toString('utf8')) : undefined
    const list = parsed !== undefined && isRecord(parsed.value) ? parsed.value.messages : undefined
    if (
      parsed === undefined ||
      !isRecord(parsed.value) ||
      !Array.isArray(list) ||
      list.length === 0 ||
      !list.every(isRecord)
    ) {
      violate('the body is a JSON object of type application/json with a list of messages')
      return refuseAll(21)
    }
    const strays = fieldFaults(parsed.value, { messages: 'array' })
    if (strays.length > 0) {
      violate(strays.map(({ fault }) => fault).join('; '))
      return refuseAll(21)
    }
    const messages: Record<string, unknown>[] = list
    if (messages.length > 100) {
      violate('there are more than 100 messages', errorDocs)
      return refuseAll(22)
    }
    const found = messages.map(errorOfMessage)
    const how = treatment
    treatment = undefined
    const broken = brokenAnswer(how, 202)
    if (broken !== undefined) return broken
    if (how === 'wrong-credentials') return refuseAll(1)
    if (how === 'throttled') return refuseAll(43)
    if (how === 'server-error') return refuseAll(18)
    // A refusal inside a 2xx is documented for several messages of which some are taken: 207.
    const forced = ({ 'invalid-recipient': 25, 'in-2xx': 25, 'opted-out': 26, 'no-credit': 20 } as const)[
      String(how)
    ]
    const answers = messages.map((message, index) => {
      const fault = found[index] ?? (forced === undefined ? undefined : { code: forced, detail: '' })
      const own =
        typeof message.clientMessageId === 'string' ? { clientMessageId: message.clientMessageId } : {}
      if (fault !== undefined)
        return {
          error: errorOf(fault.code, fault.detail),
          accepted: false,
          to: String(message.to),
          ...own,
          status: errors[fault.code][0],
        }
      const id = newId()
      taken.push({
        ...{
          id,
          from: String(message.from ?? ''),
          to: String(message.to),
          text: String(message.content),
          mediaUrls: [],
        },
        ...{ reference: own.clientMessageId, receiptUrl: undefined },
      })
      states.set(id, { status: 'QUEUED', timestamp: Date.now() })
      return { apiMessageId: id, accepted: true, to: String(message.to), ...own, status: 202 }
    })
    const refused = answers.filter(({ accepted }) => !accepted)
    const allRefused = refused.length === answers.length && how !== 'in-2xx'
    const status = refused.length === 0 ? 202 : allRefused ? (refused[0]?.status ?? 400) : 207
    return {
      status,
      body: { messages: answers.map((answer) => ({ ...answer, status: undefined })), error: null },
    }
  }

  function handle(request: ApiRequest): ApiAnswer | NoAnswer {
    // The key stands alone, without a scheme before it.
    if (request.headers.authorization !== credentials.apiKey) {
      violate('the Authorization header is not the API key')
      return refuseAll(1)
    }
    if (request.path === '/v1/message' && request.method === 'POST') return send(request)
    if (request.path === '/v1/balance' && request.method === 'GET')
      return { status: 200, body: { balance: 10.5, currency: 'USD' } }
    const id = /^\/v1\/message\/([^/]+)$/.exec(request.path)?.[1]
    if (id !== undefined && request.method === 'GET')
      return { status: 200, body: { sms: states.get(id) ?? { status: 'UNKNOWN', timestamp: Date.now() } } }
    violate(`there is no ${request.method} ${request.path}`)
    return refuseAll(['/v1/message', '/v1/balance'].includes(request.path) ? 42 : 41)
  }

  /**
   * No signature is documented: the password covers neither the body nor a time, so the forgeries `other-body` and `old`
   * cannot be told from the real thing.
   */
  async function call(url: string, event: unknown, forgery: Forgery | undefined): Promise<CallbackAnswer> {
    const password = forgery === 'wrong-secret' ? 'not-the-password' : credentials.callbackPassword
    const basic = Buffer.from(`${credentials.callbackUsername}:${password}`).toString('base64')
    const headers = {
      'content-type': 'application/json',
      ...(forgery === 'unsigned' ? {} : { authorization: `Basic ${basic}` }),
    }
    const extra = forgery === 'other-body' ? { forged: true } : {}
    const answer = await sendCallback(forgedUrl(url, forgery), {
      headers,
      body: JSON.stringify({ ...integration, event, ...extra }),
    })
    // Any other status is tried again, but for redirects: https://help.clickatell.com/developers-api-reference/reference/one-api-client-callbacks
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
      treatment = how
    },
    /** One event in a callback; SMS has no media. */
    receive: async (messages, forgery) => {
      const answers: CallbackAnswer[] = []
      for (const message of messages) {
        const event = {
          channel: 'sms',
          messageId: message.id ?? newId(),
          relatedMessageId: null,
          relatedClientMessageId: null,
          from: digits(message.from),
          to: digits(message.to ?? number),
          timestamp: Date.now(),
          encryptionKey: null,
          charset: 'UTF-8',
          content: message.text,
          sms: { network: '310260' },
        }
        if (callbackUrls.message !== undefined)
          answers.push(await call(callbackUrls.message, { moText: [event] }, forgery))
      }
      return answers
    },
    report: async (id, state, code, forgery) => {
      const message = taken.find((candidate) => candidate.id === id)
      if (message === undefined) throw new Error(`Clickatell: no message ${id}`)
      // The code is a status's number or its name.
      const named = Object.keys(statuses).find((each) => statuses[Number(each)] === code)
      const statusCode = Number(named ?? code ?? { sent: 4, delivered: 5, failed: 23 }[state])
      const status = statuses[statusCode] ?? 'DELIVERY_FAILURE'
      const timestamp = Date.now()
      states.set(id, { status, timestamp })
      const own = message.reference === undefined ? {} : { clientMessageId: message.reference }
      const update = { channel: 'sms', messageId: id, ...own, timestamp, statusCode, status }
      if (callbackUrls.receipt === undefined) return []
      return [await call(callbackUrls.receipt, { messageStatusUpdate: [update] }, forgery)]
    },
    close: () => server.close(),
  }
}
