import { expect } from 'chai'
import { retryAfterSeconds } from '../../../src/web/rate-limit-headers.js'
import { createLine, lineForEachTest, messageBody } from '../../helpers/factories.js'
import { describeWeb, type Answer } from '../../helpers/web/web.js'
import { backdateMessages, expectAccepted, leftOf, newNumber } from '../support.js'

const environment = { MAX_QUEUED_PER_LINE: '8' }

/** Of the IETF httpapi draft: `r` messages are left, one more comes back after `t` seconds. */
describeWeb('RateLimit-Policy and RateLimit', { environment }, ({ context, web }) => {
  const line = lineForEachTest(context)

  const post = (body: unknown, headers?: Record<string, string>, { webhookPath } = line) =>
    web.post(webhookPath, body, headers)

  it('tell what is left after each message, for its number and for the line', async () => {
    const [first, second] = [newNumber(), newNumber()]
    expect(left(await post(messageBody({ toNumber: first })))).to.deep.equal({ number: 4, line: 29 })
    expect(left(await post(messageBody({ toNumber: first })))).to.deep.equal({ number: 3, line: 28 })
    expect(left(await post(messageBody({ toNumber: second })))).to.deep.equal({ number: 4, line: 27 })
  })

  it('do not count a message for later', async () => {
    const sendAt = new Date(Date.now() + 3_600_000).toISOString()
    expect(left(await post(messageBody({ sendAt })))).to.deep.equal({ number: 5, line: 30 })
    expect(left(await post('no JSON'))).to.deep.equal({ line: 30 })
  })

  it('tell when the next message comes back', async () => {
    const number = newNumber()
    const since = performance.now()
    await post(messageBody({ toNumber: number }))
    await backdateMessages(context, line.lineId, 30)
    const answer = await post(messageBody({ toNumber: number }))
    for (const window of ['number', 'line'] as const)
      expect(seconds(answer, window), window).to.be.within(leftOf(30, since), 30)
    await backdateMessages(context, line.lineId, 31)
    expect(seconds(await post('no JSON'), 'line')).to.be.within(leftOf(29, since), 29)
  })

  it('tell the limits of the line, and say 0 left when one is reached', async () => {
    const narrow = await createLine(context, { messagesPerNumberPerMinute: 1, messagesPerMinute: 2 })
    await post(messageBody(), {}, narrow)
    const refused = await post(messageBody(), {}, narrow)
    expect(refused.status).to.equal(403)
    expect(refused.headers.get('ratelimit-policy')).to.equal('"number";q=1;w=60, "line";q=2;w=60')
    expect(left(refused)).to.deep.equal({ number: 0, line: 1 })
    expect(seconds(refused, 'number')).to.equal(Number(refused.headers.get('retry-after')))
  })

  it('are on every answer after the token is known, about the line only while no number is', async () => {
    const key = { 'Idempotency-Key': 'one' }
    expectAccepted(await post(messageBody({ text: 'first' }), key))
    const refusals: [status: number, body: unknown, headers?: Record<string, string>][] = [
      [413, 'x'.repeat(70_000)],
      [400, 'no JSON'],
      [400, { intent: 'message' }],
      [400, messageBody({ text: '' })],
      [400, messageBody({ text: 'x'.repeat(1601) })],
      [400, messageBody({ toNumber: '1' })],
      [403, messageBody({ toNumber: line.number })],
    ]
    for (const [status, body, headers] of refusals) {
      const answer = await post(body, headers)
      expect(answer.status).to.equal(status)
      expect(answer.headers.get('ratelimit-policy')).to.equal('"number";q=5;w=60, "line";q=30;w=60')
      expect(left(answer)).to.deep.equal({ line: 29 })
    }

    const reused = await post(messageBody({ text: 'other' }), key)
    expect(reused.status).to.equal(422)
    expect(left(reused)).to.deep.equal({ number: 4, line: 29 })
  })

  it('are on a 503 for a line whose messages pile up', async () => {
    for (let sent = 0; sent < 8; sent += 1) expectAccepted(await post(messageBody({ toNumber: newNumber() })))
    const answer = await post(messageBody({ toNumber: newNumber() }))
    expect(answer.status).to.equal(503)
    expect(left(answer)).to.deep.equal({ line: 22 })
  })

  it('are not told to somebody without the token', async () => {
    for (const path of [line.webhookPath.replace('token=', 'token=x'), '/webhooks/line/none', '/healthz']) {
      const { headers } = await web.post(path, messageBody())
      expect([headers.get('ratelimit'), headers.get('ratelimit-policy')]).to.deep.equal([null, null])
    }
  })
})

describe('Retry-After of a full window', () => {
  const full = (opensMs: number) => ({ limit: 5, used: 5, opensMs })
  const withRoom = { limit: 30, used: 29, opensMs: 60_000 }

  it('is whole seconds, rounded up, so that who waits so long is not refused again', () => {
    expect([60_000, 59_001, 59_000, 1001, 1000, 1].map((ms) => retryAfterSeconds(full(ms)))).to.deep.equal([
      60, 60, 59, 2, 1, 1,
    ])
  })

  it('is never 0, which clients take for "at once"', () => {
    expect(retryAfterSeconds(full(0))).to.equal(1)
  })

  it('is that of the window that opens last; one with room does not count', () => {
    expect(retryAfterSeconds(full(2000), full(9000))).to.equal(9)
    expect(retryAfterSeconds(full(2000), withRoom)).to.equal(2)
  })
})

function parse({ headers }: Answer): Record<string, { r: number; t: number }> {
  const items = (headers.get('ratelimit') ?? '').split(', ')
  return Object.fromEntries(
    items.map((item) => {
      const [, name = '', r, t] = /^"(\w+)";r=(\d+);t=(\d+)$/.exec(item) ?? []
      return [name, { r: Number(r), t: Number(t) }]
    }),
  )
}

function left(answer: Answer): Record<string, number> {
  return Object.fromEntries(Object.entries(parse(answer)).map(([name, { r }]) => [name, r]))
}

function seconds(answer: Answer, name: string): number {
  return parse(answer)[name]?.t ?? NaN
}
