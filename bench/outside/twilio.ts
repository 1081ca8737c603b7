import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PUBLIC_URL } from '../harness/installation.js'
import type { HttpRequest } from './http.js'

export const ACCOUNT_SID = `AC${'0123456789abcdef'.repeat(2)}`
export const AUTH_TOKEN = 'f'.repeat(32)

export interface TwilioStandIn {
  url: string
  /** When each text came, by performance.now(). */
  takenAt: Map<string, number>
  close(): void
}

/** As much of Twilio's API as sending needs. It has to be quick, because its time is part of what is measured. */
export async function startTwilio(): Promise<TwilioStandIn> {
  const takenAt = new Map<string, number>()
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      takenAt.set(new URLSearchParams(body).get('Body') ?? '', performance.now())
      response.writeHead(201, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ sid: newSid(), status: 'queued' }))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    takenAt,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** A text to a line, as Twilio brings and signs it (https://www.twilio.com/docs/usage/security). */
export function inboundCallback(accountId: string, from: string, to: string, text: string): HttpRequest {
  const path = `/carriers/twilio/${accountId}/message`
  const fields: Record<string, string> = {
    AccountSid: ACCOUNT_SID,
    Body: text,
    From: from,
    MessageSid: newSid(),
    NumMedia: '0',
    To: to,
  }
  // The fields already stand in the order in which they are signed.
  const signed = PUBLIC_URL + path + Object.entries(fields).flat().join('')
  return {
    path,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': createHmac('sha1', AUTH_TOKEN).update(signed).digest('base64'),
    },
    body: new URLSearchParams(fields).toString(),
  }
}

function newSid(): string {
  return `SM${randomBytes(16).toString('hex')}`
}
