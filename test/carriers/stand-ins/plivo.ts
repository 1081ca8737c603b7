import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import type { CallbackAnswer, Forgery, ReceivedMessage, StandIn, TakenMessage } from './stand-in.js'
import {
  brokenAnswer,
  isRecord,
  parseJson,
  sendCallback,
  startServer,
  type ApiAnswer,
  type ApiRequest,
  type NoAnswer,
} from './server.js'
import { findWrongPlivo, isNumber, isString, sanitise } from './plivo-request.js'
import { signPlivo } from './plivo-signature.js'
import { smsParts } from './sms-length.js'

const sendDocumentation = 'https://docs.plivo.com/docs/messaging/api/message/send-a-message'
const overviewDocumentation = 'https://docs.plivo.com/docs/messaging/api/overview'

/** Codes that come before the carrier; the state is `failed` then, else `undelivered`. */
const codesBeforeCarrier = new Set(['40', '110', '200', '201', '300', '420', '450', '900', '910'])

export interface PlivoStandIn extends StandIn {
  /** Waits for the receipts that the stand-in sends by itself, after `opted-out` and `no-credit`. */
  settle(): Promise<CallbackAnswer[]>
}

interface Kept extends TakenMessage {
  receiptMethod: 'GET' | 'POST'
  state: string
  code: string | undefined
  sequence: number
  sender: string
  recipient: string
  type: string
  time: string
}

export async function startPlivo(
  options: {
    number?: string
    messageCallbackUrl?: string
    receiptCallbackUrl?: string
    /**
     * The guide of messaging documents V2, the guide of voice V3 (also for `message_url` and a message's `url`).
     * Left out: both.
     */
    signatures?: 'V2' | 'V3'
  } = {},
): Promise<PlivoStandIn> {
  const number = options.number ?? '+14155550142'
  const authId = `MA${randomBytes(12).toString('hex').toUpperCase().slice(0, 18)}`
  const authToken = randomBytes(20).toString('hex')
  const callbackUrls: StandIn['callbackUrls'] = {
    ...(options.messageCallbackUrl === undefined ? {} : { message: options.messageCallbackUrl }),
    ...(options.receiptCallbackUrl === undefined ? {} : { receipt: options.receiptCallbackUrl }),
  }
  const taken: Kept[] = []
  const received: { id: string; from: string; to: string; time: string }[] = []
  const violations: string[] = []
  const applications = new Map<string, Record<string, unknown>>()
  let numberApplication: string | undefined
  let recorded: Parameters<typeof sendCallback> | undefined
  let waiting: Promise<CallbackAnswer[]>[] = []
  let treatment: Parameters<StandIn['treatNext']>[0] | undefined

  function answer(got: ApiRequest): ApiAnswer | NoAnswer {
    // https://docs.plivo.com/docs/messaging/api/overview: Basic, auth ID and auth token.
    const basic = `Basic ${Buffer.from(`${authId}:${authToken}`).toString('base64')}`
    if (got.headers.authorization !== basic) {
      return refuse(
        401,
        'authentication_failed',
        'The Authorization header is not Basic with the auth ID and token.',
      )
    }
    const base = `/v1/Account/${authId}/`
    if (!got.path.startsWith(base)) return refuse(404, 'not found', `The API has no ${got.path}.`)
    const action = got.path.slice(base.length)
    if (got.method === 'POST' && got.contentType !== 'application/json') {
      return refuse(400, 'The request is not JSON.', `The content type is ${String(got.contentType)}.`)
    }
    const body = got.method === 'POST' ? parseJson(got.body.toString('utf8'))?.value : {}
    if (!isRecord(body)) return refuse(400, 'The request is not JSON.', 'The body is not a JSON object.')
    if (action === 'Message/' && got.method === 'POST') return sendMessage(body)
    const other = readMessages(got, action) ?? setUp(got.method, action, body)
    return (
      other ?? refuse(404, 'not found', `The API has no ${got.method} ${got.path} (or not this resource).`)
    )
  }

  function refuse(
    status: number,
    error: string,
    sentence?: string,
    documentation = overviewDocumentation,
  ): ApiAnswer {
    if (sentence !== undefined) violations.push(`${sentence} ${documentation}`)
    return { status, body: { api_id: randomUUID(), error } }
  }

  function sendMessage(body: Record<string, unknown>): ApiAnswer | NoAnswer {
    const wrong = findWrongPlivo(body, number)
    if (wrong !== undefined) return refuse(400, wrong, wrong, sendDocumentation)
    const recipients = (body['dst'] as string).split('<').map((dst) => ({ dst, digits: sanitise(dst) }))
    const invalid = recipients.filter(({ digits }) => !isNumber(digits))
    if (invalid.length > 0)
      violations.push(`'${String(body['dst'])}' has a wrong number. ${sendDocumentation}`)
    if (invalid.length === recipients.length) {
      // The text is in https://github.com/plivo/plivo-node/issues/222
      return refuse(400, `'${recipients[0]?.digits ?? ''}' is not a valid phone number.`)
    }
    const how = treatment
    treatment = undefined
    switch (how) {
      case 'invalid-recipient':
        return refuse(400, `'${recipients[0]?.digits ?? ''}' is not a valid phone number.`)
      case 'wrong-credentials':
        return refuse(401, 'authentication_failed')
      case 'throttled':
        return refuse(429, 'rate_limit_exceeded')
      case 'server-error':
        return refuse(500, 'server error')
      case 'in-2xx':
        // `invalid_number` beside `message_uuid`: MessageResponse of `plivo`. All are taken for wrong here.
        return queued(
          [],
          recipients.map(({ digits }) => digits),
        )
      case undefined:
      case 'opted-out':
      case 'no-credit':
        break
      default:
        return brokenAnswer(how, 202) ?? 'close'
    }
    const good = recipients.filter(({ digits }) => isNumber(digits))
    const messages = good.map(({ dst, digits }) => keep(body, dst, digits))
    if (how !== undefined) {
      // The API takes such a message; its state becomes failed at once, with the code 200 (STOP) or 900 (credit):
      // https://plivo.com/docs/messaging/troubleshooting/error-codes
      const code = how === 'opted-out' ? '200' : '900'
      waiting.push(
        new Promise((resolve) => setTimeout(resolve, 20)).then(() =>
          Promise.all(messages.map((message) => report(message, 'failed', code))),
        ),
      )
    }
    return queued(
      messages.map(({ id }) => id),
      invalid.map(({ digits }) => digits),
    )
  }

  function queued(ids: string[], invalid: string[]): ApiAnswer {
    const numbers = invalid.length === 0 ? {} : { invalid_number: invalid }
    return {
      status: 202,
      body: { api_id: randomUUID(), message: 'message(s) queued', message_uuid: ids, ...numbers },
    }
  }

  function keep(body: Record<string, unknown>, dst: string, digits: string): Kept {
    const message: Kept = {
      id: randomUUID(),
      from: body['src'] as string,
      to: dst,
      text: body['text'] as string | undefined,
      mediaUrls: (body['media_urls'] as string[] | undefined) ?? [],
      reference: undefined,
      receiptUrl: body['url'] as string | undefined,
      receiptMethod: body['method'] === 'GET' ? 'GET' : 'POST',
      state: 'queued',
      code: undefined,
      sequence: 0,
      sender: number.slice(1),
      recipient: digits,
      type: body['type'] === 'mms' ? 'mms' : 'sms',
      time: timestamp(),
    }
    taken.push(message)
    return message
  }

  /** Message detail records: https://www.plivo.com/docs/messaging/api/messages/ They have no text. */
  function readMessages(got: ApiRequest, action: string): ApiAnswer | undefined {
    const sent = taken.map((message) => ({
      error_code: message.code ?? '000',
      from_number: message.sender,
      message_direction: 'outbound',
      message_state: message.state,
      message_time: message.time,
      message_type: message.type,
      message_uuid: message.id,
      resource_uri: `/v1/Account/${authId}/Message/${message.id}/`,
      to_number: message.recipient,
      total_amount: '0.00350',
      total_rate: '0.00350',
      units: smsParts(message.text ?? '').parts,
    }))
    const inbound = received.map((message) => ({
      error_code: '000',
      from_number: message.from,
      message_direction: 'inbound',
      message_state: 'received',
      message_time: message.time,
      message_type: 'sms',
      message_uuid: message.id,
      resource_uri: `/v1/Account/${authId}/Message/${message.id}/`,
      to_number: message.to,
      total_amount: '0.00000',
      total_rate: '0.00000',
      units: 1,
    }))
    if (got.method !== 'GET') return undefined
    const direction = got.query.get('message_direction')
    const all = [...sent, ...inbound].filter(
      (one) => direction === null || one.message_direction === direction,
    )
    if (action === 'Message/') return list(all)
    const one = all.find((record) => action === `Message/${record.message_uuid}/`)
    return one === undefined ? undefined : { status: 200, body: { api_id: randomUUID(), ...one } }
  }

  function list(objects: unknown[]): ApiAnswer {
    const meta = { limit: 20, next: null, offset: 0, previous: null, total_count: objects.length }
    return { status: 200, body: { api_id: randomUUID(), meta, objects } }
  }

  /** Numbers and applications, which have the address for received messages: https://docs.plivo.com/docs/account/api/application */
  function setUp(method: string, action: string, body: Record<string, unknown>): ApiAnswer | undefined {
    const digits = number.slice(1)
    const entry = {
      alias: null,
      application:
        numberApplication === undefined ? null : `/v1/Account/${authId}/Application/${numberApplication}/`,
      country: 'United States',
      number: digits,
      number_type: 'local',
      mms_enabled: true,
      sms_enabled: true,
      voice_enabled: true,
      resource_uri: `/v1/Account/${authId}/Number/${digits}/`,
    }
    if (method === 'GET' && action === 'Number/') return list([entry])
    if (action === `Number/${digits}/`) {
      if (method === 'GET') return { status: 200, body: { api_id: randomUUID(), ...entry } }
      const id = body['app_id']
      const application = isString(id) ? applications.get(id) : undefined
      if (application === undefined)
        return refuse(400, 'app_id is invalid', `There is no application ${String(id)}.`)
      numberApplication = id as string
      if (isString(application['message_url'])) callbackUrls.message = application['message_url']
      return { status: 202, body: { api_id: randomUUID(), message: 'changed' } }
    }
    if (action === 'Application/') {
      if (method === 'GET') return list([...applications.values()])
      const name = body['app_name']
      if (!isString(name) || !/^[\w-]+$/.test(name))
        return refuse(400, 'app_name is invalid', "'app_name' is wrong.")
      const id = String(randomInt(10 ** 14, 10 ** 14 * 2))
      applications.set(id, { ...body, app_id: id, enabled: true })
      return { status: 201, body: { api_id: randomUUID(), message: 'created', app_id: id } }
    }
    const application = applications.get(/^Application\/(\d+)\/$/.exec(action)?.[1] ?? '')
    if (application === undefined) return undefined
    if (method === 'GET') return { status: 200, body: { api_id: randomUUID(), ...application } }
    Object.assign(application, body)
    if (application['app_id'] === numberApplication && isString(body['message_url'])) {
      callbackUrls.message = body['message_url']
    }
    return { status: 202, body: { api_id: randomUUID(), message: 'changed' } }
  }

  async function bring(
    url: string | undefined,
    method: 'GET' | 'POST',
    fields: Record<string, string>,
    forgery: Forgery | undefined,
  ): Promise<CallbackAnswer> {
    if (url === undefined) return { status: 0, body: 'no address for the callback is set', isSuccess: false }
    const token = forgery === 'wrong-secret' ? randomBytes(20).toString('hex') : authToken
    const target = new URL(url)
    if (method === 'GET')
      for (const [name, value] of Object.entries(fields)) target.searchParams.append(name, value)
    const to = method === 'GET' ? target.href : url
    const headers = signPlivo(token, method, to, fields, options.signatures)
    const changed =
      forgery === 'other-body' ? { ...fields, Text: 'something else', Status: 'failed' } : fields
    const fresh: Parameters<typeof sendCallback> = [
      to,
      {
        method,
        headers: {
          ...(method === 'GET' ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
          ...(forgery === 'unsigned' ? {} : headers),
        },
        ...(method === 'GET' ? {} : { body: new URLSearchParams(changed).toString() }),
      },
    ]
    // The signature has no time in it: an old callback is one that was recorded, nonce and all. Nothing but its nonce
    // and its MessageUUID tells.
    const callback = forgery === 'old' && recorded !== undefined ? recorded : fresh
    if (forgery === undefined) recorded = fresh
    const { status, body } = await sendCallback(...callback)
    // Any 2xx within eight seconds; else again after 60, 120 and 240 s:
    // https://support.plivo.com/hc/en-us/articles/360041344652
    return { status, body, isSuccess: status >= 200 && status < 300 }
  }

  /** https://docs.plivo.com/docs/messaging/api/message/message-status-callbacks */
  function report(message: Kept, state: 'sent' | 'delivered' | 'failed', code?: string, forgery?: Forgery) {
    if (state === 'failed') {
      message.code = code ?? '1000'
      message.state = codesBeforeCarrier.has(message.code) ? 'failed' : 'undelivered'
    } else message.state = state
    message.sequence += 1
    const { parts } = smsParts(message.text ?? '')
    const now = timestamp()
    const fields: Record<string, string> = {
      From: message.sender,
      To: message.recipient,
      MessageUUID: message.id,
      ParentMessageUUID: message.id,
      PartInfo: '1 of 1',
      Status: message.state,
      Type: message.type,
      Units: String(parts),
      TotalRate: '0.00350',
      TotalAmount: (0.0035 * parts).toFixed(5),
      MCC: '310',
      MNC: '004',
      Sequence: String(message.sequence),
      MessageTime: message.time,
      QueuedTime: message.time,
      SentTime: message.state === 'failed' ? '' : now,
      DeliveryReportTime: state === 'sent' ? '' : now,
      requester_ip: '127.0.0.1',
      PowerpackUUID: '',
      // Only where the message has failed.
      ...(message.code === undefined ? {} : { ErrorCode: message.code }),
    }
    return bring(message.receiptUrl, message.receiptMethod, fields, forgery)
  }

  const server = await startServer(answer)
  return {
    url: server.url,
    credentials: { authId, authToken },
    number,
    callbackUrls,
    taken,
    violations,
    treatNext(how) {
      treatment = how
    },
    async receive(messages, forgery) {
      const answers: CallbackAnswer[] = []
      for (const message of messages) {
        const fields = inboundFields(message, number)
        const { MessageUUID: id = '', From: from = '', To: to = '' } = fields
        if (forgery === undefined && !received.some((one) => one.id === id)) {
          received.push({ id, from, to, time: timestamp() })
        }
        answers.push(await bring(callbackUrls.message, 'POST', fields, forgery))
      }
      return answers
    },
    async report(id, state, code, forgery) {
      const message = taken.find((one) => one.id === id)
      if (message === undefined) throw new Error(`Plivo took no message ${id}.`)
      return [await report(message, state, code, forgery)]
    },
    async settle() {
      const all = waiting
      waiting = []
      return (await Promise.all(all)).flat()
    },
    close: () => server.close(),
  }
}

/** https://docs.plivo.com/docs/messaging/api/message/handling-incoming. Numbers come without +, as in its examples. */
function inboundFields(message: ReceivedMessage, number: string): Record<string, string> {
  const mediaUrls = message.mediaUrls ?? []
  const { parts } = smsParts(message.text)
  const common = {
    From: message.from.replace(/^\+/, ''),
    To: (message.to ?? number).replace(/^\+/, ''),
    MessageUUID: message.id ?? randomUUID(),
    TotalRate: '0.00000',
    TotalAmount: '0.00000',
    Units: String(parts),
    PowerpackUUID: '',
  }
  if (mediaUrls.length === 0) {
    return { ...common, Type: 'sms', Text: message.text, MessageIntent: intent(message.text) }
  }
  // An MMS has its text in Body.
  const media = Object.fromEntries(mediaUrls.map((url, index) => [`Media${index + 1}`, url]))
  return { ...common, Type: 'mms', Body: message.text, MediaCount: String(mediaUrls.length), ...media }
}

/** `MessageIntent` is set at the standard keywords, else empty; the list of keywords is from memory. */
function intent(text: string): string {
  const word = text.trim().toLowerCase()
  if (['stop', 'stopall', 'unsubscribe', 'cancel', 'end', 'quit', 'stop all'].includes(word)) return 'optout'
  if (['start', 'yes', 'unstop'].includes(word)) return 'optin'
  return ['help', 'info'].includes(word) ? 'help' : ''
}

/** `YYYY-mm-dd HH:MM:SS.SSSSSS` */
function timestamp(): string {
  return `${new Date().toISOString().replace('T', ' ').replace('Z', '')}000`
}
