import { randomUUID } from 'node:crypto'
import type {
  CallbackAnswer,
  Forgery,
  ReceivedMessage,
  StandIn,
  TakenMessage,
  Treatment,
} from './stand-in.js'
import { brokenAnswer, isRecord, parseJson, sendCallback, startServer } from './server.js'
import type { ApiAnswer, ApiRequest, NoAnswer } from './server.js'
import { accepted, bodyFaults, errors, mmsFaults, rejections, status } from './infobip-request.js'
import type { Fault, Status, Version } from './infobip-request.js'
import { forgedUrl } from './forged-url.js'
import { smsParts } from './sms-length.js'

/**
 * Infobip's SMS and MMS API: sending by version 3 (and by version 2, which the official npm package still calls), polling of
 * received messages and of reports, the list of numbers, and the two ways to set callback addresses.
 * From Infobip's OpenAPI files of July 2026 and its documentation:
 * https://www.infobip.com/docs/api/channels/sms/outbound-sms/send-sms-messages
 */
const sendDocs = 'https://www.infobip.com/docs/api/channels/sms/outbound-sms/send-sms-messages'
const formatDocs =
  'https://www.infobip.com/docs/developer-resources/api-fundamentals/api-requests-and-responses'
const authDocs =
  'https://www.infobip.com/docs/developer-resources/authentication-and-access/api-authentication'
const inboundDocs =
  'https://www.infobip.com/docs/api/platform/numbers/my-numbers/resource-management/manage-inbound-configuration'
const subscriptionDocs = 'https://www.infobip.com/docs/api/platform/subscriptions-api/create-subscription'

export interface InfobipOptions {
  number?: string
  messageCallbackUrl?: string
  receiptCallbackUrl?: string
}

interface Sent extends TakenMessage {
  bulkId: string
  callbackData: string | undefined
  notify: boolean
}

/** In the account's time zone; the offset has no colon: {@link formatDocs}. */
const timestamp = (): string => new Date().toISOString().replace('Z', '+0000')
const digits = (number: string): string => number.replace(/^\+/, '')
const price = { pricePerMessage: 0.0125, currency: 'EUR' }

export async function startInfobip(options: InfobipOptions = {}): Promise<StandIn> {
  const number = options.number ?? '+447860041117'
  const credentials = {
    apiKey: '003026bbc133714df1834b8638bb496e-8f4b3d9a-e931-478d-a994-28a725159ab9',
    username: 'owner',
    password: 'the-account-password',
    /** Of the subscription's security settings, type BASIC. */
    webhookUsername: 'infobip',
    webhookPassword: randomUUID() as string,
  }
  const callbackUrls: StandIn['callbackUrls'] = {}
  if (options.messageCallbackUrl !== undefined) callbackUrls.message = options.messageCallbackUrl
  if (options.receiptCallbackUrl !== undefined) callbackUrls.receipt = options.receiptCallbackUrl
  const taken: Sent[] = []
  const violations: string[] = []
  const inbox: unknown[] = []
  const reports: { messageId: string; bulkId: string }[] = []
  let treatment: Treatment | undefined

  const apiError = (
    code: number,
    description: string,
    action: string,
    faults: unknown[] = [],
  ): ApiAnswer => ({
    status: code,
    body: { errorCode: `E${code}`, description, action, violations: faults, resources: [] },
  })
  const unauthorized = (): ApiAnswer =>
    apiError(
      401,
      'The request lacks valid authentication credentials for the requested resource.',
      'Check the resources and adjust authentication credentials.',
    )
  const badRequest = (faults: Fault[], docs: string): ApiAnswer => {
    for (const { fault } of faults) violations.push(`Infobip: ${fault}. ${docs}`)
    return apiError(
      400,
      'Request cannot be processed.',
      'Check the syntax, violations and adjust the request.',
      faults.map(({ property, fault }) => ({ property, violation: fault })),
    )
  }

  function isAuthenticated(request: ApiRequest): boolean {
    const basic = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')
    const isRight = [`App ${credentials.apiKey}`, `Basic ${basic}`].includes(
      request.headers.authorization ?? '',
    )
    if (!isRight) violations.push(`Infobip: no right credentials in the Authorization header. ${authDocs}`)
    return isRight
  }

  function readBody(request: ApiRequest): Record<string, unknown> | undefined {
    // XML is documented as well; this stand-in reads JSON only.
    const body =
      request.contentType === 'application/json' ? parseJson(request.body.toString('utf8')) : undefined
    return body !== undefined && isRecord(body.value) ? body.value : undefined
  }

  /** What stands in the way of one destination; the API answers it inside of a 200. */
  function rejectionOf(
    to: string,
    text: string,
    sender: string | undefined,
    id: string | undefined,
  ): Status | undefined {
    if (to === '') {
      violations.push(`Infobip: to is empty. ${sendDocs}`)
      return rejections.missingTo
    }
    if (!/^[1-9]\d{6,14}$/.test(to)) {
      violations.push(
        `Infobip: a number is digits only, without + or 00 before them, not ${to}. ${formatDocs}`,
      )
      return rejections.destination
    }
    if (sender !== undefined && /^\+?\d+$/.test(sender) && sender !== digits(number)) {
      if (sender.startsWith('+'))
        violations.push(`Infobip: a numeric sender has no +: ${sender}. ${formatDocs}`)
      return rejections.source
    }
    // At most 25 parts and 4000 characters, by the description of status 25.
    if (text.length > 4000 || smsParts(text).parts > 25) return rejections.tooLong
    if (id !== undefined && taken.some((message) => message.id === id)) return rejections.duplicate
    return undefined
  }

  function treated(): Status | undefined {
    const how = treatment
    treatment = undefined
    if (how === 'invalid-recipient') return rejections.destination
    if (how === 'opted-out') return rejections.blocklisted
    if (how === 'no-credit') return rejections.credit
    if (how === 'in-2xx') return rejections.network
    return undefined
  }

  function take(
    message: Record<string, unknown>,
    bulkId: string,
    version: Version,
    refusal: Status | undefined,
  ): unknown[] {
    const isNew = version !== 2
    const content = isNew && isRecord(message.content) ? message.content : message
    const webhooks = isNew && isRecord(message.webhooks) ? message.webhooks : {}
    const delivery = isRecord(webhooks.delivery) ? webhooks.delivery : {}
    const sender = isNew ? message.sender : message.from
    const receiptUrl = isNew ? delivery.url : message.notifyUrl
    const callbackData = isNew ? webhooks.callbackData : message.callbackData
    const segments = (content.messageSegments ?? []) as Record<string, string>[]
    const mediaUrls = segments.flatMap(({ contentUrl }) => (contentUrl === undefined ? [] : [contentUrl]))
    const said = segments.find(({ type }) => type === 'TEXT')?.text ?? content.text
    const text = typeof said === 'string' ? said : ''
    const from = typeof sender === 'string' ? sender : undefined
    return (message.destinations as Record<string, unknown>[]).map((destination) => {
      const to = String(destination.to)
      const own = typeof destination.messageId === 'string' ? destination.messageId : undefined
      const rejection = rejectionOf(to, text, from, own) ?? refusal
      const id = own ?? randomUUID()
      if (rejection === undefined)
        taken.push({
          ...{
            id,
            from: from ?? '',
            to,
            text,
            mediaUrls,
            reference: own,
            bulkId,
            notify: delivery.notify !== false,
          },
          receiptUrl: typeof receiptUrl === 'string' ? receiptUrl : undefined,
          callbackData: typeof callbackData === 'string' ? callbackData : undefined,
        })
      const answer = { messageId: id, status: rejection ?? accepted }
      return isNew
        ? { ...answer, destination: to, details: { messageCount: smsParts(text).parts } }
        : { ...answer, to }
    })
  }

  function send(request: ApiRequest, version: Version): ApiAnswer | NoAnswer {
    const body = readBody(request)
    if (body === undefined)
      return badRequest(
        [{ property: '', fault: 'the body is no JSON object of type application/json' }],
        sendDocs,
      )
    const faults = version === 'mms' ? mmsFaults(body) : bodyFaults(body, version)
    if (faults.length > 0) return badRequest(faults, sendDocs)
    const broken = brokenAnswer(treatment)
    if (
      broken !== undefined ||
      treatment === 'wrong-credentials' ||
      treatment === 'throttled' ||
      treatment === 'server-error'
    ) {
      const how = treatment
      treatment = undefined
      if (how === 'wrong-credentials') return unauthorized()
      if (how === 'throttled')
        return apiError(
          429,
          'Too many requests sent.',
          'Check request rate limit specified in the API endpoint documentation resource.',
        )
      return broken ?? apiError(500, 'Something went wrong.', 'Contact the support.')
    }
    const messages = body.messages as Record<string, unknown>[]
    const schedule = isRecord(body.options) && isRecord(body.options.schedule) ? body.options.schedule : body
    const bulkId = typeof schedule.bulkId === 'string' ? schedule.bulkId : String(Date.now()) + '523072'
    const refusal = treated()
    const answers = messages.flatMap((message) => take(message, bulkId, version, refusal))
    return { status: 200, body: { bulkId, messages: answers } }
  }

  function receivedSms(message: ReceivedMessage): Record<string, unknown> {
    return {
      messageId: message.id ?? randomNumber(),
      from: digits(message.from),
      to: digits(message.to ?? number),
      text: message.text,
      cleanText: message.text,
      receivedAt: timestamp(),
      smsCount: 1,
      price,
    }
  }

  /** https://www.infobip.com/docs/api/channels/mms (receive-inbound-mms-messages), format MO_MMS_2 */
  function receivedMms(message: ReceivedMessage): Record<string, unknown> {
    const media = (message.mediaUrls ?? []).map((url) => ({ contentType: 'image/jpeg', url }))
    return {
      from: digits(message.from),
      to: digits(message.to ?? number),
      receivedAt: timestamp(),
      messageId: message.id ?? randomNumber(),
      message: [
        ...media,
        ...(message.text === '' ? [] : [{ contentType: 'text/plain', value: message.text }]),
      ],
      price,
    }
  }

  /**
   * Authenticated by HTTP Basic, as the subscription's security settings say: it covers neither the body nor a time, so
   * the forgeries `other-body` and `old` carry the right password and cannot be told from the real thing.
   * Whoever forges does not know a secret in the URL either.
   * HMAC can be chosen there, too, but no public page that was found tells its header.
   */
  async function call(url: string, payload: unknown, forgery: Forgery | undefined): Promise<CallbackAnswer> {
    const password = forgery === 'wrong-secret' ? 'not-the-password' : credentials.webhookPassword
    const basic = Buffer.from(`${credentials.webhookUsername}:${password}`).toString('base64')
    const text = JSON.stringify(payload)
    const answer = await sendCallback(forgedUrl(url, forgery), {
      headers: {
        'content-type': 'application/json',
        ...(forgery === 'unsigned' ? {} : { authorization: `Basic ${basic}` }),
      },
      body: forgery === 'other-body' ? text.replace('"results":[{', '"results":[{"forged":true,') : text,
    })
    return { ...answer, isSuccess: answer.status >= 200 && answer.status < 300 }
  }

  /** Polling takes what has not been taken: at most 50 unless `limit` says more, which may be up to 1000. */
  function poll(request: ApiRequest, list: unknown[]): unknown[] {
    const limit = Number(request.query.get('limit') ?? 50)
    if (!Number.isInteger(limit) || limit < 1 || limit > 1000)
      violations.push(`Infobip: limit is an integer up to 1000. ${sendDocs}`)
    return list.splice(0, Math.min(limit, 1000))
  }

  function takeReports(request: ApiRequest): unknown[] {
    const [id, bulk] = [request.query.get('messageId'), request.query.get('bulkId')]
    const wanted = reports.filter(
      (r) => (id === null || r.messageId === id) && (bulk === null || r.bulkId === bulk),
    )
    for (const report of poll(request, [...wanted]))
      reports.splice(reports.indexOf(report as (typeof reports)[0]), 1)
    return wanted
  }

  /** How a person's program sets the addresses: the number's forwarding, or a subscription. */
  function setUp(request: ApiRequest): ApiAnswer {
    const body = readBody(request)
    if (request.path.startsWith('/resource-management/')) {
      const forwarding = body !== undefined && isRecord(body.forwarding) ? body.forwarding : undefined
      if (body?.channel !== 'SMS' || (body.number !== digits(number) && body.numberKey !== numberKey))
        return badRequest(
          [{ property: 'channel', fault: 'channel SMS and number or numberKey are needed' }],
          inboundDocs,
        )
      if (forwarding?.type === 'PULL') delete callbackUrls.message
      else if (forwarding?.type === 'HTTP_FORWARD' && typeof forwarding.url === 'string')
        callbackUrls.message = forwarding.url
      else
        return badRequest(
          [{ property: 'forwarding', fault: 'forwarding is HTTP_FORWARD with url, or PULL' }],
          inboundDocs,
        )
      return { status: 200, body: { configurationKey: 'E9FCDCA496035F08EEA5933702EDF745', ...body } }
    }
    const profile = body !== undefined && isRecord(body.profile) ? body.profile : {}
    const url = isRecord(profile.webhook) ? profile.webhook.notifyUrl : undefined
    if (typeof body?.subscriptionId !== 'string' || !Array.isArray(body.events) || typeof url !== 'string')
      return badRequest(
        [
          {
            property: 'subscriptionId',
            fault: 'subscriptionId, events, profile.webhook.notifyUrl are needed',
          },
        ],
        subscriptionDocs,
      )
    if (body.events.includes('DELIVERY')) callbackUrls.receipt = url
    if (body.events.includes('INBOUND_MESSAGE')) callbackUrls.message = url
    const security =
      isRecord(profile.security) && isRecord(profile.security.credentials) ? profile.security : undefined
    if (security?.type === 'BASIC' && isRecord(security.credentials)) {
      credentials.webhookUsername = String(security.credentials.username)
      credentials.webhookPassword = String(security.credentials.password)
    }
    return { status: 201, body: { subscriptionId: body.subscriptionId } }
  }

  function handle(request: ApiRequest): ApiAnswer | NoAnswer {
    const route = `${request.method} ${request.path}`
    if (!isAuthenticated(request)) return unauthorized()
    if (route === 'POST /sms/3/messages') return send(request, 3)
    if (route === 'POST /mms/2/messages') return send(request, 'mms')
    if (route === 'POST /sms/2/text/advanced') return send(request, 2)
    if (route === 'GET /sms/1/inbox/reports') {
      const results = poll(request, inbox)
      return {
        status: 200,
        body: { results, messageCount: results.length, pendingMessageCount: inbox.length },
      }
    }
    if (route === 'GET /sms/3/reports' || route === 'GET /sms/1/reports')
      return { status: 200, body: { results: takeReports(request) } }
    if (route === 'GET /numbers/1/numbers') {
      const own = {
        numberKey,
        number: digits(number),
        country: 'GB',
        type: 'VIRTUAL_LONG_NUMBER',
        capabilities: ['SMS'],
        shared: false,
      }
      return { status: 200, body: { numbers: [own], numberCount: 1 } }
    }
    if (route === 'POST /resource-management/1/inbound-message-configurations') return setUp(request)
    if (route === 'POST /subscriptions/1/subscription/SMS') return setUp(request)
    violations.push(`Infobip: there is no ${route}. ${sendDocs}`)
    return apiError(404, 'Requested resource not found.', 'Check the request URL.')
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
    receive: async (messages, forgery) => {
      const answers: CallbackAnswer[] = []
      const hasMedia = (message: ReceivedMessage): boolean => (message.mediaUrls ?? []).length > 0
      const kinds = [
        messages.filter((message) => !hasMedia(message)).map(receivedSms),
        messages.filter(hasMedia).map(receivedMms),
      ]
      if (callbackUrls.message === undefined) inbox.push(...(kinds[0] ?? []))
      else
        for (const kind of kinds)
          for (let start = 0; start < kind.length; start += 100) {
            const results = kind.slice(start, start + 100)
            const pendingMessageCount = kind.length - start - results.length
            const payload = { results, messageCount: results.length, pendingMessageCount }
            answers.push(await call(callbackUrls.message, payload, forgery))
          }
      return answers
    },
    report: async (id, state, code, forgery) => {
      const message = taken.find((candidate) => candidate.id === id)
      if (message === undefined) throw new Error(`Infobip: no message ${id}`)
      // The code is an error's number or its name.
      const wanted = code ?? (state === 'failed' ? '1' : '0')
      const errorId = Object.keys(errors).find((each) => errors[each]?.[2] === wanted) ?? wanted
      const [groupId, groupName, name, permanent] = errors[errorId] ?? [2, 'USER_ERRORS', 'EC_OTHER', true]
      const result = {
        bulkId: message.bulkId,
        price,
        // Before the end a report comes only if the request asked for intermediate ones; here, always.
        status: {
          sent: status(1, 'PENDING', 7, 'PENDING_ENROUTE', 'Message sent to next instance'),
          delivered: status(3, 'DELIVERED', 5, 'DELIVERED_TO_HANDSET', 'Message delivered to handset'),
          failed: status(2, 'UNDELIVERABLE', 9, 'UNDELIVERABLE_NOT_DELIVERED', 'Message sent not delivered'),
        }[state],
        error: {
          groupId,
          groupName,
          id: Number(errorId),
          name,
          description: name,
          permanent,
        },
        messageId: id,
        to: message.to,
        sender: message.from,
        sentAt: timestamp(),
        doneAt: timestamp(),
        messageCount: 1,
        ...(message.callbackData === undefined ? {} : { callbackData: message.callbackData }),
      }
      const url = message.receiptUrl ?? callbackUrls.receipt
      if (!message.notify) return []
      if (url !== undefined) return [await call(url, { results: [result] }, forgery)]
      reports.push(result)
      return []
    },
    close: () => server.close(),
  }
}

const numberKey = '6FED0BC540BFADD9B05ED7D89AAC22FA'
const randomNumber = (): string =>
  String(BigInt(`0x${randomUUID().replaceAll('-', '').slice(0, 14)}`)).padStart(18, '8')
