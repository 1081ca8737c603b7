import { Webhook } from 'standardwebhooks'
import { SIGNING_SECRET } from './settings.js'

const MAX_BODY_LENGTH = 100_000
const MAX_REMEMBERED = 10_000

const webhook = new Webhook(SIGNING_SECRET)

/** The `webhook-id` of each event so far, oldest first. A real application looks in its database. */
const seen = new Set()

/**
 * @returns what Linehook posted: `{ type, payload, fromNumber, toNumber, userId, lineId }`
 * @throws WebhookVerificationError if it is not from Linehook, or too old
 */
export async function readEvent(request) {
  // The signature covers the raw bytes. JSON that is parsed and written again may differ.
  const body = await readBody(request)
  return webhook.verify(body, request.headers)
}

/** An event is repeated if Linehook did not get our answer; its `webhook-id` stays the same. */
export function isRepeat(eventId) {
  if (seen.has(eventId)) return true
  seen.add(eventId)
  if (seen.size > MAX_REMEMBERED) seen.delete(seen.values().next().value)
  return false
}

async function readBody(request) {
  const chunks = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length > MAX_BODY_LENGTH) throw new Error('the body is longer than any event')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
