import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createChecker, type ApiRequest } from './description.js'
import { AUTH_TOKEN, postSigned } from './callbacks.js'

export const ACCOUNT_SID = `AC${'0123456789abcdef'.repeat(2)}`
export { AUTH_TOKEN }
export const API_KEY = { sid: `SK${'0123456789abcdef'.repeat(2)}`, secret: 'api-key-secret' }

/** A message as Twilio's API shows it, with what it was asked beside that. */
export interface StandInMessage {
  sid: string
  from: string
  messaging_service_sid?: string | null
  to: string
  body: string
  mediaUrls: string[]
  statusCallback: string
  status: string
  direction: string
  error_code: number | null
  error_message: string | null
  date_created: string
  price?: string | null
  price_unit?: string
  num_segments?: string
}

/** What somebody sent to a number of the account. */
interface StandInReceived {
  sid: string
  from: string
  to: string
  body: string
  direction: string
  num_media: string
  date_created: string
  /** The SIDs of its media. */
  media: string[]
}

/** A call to a number, and what of it was recorded. */
interface StandInRecording {
  sid: string
  call_sid: string
  source: string
  status: string
  duration: string
  date_created: string
  call: { from: string; to: string; direction: string } | undefined
}

interface StandInNumber {
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
  received: StandInReceived[]
  recordings: StandInRecording[]
  /** Somebody sends a message to a number of the account; nobody is called for it. */
  receive(
    message: {
      from: string
      to: string
      body?: string
      media?: string[]
      at?: Date
    } & Partial<StandInReceived>,
  ): StandInReceived
  /** Somebody leaves a voicemail; nobody is called for it. */
  record(call: { from: string; to: string; at?: Date } & Partial<StandInRecording>): StandInRecording
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
  const received: StandInReceived[] = []
  const recordings: StandInRecording[] = []
  const requests: ApiRequest[] = []
  const faults: string[] = []
  const behaviours = new Map<string, Behaviour>()
  const files = new Map<string, Buffer>()
  const account = { status: 'active' }
  const check = createChecker()
  let always: Behaviour | undefined
  const root = `/2010-04-01/Accounts/${ACCOUNT_SID}`
  const credentials = [`${ACCOUNT_SID}:${AUTH_TOKEN}`, `${API_KEY.sid}:${API_KEY.secret}`].map(
    (each) => `Basic ${Buffer.from(each).toString('base64')}`,
  )

  const callOf = (url: URL) =>
    recordings.find(({ call_sid: sid }) => url.pathname === `${root}/Calls/${sid}.json`)?.call

  const takeMessage = (form: URLSearchParams) => {
    const message = {
      sid: newSid('SM'),
      from: form.get('From') ?? '',
      messaging_service_sid: form.get('MessagingServiceSid'),
      to: form.get('To') ?? '',
      body: form.get('Body') ?? '',
      mediaUrls: form.getAll('MediaUrl'),
      statusCallback: form.get('StatusCallback') ?? '',
      status: 'queued',
      direction: 'outbound-api',
      error_code: null,
      error_message: null,
      date_created: dateOf(new Date()),
    }
    messages.push(message)
    onTaken?.(message)
    return message
  }

  const respond = (request: ApiRequest, response: ServerResponse) => {
    const { method, path, authorization, body } = request
    const url = new URL(path, 'http://twilio')
    const form = new URLSearchParams(body)
    if (!credentials.includes(authorization)) {
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
      const [From, To] = [url.searchParams.get('From'), url.searchParams.get('To')]
      const between = ({ from, to }: { from: string; to: string }) =>
        (From === null || from === From) && (To === null || to === To)
      const found = newestFirst([...messages, ...received].filter(between))
      answer(response, 200, pageOf(url, 'messages', found))
    } else if (method === 'GET' && url.pathname === `${root}/Recordings.json`) {
      answer(response, 200, pageOf(url, 'recordings', newestFirst(recordings)))
    } else if (method === 'GET' && /\/Messages\/\w+\/Media\.json$/.test(url.pathname)) {
      const media = received.find(({ sid }) => url.pathname.includes(sid))?.media ?? []
      answer(
        response,
        200,
        pageOf(
          url,
          'media_list',
          media.map((sid) => ({ sid })),
        ),
      )
    } else if (method === 'GET' && callOf(url) !== undefined) {
      answer(response, 200, callOf(url) ?? {})
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
    received,
    recordings,
    receive: ({ at = new Date(), media = [], ...fields }) => {
      const message = {
        sid: newSid('SM'),
        body: '',
        direction: 'inbound',
        num_media: String(media.length),
        date_created: dateOf(at),
        media,
        ...fields,
      }
      received.push(message)
      return message
    },
    record: ({ from, to, at = new Date(), ...fields }) => {
      const recording = {
        sid: newSid('RE'),
        call_sid: newSid('CA'),
        source: 'RecordVerb',
        status: 'completed',
        duration: '7',
        date_created: dateOf(at),
        call: { from, to, direction: 'inbound' },
        ...fields,
      }
      recordings.push(recording)
      return recording
    },
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

function dateOf(at: Date): string {
  return at.toUTCString().replace('GMT', '+0000')
}

/** Of the same second the last one first. */
function newestFirst<Each extends { date_created: string }>(records: readonly Each[]): Each[] {
  return [...records].reverse().sort((a, b) => Date.parse(b.date_created) - Date.parse(a.date_created))
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
