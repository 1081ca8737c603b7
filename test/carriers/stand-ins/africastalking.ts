/**
 * Africa's Talking. https://developers.africastalking.com/docs/sms/overview
 * Live `https://api.africastalking.com`, sandbox `https://api.sandbox.africastalking.com` (its username is `sandbox`).
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { brokenAnswer, fieldFaults, isRecord, parseJson, sendCallback, startServer } from './server.js'
import type { ApiAnswer, ApiRequest, NoAnswer } from './server.js'
import type { CallbackAnswer, Forgery, StandIn, TakenMessage, Treatment } from './stand-in.js'

const sendingDocs = 'https://developers.africastalking.com/docs/sms/sending/bulk'
/** This address and the rule of the header Accept are from memory. */
const headerDocs = 'https://developers.africastalking.com/docs/request_headers'
const fetchDocs = 'https://developers.africastalking.com/docs/sms/fetch_messages'

/** https://developers.africastalking.com/docs/sms/sending/bulk: what a recipient's statusCode can be. */
const statusNames: Readonly<Record<number, string>> = {
  100: 'Success',
  101: 'Success',
  102: 'Success',
  401: 'RiskHold',
  402: 'InvalidSenderId',
  403: 'InvalidPhoneNumber',
  404: 'UnsupportedNumberType',
  405: 'InsufficientBalance',
  406: 'UserInBlacklist',
  407: 'CouldNotRoute',
  409: 'DoNotDisturbRejection',
  500: 'InternalServerError',
  501: 'GatewayError',
  502: 'RejectedByGateway',
}

export interface AfricasTalkingOptions {
  /** A long number, or a short code. */
  number?: string
  messageCallbackUrl?: string
  receiptCallbackUrl?: string
  optOutCallbackUrl?: string
  environment?: 'live' | 'sandbox'
  /** Which short codes and alphanumeric names are registered, beside the number. */
  senderIds?: readonly string[]
  /** The code of a message that it took: processed, sent or queued. */
  acceptedCode?: 100 | 101 | 102
}

export interface AfricasTalkingStandIn extends StandIn {
  callbackUrls: { message?: string; receipt?: string; optOut?: string }
  /** The next message is refused with this code of a recipient. `httpStatus` is 201 where left out. */
  refuseNext(statusCode: number, httpStatus?: number): void
  /** Somebody no longer wants messages of this sender. */
  optOut(phoneNumber: string, senderId?: string): Promise<CallbackAnswer[]>
}

interface Send {
  recipients: string[]
  message: string
  senderId: string | undefined
}

export async function startAfricasTalking(
  options: AfricasTalkingOptions = {},
): Promise<AfricasTalkingStandIn> {
  const number = options.number ?? '+254711082300'
  const isSandbox = options.environment === 'sandbox'
  const credentials = {
    username: isSandbox ? 'sandbox' : 'linetest',
    apiKey: `atsk_${randomBytes(32).toString('hex')}`,
  }
  const senderIds = [number, number.replace('+', ''), 'AFRICASTKNG', ...(options.senderIds ?? [])]
  const taken: TakenMessage[] = []
  const violations: string[] = []
  const inbox: Record<string, unknown>[] = []
  const networkCode = isSandbox ? '99999' : '63902'
  const received = new Map<string, { date: string; linkId: string }>()
  let next: Treatment | undefined
  let nextRefusal: { statusCode: number; httpStatus: number } | undefined

  const violate = (sentence: string, url: string): void => void violations.push(`${sentence} ${url}`)
  /** Errors of the request itself are plain text, not JSON; their wording is from memory and from reports of users. */
  const refuse = (status: number, text: string): ApiAnswer => ({ status, body: text })
  const badRequest = (sentence: string, url = sendingDocs): ApiAnswer => {
    violate(sentence, url)
    return refuse(400, sentence)
  }
  const created = (status: number, Message: string, Recipients: object[]): ApiAnswer => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: { SMSMessageData: { Message, Recipients } },
  })
  /** `ATXid_` and 32 hexadecimal digits, as in reports of users; the documentation's example is `ATPid_SampleTxnId123`. */
  const newId = (): string => `ATXid_${randomBytes(16).toString('hex')}`

  const readForm = (request: ApiRequest): Send | ApiAnswer => {
    const known = ['username', 'to', 'message', 'from', 'bulkSMSMode', 'enqueue', 'keyword', 'linkId']
    const form = new URLSearchParams(request.body.toString('utf8'))
    for (const name of new Set(form.keys())) {
      if (
        ![...known, 'retryDurationInHours', 'maskedNumber', 'telco', 'senderId', 'phoneNumbers'].includes(
          name,
        )
      ) {
        return badRequest(`There is no field "${name}".`)
      }
      if (form.getAll(name).length > 1)
        return badRequest(`The field "${name}" came twice; "to" is separated by commas.`)
    }
    for (const name of ['username', 'to', 'message']) {
      if (!form.get(name)) return badRequest(`Request is missing required form field '${name}'`)
    }
    for (const name of ['bulkSMSMode', 'enqueue']) {
      if (form.has(name) && !/^[01]$/.test(form.get(name) ?? '')) return badRequest(`"${name}" is 0 or 1.`)
    }
    if (form.get('username') !== credentials.username) return unauthorized()
    const recipients = (form.get('to') ?? '').split(',')
    return { recipients, message: form.get('message') ?? '', senderId: form.get('from') ?? undefined }
  }

  const readJson = (request: ApiRequest): Send | ApiAnswer => {
    const body = parseJson(request.body.toString('utf8'))?.value
    if (!isRecord(body)) return badRequest('The request content was malformed')
    const faults = fieldFaults(
      body,
      {
        username: 'string',
        phoneNumbers: 'array',
        message: 'string',
        senderId: 'string',
        enqueue: 'integer',
        maskedNumber: 'string',
        telco: 'string',
      },
      ['username', 'phoneNumbers', 'message', 'senderId'],
    )
    if (faults[0]) return badRequest(`The request content was malformed: ${faults[0].fault}`)
    if (body.enqueue !== undefined && body.enqueue !== 0 && body.enqueue !== 1)
      return badRequest('"enqueue" is 0 or 1.')
    if (body.username !== credentials.username) return unauthorized()
    const recipients = (body.phoneNumbers as unknown[]).map(String)
    if (recipients.length === 0) return badRequest('"phoneNumbers" is a list of numbers.')
    if (body.message === '') return badRequest('"message" is the text to send.')
    return { recipients, message: String(body.message), senderId: String(body.senderId) }
  }

  const unauthorized = (): ApiAnswer => {
    violate('Each request has the header apiKey, and the username of the application.', headerDocs)
    return refuse(401, 'The supplied authentication is invalid')
  }

  const send = (request: ApiRequest, isBulk: boolean): ApiAnswer | NoAnswer => {
    if (request.headers.apikey !== credentials.apiKey) return unauthorized()
    const isJson = request.contentType === 'application/json'
    if (!isJson && request.contentType !== 'application/x-www-form-urlencoded') {
      violate('A message is sent as a form, or as JSON to /messaging/bulk.', sendingDocs)
      return refuse(415, "The request's Content-Type is not supported.")
    }
    if (isJson && !isBulk) {
      violate('/version1/messaging takes a form; only /version1/messaging/bulk takes JSON.', sendingDocs)
      return refuse(415, "The request's Content-Type is not supported.")
    }
    const read = isJson ? readJson(request) : readForm(request)
    if (!('recipients' in read)) return read
    const refusal = nextRefusal
    const treatment = next
    next = undefined
    nextRefusal = undefined
    if (treatment === 'wrong-credentials') return refuse(401, 'The supplied authentication is invalid')
    if (treatment === 'server-error') return refuse(500, 'There was an internal server error.')
    const broken = brokenAnswer(treatment, 201)
    if (broken) return broken
    // Seen in the wild (https://github.com/medic/medic-docs/pull/112): no recipient at all, and a success's status.
    const isKnownSender = read.senderId === undefined || senderIds.includes(read.senderId)
    if (!isKnownSender) violate(`The sender ${read.senderId} is not registered.`, sendingDocs)
    if (!isKnownSender || treatment === 'in-2xx') return created(201, 'InvalidSenderId', [])

    const codes: Partial<Record<Treatment, number>> = {
      'invalid-recipient': 403,
      'opted-out': 406,
      'no-credit': 405,
    }
    const forced = refusal?.statusCode ?? (treatment ? codes[treatment] : undefined)
    let cost = 0
    const recipients = read.recipients.map((recipient) => {
      const isNumber = /^\+[1-9]\d{6,14}$/.test(recipient)
      if (!isNumber) violate(`The number ${recipient} is not in the international form with +.`, sendingDocs)
      const statusCode = forced ?? (isNumber ? (options.acceptedCode ?? 101) : 403)
      const status = statusNames[statusCode] ?? 'Failed'
      if (statusCode >= 400) return { cost: '0', messageId: 'None', number: recipient, status, statusCode }
      cost += 0.8
      const id = newId()
      taken.push({
        id,
        from: read.senderId ?? 'AFRICASTKNG',
        to: recipient,
        text: read.message,
        mediaUrls: [],
        reference: undefined,
        receiptUrl: undefined,
      })
      return { statusCode, number: recipient, status, cost: 'KES 0.8000', messageId: id }
    })
    const count = recipients.filter(({ statusCode }) => statusCode < 400).length
    const total = cost === 0 ? '0' : `KES ${cost.toFixed(4)}`
    const summary = `Sent to ${count}/${recipients.length} Total Cost: ${total}`
    return created(refusal?.httpStatus ?? 201, summary, recipients)
  }

  const handle = (request: ApiRequest): ApiAnswer | NoAnswer => {
    const route = `${request.method} ${request.path}`
    const isBulk = route === 'POST /version1/messaging/bulk' && !isSandbox
    if (!(request.headers.accept ?? '').includes('application/json')) {
      // Without it the answer is XML, https://developers.africastalking.com/docs/request_headers.
      violate('A client that reads JSON says so: Accept: application/json.', headerDocs)
      return {
        status: 200,
        headers: { 'content-type': 'application/xml' },
        body: '<AfricasTalkingResponse/>',
      }
    }
    if (isBulk || route === 'POST /version1/messaging') return send(request, isBulk)
    const isAllowed =
      request.headers.apikey === credentials.apiKey && request.query.get('username') === credentials.username
    if (route === 'GET /version1/messaging') {
      const since = request.query.get('lastReceivedId') ?? '0'
      if (!isAllowed) return unauthorized()
      if (!/^\d+$/.test(since)) return badRequest('"lastReceivedId" is the id of a message, or 0.', fetchDocs)
      const Messages = inbox.filter(({ id }) => Number(id) > Number(since))
      return {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: { SMSMessageData: { Messages } },
      }
    }
    if (route === 'GET /version1/user') {
      return isAllowed ? { status: 200, body: { UserData: { balance: 'KES 1785.50' } } } : unauthorized()
    }
    violate(`There is no ${route}${isSandbox ? ' in the sandbox' : ''}.`, sendingDocs)
    return refuse(404, 'The requested resource could not be found.')
  }
  const server = await startServer(handle)

  /**
   * https://developers.africastalking.com/docs/sms/notifications: a form, without a signature or any other means to see
   * who sent it. So every forgery looks as the real thing; only the address can be a secret. Which answers are a success
   * and whether it repeats is not documented: any 2xx is taken for one.
   */
  const notify = async (
    url: string | undefined,
    fields: Record<string, string>,
  ): Promise<CallbackAnswer[]> => {
    if (url === undefined) return []
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const answer = await sendCallback(url, { headers, body: new URLSearchParams(fields).toString() })
    return [{ ...answer, isSuccess: answer.status >= 200 && answer.status <= 299 }]
  }

  const standIn: AfricasTalkingStandIn = {
    url: server.url,
    credentials,
    number,
    taken,
    violations,
    callbackUrls: {
      ...(options.messageCallbackUrl === undefined ? {} : { message: options.messageCallbackUrl }),
      ...(options.receiptCallbackUrl === undefined ? {} : { receipt: options.receiptCallbackUrl }),
      ...(options.optOutCallbackUrl === undefined ? {} : { optOut: options.optOutCallbackUrl }),
    },
    treatNext(how) {
      if (how === 'throttled')
        throw new Error("Africa's Talking documents no such answer to a request: throttled.")
      next = how
    },
    refuseNext(statusCode, httpStatus = 201) {
      nextRefusal = { statusCode, httpStatus }
    },
    async receive(incoming, forgery?: Forgery) {
      const answers: CallbackAnswer[] = []
      for (const message of incoming) {
        if (message.mediaUrls?.length) throw new Error("Africa's Talking has no MMS.")
        const { id = randomUUID(), from, text, to = number } = message
        const known = received.get(id)
        const date = known?.date ?? new Date().toISOString()
        const linkId = known?.linkId ?? randomUUID()
        // A repeat is the same form once more.
        if (!known) inbox.push({ linkId, text, to, id: 15071 + inbox.length, date, from })
        received.set(id, { date, linkId })
        const body = forgery === 'other-body' ? `${text} (changed)` : text
        const fields = { linkId, text: body, to, id, date, from, cost: 'None', networkCode }
        answers.push(...(await notify(standIn.callbackUrls.message, fields)))
      }
      return answers
    },
    async report(id, state, code) {
      const message = taken.find((candidate) => candidate.id === id)
      if (!message) throw new Error(`there is no message ${id}`)
      // These are statuses of their own, without a failureReason; any other code is the reason of a failure.
      const isStatus = code !== undefined && ['Rejected', 'AbsentSubscriber', 'Expired'].includes(code)
      const failure = isStatus ? code : 'Failed'
      const status = { sent: code ?? 'Sent', delivered: 'Success', failed: failure }[state]
      const fields: Record<string, string> = {
        phoneNumber: message.to,
        retryCount: '0',
        id,
        status,
        networkCode,
      }
      if (state === 'failed' && status === 'Failed') fields.failureReason = code ?? 'DeliveryFailure'
      if (state === 'failed' && status === 'Rejected') fields.failureReason = 'DeliveryFailure'
      return notify(standIn.callbackUrls.receipt, fields)
    },
    optOut: (phoneNumber, senderId = 'AFRICASTKNG') =>
      notify(standIn.callbackUrls.optOut, { senderId, phoneNumber }),
    close: () => server.close(),
  }
  return standIn
}
