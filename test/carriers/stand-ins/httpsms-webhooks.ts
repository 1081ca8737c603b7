/** The events of httpSMS and how they are signed: https://docs.httpsms.com/webhooks/introduction, …/webhooks/events */
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import type { CheckedMessage } from './httpsms-request.js'
import { sendCallback } from './server.js'
import type { CallbackAnswer, Forgery } from './stand-in.js'

/** Go, with which the service writes, escapes these characters for HTML. */
export const goJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** https://docs.httpsms.com/webhooks/events; the order of its fields is from memory. */
export interface CloudEvent {
  specversion: '1.0'
  id: string
  source: string
  type: string
  datacontenttype: 'application/json'
  /** With nanoseconds. */
  time: string
  data: object
}

export function newEvent(type: string, source: string, data: object): CloudEvent {
  const nanoseconds = String(Math.floor(Math.random() * 899999) + 100001)
  const time = new Date().toISOString().replace('Z', `${nanoseconds}Z`)
  return {
    specversion: '1.0',
    id: randomUUID(),
    source,
    type,
    datacontenttype: 'application/json',
    time,
    data,
  }
}

const base64Url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/**
 * https://docs.httpsms.com/webhooks/introduction: a JWT, signed with the webhook's key (HS256). Its claims, of which
 * https://github.com/NdoleStudio/httpsms (api/pkg/services/webhook_service.go) tells, say nothing of the body: who has
 * recorded one may send another body with it until it expires, after ten minutes.
 */
function tokenFor(url: string, key: string, userId: string, forgery: Forgery | undefined): string {
  const at = Math.floor(Date.now() / 1000) - (forgery === 'old' ? 3600 : 0)
  const claims = { iss: 'api.httpsms.com', sub: userId, aud: [url], exp: at + 600, nbf: at - 600, iat: at }
  const content = `${base64Url({ alg: 'HS256', typ: 'JWT' })}.${base64Url(claims)}`
  const secret = forgery === 'wrong-secret' ? randomBytes(32).toString('hex') : key
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`
}

/** The forgery `other-body` has a genuine token, as nothing in it could tell: it is another event than the one given. */
export async function deliver(
  { url, signing_key: key }: { url: string; signing_key: string },
  event: CloudEvent,
  userId: string,
  forgery: Forgery | undefined,
): Promise<CallbackAnswer> {
  const isSigned = key !== '' && forgery !== 'unsigned'
  const headers: Record<string, string> = {
    'User-Agent': 'Go-http-client/1.1',
    'Content-Type': 'application/json',
    'X-Event-Type': event.type,
    ...(isSigned ? { Authorization: `Bearer ${tokenFor(url, key, userId, forgery)}` } : {}),
  }
  const body = goJson(forgery === 'other-body' ? { ...event, id: randomUUID() } : event)
  const answer = await sendCallback(url, { headers, body })
  return { ...answer, isSuccess: answer.status > 0 && answer.status < 400 }
}

export type StoredMessage = Record<string, unknown> & { id: string; status: string }

/** A message as the API answers it: the schema `entities.Message` of https://api.httpsms.com/index.html. */
export function newMessage(checked: CheckedMessage, userId: string): StoredMessage {
  const at = new Date().toISOString()
  return {
    id: randomUUID(),
    request_id: checked.requestId,
    owner: checked.from,
    user_id: userId,
    contact: checked.to,
    content: checked.content,
    attachments: checked.attachments,
    encrypted: checked.encrypted,
    type: 'mobile-terminated',
    status: 'pending',
    sim: 'SIM1',
    send_time: null,
    request_received_at: at,
    created_at: at,
    updated_at: at,
    order_timestamp: at,
    last_attempted_at: null,
    scheduled_at: null,
    sent_at: null,
    scheduled_send_time: checked.sendAt,
    delivered_at: null,
    expired_at: null,
    failed_at: null,
    send_attempt_count: 0,
    max_send_attempts: 2,
    received_at: null,
    failure_reason: null,
  }
}
