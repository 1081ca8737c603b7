import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { onStopRequest, stopWithStarter } from '../src/stop-request.js'

/**
 * An endpoint to develop against: prints every event that it gets, with what its signature headers say.
 * `POST /?status=500` answers so, `?delay=3000` answers late, `?status=429&retry-after=30` asks to wait.
 *
 * RECEIVER_PORT: where it listens, on loopback. RECEIVER_SECRET: whsec_…, to check signatures with.
 */
const { RECEIVER_PORT = '3001', RECEIVER_SECRET, STARTED_BY_PID } = process.env

const server = createServer((request, response) => {
  void (async () => {
    const query = new URL(request.url ?? '/', 'http://localhost').searchParams
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk)
    const {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    } = request.headers
    process.stdout.write(
      `${body}  (webhook-id ${String(id)}, ${judge(`${String(id)}.${String(timestamp)}.${body}`, String(signature))})\n`,
    )
    await sleep(Number(query.get('delay') ?? 0))
    response.statusCode = Number(query.get('status') ?? 200)
    const retryAfter = query.get('retry-after')
    if (retryAfter !== null) response.setHeader('Retry-After', retryAfter)
    response.end('{}')
  })()
})
server.listen(Number(RECEIVER_PORT), '127.0.0.1')
// At once: an answer that was asked to be late would keep it for as long.
onStopRequest(() => process.exit(0))
if (STARTED_BY_PID !== undefined) stopWithStarter(Number(STARTED_BY_PID))

/** Written out by hand here to show what a receiver does; use a Standard Webhooks library in your own. */
function judge(signed: string, signatures: string): string {
  if (RECEIVER_SECRET === undefined) return 'signature not checked'
  const key = Buffer.from(RECEIVER_SECRET.replace('whsec_', ''), 'base64')
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  return signatures.split(' ').includes(expected) ? 'signature valid' : 'SIGNATURE NOT VALID'
}
