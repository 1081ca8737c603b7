import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { newId } from '../../../src/ids.js'

const API_KEY = 'Bearer key-of-the-account'
export const SIGNING_SECRET = 'what only the carrier and we know'

interface Asked {
  method: string
  headers: IncomingHttpHeaders
  body: Record<string, unknown>
  /** What the carrier answered as the message's id. */
  id: string
}

export interface StandIn {
  url: string
  /** The messages that it has taken. */
  taken: Asked[]
  /** How messages to a number are answered; by default they are taken. */
  behave(to: string, answer: (response: ServerResponse) => void): void
  close(): Promise<void>
}

/** A carrier with an HTTP API, on loopback. It nests the id, as several do. */
export async function startStandIn(): Promise<StandIn> {
  const taken: Asked[] = []
  const manners = new Map<string, (response: ServerResponse) => void>()
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    request.on('end', () => {
      if (request.headers.authorization !== API_KEY) {
        response.writeHead(401).end()
        return
      }
      if (request.method === 'GET') {
        response.writeHead(405).end()
        return
      }
      const isForm = request.headers['content-type'] === 'application/x-www-form-urlencoded'
      const body = (isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text)) as Record<
        string,
        unknown
      >
      const manner = manners.get(String(body.to))
      if (manner !== undefined) {
        manner(response)
        return
      }
      const id = newId()
      taken.push({ method: request.method ?? '', headers: request.headers, body, id })
      response
        .writeHead(201, { 'Content-Type': 'application/json' })
        .end(JSON.stringify({ messages: [{ id }] }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/messages`,
    taken,
    behave: (to, answer) => manners.set(to, answer),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}

export const refuse =
  (status: number, error?: string, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(status, headers).end(error === undefined ? '' : JSON.stringify({ error }))
  }

/** What an account at it is made of. */
export function settingsFor(url: string, others: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    url,
    headers: `Authorization: ${API_KEY}`,
    idField: 'messages.0.id',
    signingSecret: SIGNING_SECRET,
    ...others,
  }
}

/** The headers of a request that the carrier makes. */
export function signed(body: string, secret = SIGNING_SECRET): Record<string, string> {
  return { 'X-Signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` }
}
