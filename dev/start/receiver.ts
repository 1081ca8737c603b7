import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { SAMPLE_RECEIVER_RESPONSE } from '../../src/database/lines/first-steps.js'
import { onStopRequest, stopWithStarter } from '../../src/kit/process/stop-request.js'

/**
 * An endpoint to develop against. It prints every event that it gets, and whether its signature is valid. It answers a
 * request to `/?status=500` with 500, one to `/?delay=3000` after 3 s, and with `/?status=429&retry-after=30` it asks the
 * sender to wait.
 *
 * RECEIVER_PORT is the port on loopback where it listens. RECEIVER_SECRET (whsec_…) is what it checks signatures with.
 */
const { RECEIVER_PORT = '3001', RECEIVER_SECRET, STARTED_BY_PID } = process.env

const server = createServer((request, response) => {
  receive(request, response).catch((error: unknown) => {
    // The request broke off, or its URL asks for something that HTTP does not have. The receiver goes on.
    process.stderr.write(`A request could not be answered: ${String(error)}\n`)
    response.destroy()
  })
})

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const query = new URL(request.url ?? '/', 'http://localhost').searchParams
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += String(chunk)
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = request.headers
  process.stdout.write(
    `${body}  (webhook-id ${String(id)}, ${judge(`${String(id)}.${String(timestamp)}.${body}`, String(signature))})\n`,
  )
  await sleep(Number(query.get('delay') ?? 0))
  response.statusCode = Number(query.get('status') ?? 200)
  const retryAfter = query.get('retry-after')
  if (retryAfter !== null) response.setHeader('Retry-After', retryAfter)
  // The first steps do not count it as a server of the line's owner.
  response.end(SAMPLE_RECEIVER_RESPONSE)
}

server.listen(Number(RECEIVER_PORT), '127.0.0.1')
// It ends immediately. Otherwise it would have to wait for the answers that were requested late.
onStopRequest(() => process.exit(0))
if (STARTED_BY_PID !== undefined) stopWithStarter(Number(STARTED_BY_PID))

/** This is written by hand to show what a receiver does. In your own receiver, use a library for Standard Webhooks. */
function judge(signed: string, signatures: string): string {
  if (RECEIVER_SECRET === undefined) return 'signature not checked'
  const key = Buffer.from(RECEIVER_SECRET.replace('whsec_', ''), 'base64')
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  return signatures.split(' ').includes(expected) ? 'signature valid' : 'SIGNATURE NOT VALID'
}
