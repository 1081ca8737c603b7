import { createServer, request as httpRequest } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that a stand-in got, read to its end. */
export interface ApiRequest {
  method: string
  /** Path and query, as the request line has them. */
  target: string
  /** Without the query. */
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  body: Buffer
  /** The type in the Content-Type header in lower case, without its parameters: `application/json`. */
  contentType: string | undefined
}

/** Its body is sent as JSON unless it is a string. */
export interface ApiAnswer {
  status: number
  headers?: Record<string, string>
  body?: unknown
}

/** Instead of an answer: never answer, or end the connection. */
export type NoAnswer = 'hang' | 'close'

export interface RunningServer {
  /** `http://127.0.0.1:4321` */
  url: string
  close(): Promise<void>
}

let tellOfHang: () => void = () => undefined

/** Calls back when the next request has come that a stand-in never answers. */
export function onHang(tell: () => void): void {
  tellOfHang = tell
}

export async function startServer(
  handle: (request: ApiRequest) => ApiAnswer | NoAnswer | Promise<ApiAnswer | NoAnswer>,
): Promise<RunningServer> {
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const url = new URL(incoming.url ?? '/', 'http://localhost')
      const contentType = incoming.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
      const request: ApiRequest = {
        method: incoming.method ?? 'GET',
        target: incoming.url ?? '/',
        path: url.pathname,
        query: url.searchParams,
        headers: incoming.headers,
        body: Buffer.concat(chunks),
        contentType,
      }
      void Promise.resolve()
        .then(() => handle(request))
        .catch((error: unknown): ApiAnswer => {
          console.error('the stand-in itself failed', error)
          return { status: 599, body: String(error) }
        })
        .then((answer) => {
          if (answer === 'hang') {
            tellOfHang()
            return
          }
          if (answer === 'close') {
            incoming.socket.destroy()
            return
          }
          const isText = typeof answer.body === 'string'
          const type = isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8'
          const text = isText
            ? String(answer.body)
            : answer.body === undefined
              ? ''
              : JSON.stringify(answer.body)
          outgoing.writeHead(answer.status, {
            ...(text === '' ? {} : { 'content-type': type }),
            ...answer.headers,
          })
          outgoing.end(text)
        })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export interface Callback {
  /** `POST` where left out. */
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
}

/**
 * Sends a callback. Status 0 stands for no answer: refused, broken off, or none within a minute.
 * Redirects are not followed.
 */
export function sendCallback(url: string, callback: Callback): Promise<{ status: number; body: string }> {
  return new Promise((resolve) => {
    const body = Buffer.from(callback.body ?? '')
    const request = httpRequest(url, {
      method: callback.method ?? 'POST',
      headers: {
        ...callback.headers,
        ...(callback.body === undefined ? {} : { 'content-length': body.length }),
      },
      agent: false,
    })
    const timeout = setTimeout(() => request.destroy(new Error('no answer within 60 s')), 60_000)
    const fail = (error: Error): void => {
      clearTimeout(timeout)
      resolve({ status: 0, body: error.message })
    }
    request.on('error', fail)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', fail)
      response.on('end', () => {
        clearTimeout(timeout)
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') })
      })
    })
    request.end(body)
  })
}

/** What a string may hold when it should be JSON; undefined where it is none. */
export function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export type FieldType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array'

/** What is wrong with the fields of an object: unknown ones, ones of a wrong type, missing ones. Each a sentence. */
export function fieldFaults(
  value: Record<string, unknown>,
  known: Readonly<Record<string, FieldType>>,
  required: readonly string[] = [],
  path = '',
): { property: string; fault: string }[] {
  const faults: { property: string; fault: string }[] = []
  for (const [name, content] of Object.entries(value)) {
    const type = Object.hasOwn(known, name) ? known[name] : undefined
    const property = path + name
    if (type === undefined) faults.push({ property, fault: `there is no field ${property}` })
    else if (content === undefined || content === null || !isOfType(content, type))
      faults.push({ property, fault: `${property} must be of type ${type}` })
  }
  for (const name of required)
    if (!Object.hasOwn(value, name))
      faults.push({ property: path + name, fault: `${path}${name} is missing` })
  return faults
}

function isOfType(value: unknown, type: FieldType): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isRecord(value)
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

/**
 * The answers to a treatment that no documentation describes, because a machine between or a crash makes them: the
 * status is that of a success, so that only its body is wrong. Undefined for every other treatment. A stand-in gives
 * them after it has checked the request, and does not list the message as taken.
 */
export function brokenAnswer(how: string | undefined, successStatus = 200): ApiAnswer | NoAnswer | undefined {
  switch (how) {
    case 'not-json':
      return {
        status: successStatus,
        headers: { 'content-type': 'text/html; charset=utf-8' },
        body: '<!doctype html><title>Please wait</title>',
      }
    case 'empty':
      return { status: successStatus }
    case 'hang':
      return 'hang'
    case 'close-before-answer':
      return 'close'
    default:
      return undefined
  }
}

export function isHttpUrl(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value)
}
