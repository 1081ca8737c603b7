import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createChecker, type ApiRequest } from './description.js'
import { AUTH_TOKEN, postSigned } from './callbacks.js'

export const ACCOUNT_SID = `AC${'0123456789abcdef'.repeat(2)}`
export { AUTH_TOKEN }

/** A message as Twilio's API shows it, with what it was asked beside that. */
export interface StandInMessage {
  sid: string
  from: string
  to: string
  body: string
  mediaUrl: string | null
  statusCallback: string
  status: string
  direction: string
  error_code: number | null
  error_message: string | null
  date_created: string
}

export interface StandInNumber {
  sid: string
  phone_number: string
  friendly_name: string
  /** A number that is given to something else does not call us. */
  voice_application_sid?: string
  /** What it was set up with. */
  setUp?: Record<string, string>
}

/** How a request is answered instead of as usual; `take` makes the message be there all the same. */
export type Behaviour = (response: ServerResponse, take: () => StandInMessage) => void

/** Twilio's own form of a refusal. */
export function refuse(
  status: number,
  code: number | undefined,
  message: string,
  headers: Record<string, string> = {},
): Behaviour {
  return (response) => {
    const more_info = `https://www.twilio.com/docs/errors/${code}`
    answer(response, status, code === undefined ? {} : { code, message, more_info, status }, headers)
  }
}

export interface TwilioStandIn {
  url: string
  messages: StandInMessage[]
  numbers: StandInNumber[]
  requests: ApiRequest[]
  /** What of the requests is not as Twilio's description has it. */
  faults: string[]
  /** Puts a file below the account, which only its credentials open. @returns its URL */
  host(path: string, bytes: Buffer): string
  /** Of the account, as its own record has it. */
  account: { status: string }
  /** From now on, for messages to this number. */
  behave(toNumber: string, behaviour: Behaviour): void
  /** From now on, for everything but messages. */
  behaveAlways(behaviour: Behaviour | undefined): void
  /** Moves a message to a state and reports it to its StatusCallback. @returns the status that was answered */
  report(message: StandInMessage, status: string, errorCode?: number): Promise<number>
  close(): Promise<void>
}

/**
 * A server that plays Twilio's API for one account.
 *
 * @param onTaken is called with each message that it takes, before it answers
 */
export async function startTwilio({
  onTaken,
}: { onTaken?: (message: StandInMessage) => void } = {}): Promise<TwilioStandIn> {
  const messages: StandInMessage[] = []
  const numbers: StandInNumber[] = []
  const requests: ApiRequest[] = []
  const faults: string[] = []
  const behaviours = new Map<string, Behaviour>()
  const files = new Map<string, Buffer>()
  const account = { status: 'active' }
  const check = createChecker()
  let always: Behaviour | undefined
  const root = `/2010-04-01/Accounts/${ACCOUNT_SID}`
  const credentials = `Basic ${Buffer.from(`${ACCOUNT_SID}:${AUTH_TOKEN}`).toString('base64')}`

  const takeMessage = (form: URLSearchParams) => {
    const message = {
      sid: newSid('SM'),
      from: form.get('From') ?? '',
      to: form.get('To') ?? '',
      body: form.get('Body') ?? '',
      mediaUrl: form.get('MediaUrl'),
      statusCallback: form.get('StatusCallback') ?? '',
      status: 'queued',
      direction: 'outbound-api',
      error_code: null,
      error_message: null,
      date_created: new Date().toUTCString().replace('GMT', '+0000'),
    }
    messages.push(message)
    onTaken?.(message)
    return message
  }

  const respond = (request: ApiRequest, response: ServerResponse) => {
    const { method, path, authorization, body } = request
    const url = new URL(path, 'http://twilio')
    const form = new URLSearchParams(body)
    if (authorization !== credentials) {
      refuse(401, 20003, 'Authenticate')(response, () => takeMessage(form))
    } else if (files.has(url.pathname)) {
      response.end(files.get(url.pathname))
    } else if (method === 'POST' && url.pathname === `${root}/Messages.json`) {
      const taken = () => takeMessage(form)
      const behaviour = behaviours.get(form.get('To') ?? '')
      if (behaviour) behaviour(response, taken)
      else answer(response, 201, taken())
    } else if (always) {
      always(response, () => takeMessage(form))
    } else if (method === 'GET' && url.pathname === `${root}.json`) {
      answer(response, 200, { sid: ACCOUNT_SID, ...account })
    } else if (method === 'GET' && url.pathname === `${root}/Messages.json`) {
      const between = ({ from, to }: StandInMessage) =>
        from === url.searchParams.get('From') && to === url.searchParams.get('To')
      answer(response, 200, pageOf(url, 'messages', messages.filter(between).reverse()))
    } else if (method === 'GET' && url.pathname === `${root}/IncomingPhoneNumbers.json`) {
      answer(response, 200, pageOf(url, 'incoming_phone_numbers', numbers))
    } else {
      const sid = /\/IncomingPhoneNumbers\/(PN\w+)\.json$/.exec(url.pathname)?.[1]
      const number = numbers.find((each) => each.sid === sid)
      if (number && method === 'POST') {
        number.setUp = Object.fromEntries(form)
        answer(response, 200, number)
      } else {
        const words = `The requested resource ${url.pathname} was not found`
        refuse(404, 20404, words)(response, () => takeMessage(form))
      }
    }
  }

  const server = createServer((incoming, response) => {
    void readBody(incoming).then((body) => {
      const request = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        authorization: incoming.headers.authorization ?? '',
        contentType: incoming.headers['content-type'] ?? '',
        body,
      }
      requests.push(request)
      // The files are not in the description.
      if (!files.has(request.path)) faults.push(...check(request))
      respond(request, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    url: origin,
    messages,
    numbers,
    requests,
    faults,
    host: (path, bytes) => {
      files.set(root + path, bytes)
      return origin + root + path
    },
    account,
    behave: (toNumber, behaviour) => void behaviours.set(toNumber, behaviour),
    behaveAlways: (behaviour) => {
      always = behaviour
    },
    report: async (message, status, errorCode) => {
      Object.assign(message, { status, error_code: errorCode ?? null })
      const { response } = await postSigned(message.statusCallback, {
        AccountSid: ACCOUNT_SID,
        MessageSid: message.sid,
        SmsSid: message.sid,
        MessageStatus: status,
        SmsStatus: status,
        From: message.from,
        To: message.to,
        ...(errorCode === undefined ? {} : { ErrorCode: String(errorCode) }),
      })
      return response.status
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}

export function newSid(prefix: string): string {
  return prefix + randomBytes(16).toString('hex')
}

/** As Twilio pages: the next page by a path with a token. */
function pageOf(url: URL, name: string, records: object[]): object {
  const size = Number(url.searchParams.get('PageSize') ?? 50)
  const page = Number(url.searchParams.get('Page') ?? 0)
  const next = new URL(url)
  next.searchParams.set('Page', String(page + 1))
  next.searchParams.set('PageToken', `PA${page + 1}`)
  const isLast = records.length <= (page + 1) * size
  return {
    [name]: records.slice(page * size, (page + 1) * size),
    next_page_uri: isLast ? null : next.pathname + next.search,
    page,
    page_size: size,
  }
}

function answer(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += String(chunk)
  return body
}
