import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { newId } from '../../../src/ids.js'
import { createLine, lineForEachTest, messageBody } from '../../helpers/factories.js'
import { describeWeb } from '../../helpers/web/web.js'
import { expectAccepted, expectRefused, messagesOf } from '../support.js'

const TOO_LARGE = 'x'.repeat(100 * 1024)

describeWeb('an incoming webhook', ({ context, web }) => {
  const line = lineForEachTest(context)

  const post = (body: unknown) => web.post(line.webhookPath, body)

  it('answers exactly {"success":true}, and the message is kept under the id in Message-Id', async () => {
    const answer = await post(messageBody({ toNumber: '+15005550123', text: 'Hi there' }))
    expectAccepted(answer)
    expect(answer.headers.get('content-type')).to.match(/^application\/json/)
    const [message, ...others] = await messagesOf(context, line.lineId)
    expect(others).to.deep.equal([])
    expect(message).to.include({
      id: answer.headers.get('message-id'),
      from_number: line.number,
      to_number: '+15005550123',
      text: 'Hi there',
      status: 'queued',
      source: 'webhook',
    })
  })

  describe('answers 404 "URL doesn\'t exist"', () => {
    for (const [what, id] of [
      ['an unknown line', newId()],
      ['an id that is none', 'my-line'],
      ['an id with an encoded slash', '%2F..%2Fetc'],
      ['an id that cannot be decoded', '%zz'],
    ] as const) {
      it(`for ${what}, whatever the token and the body are`, async () => {
        const answer = await web.post(`/webhooks/lineId/${id}?token=${line.token}`, TOO_LARGE)
        expectRefused(answer, 404, "URL doesn't exist")
      })
    }

    it('with another one’s token and without a token', async () => {
      expectRefused(await web.post(`/webhooks/line/${newId()}`, messageBody()), 404, "URL doesn't exist")
    })
  })

  describe('answers 403 "URL is invalid"', () => {
    it('for a missing, an empty, a wrong and a repeated token', async () => {
      const path = `/webhooks/lineId/${line.lineId}`
      const wrong = `${line.token.slice(0, -1)}${line.token.endsWith('A') ? 'B' : 'A'}`
      for (const query of [
        '',
        '?',
        '?token',
        '?token=',
        `?token=${wrong}`,
        `?token=${line.token}${line.token}`,
        `?token=${line.token}&token=${line.token}`,
        `?TOKEN=${line.token}`,
        `?token[]=${line.token}`,
        '?token=%zz%00',
      ]) {
        expectRefused(await web.post(path + query, messageBody()), 403, 'URL is invalid')
      }
      expect(await messagesOf(context, line.lineId)).to.deep.equal([])
    })

    it('for the token of another line', async () => {
      const other = await createLine(context)
      const answer = await web.post(`/webhooks/line/${line.lineId}?token=${other.token}`, messageBody())
      expectRefused(answer, 403, 'URL is invalid')
    })
  })

  it('asks for the intent before it looks at data', async () => {
    for (const body of [
      {},
      { data: messageBody().data },
      { intent: null, data: 1 },
      { intent: '' },
      { intent: 'Message', data: messageBody().data },
      { intent: 'call', data: messageBody().data },
      { intent: ['message'], data: messageBody().data },
      { intent: 1 },
    ]) {
      expectRefused(await post(body), 400, 'JSON body must contain an intent')
    }
  })

  it('asks for data before it looks at its fields', async () => {
    for (const data of [undefined, null, [], [{ toNumber: '+15005550199', text: 'x' }], 'text', 1, true]) {
      expectRefused(
        await post({ intent: 'message', data, toNumber: '+15005550199', text: 'Hello' }),
        400,
        'JSON body must contain data',
      )
    }
  })

  it('parses the number before it counts', async () => {
    for (let sent = 0; sent < 5; sent += 1) expectAccepted(await post(messageBody()))
    const answer = await post(messageBody({ toNumber: '+1500555019' }))
    expectRefused(answer, 400, 'Provided toNumber phone number cannot be parsed')
  })

  it('checks in the order of docs/http.md', async () => {
    const { db } = context
    const limits = { allowedCountries: ['US'], messagesPerNumberPerMinute: 1 }
    const { lineId, webhookPath } = await createLine(context, limits)
    const used = { 'Idempotency-Key': 'used' }
    expectAccepted(await web.post(webhookPath, messageBody({ text: 'First' }), used))
    const inAMonth = new Date(Date.now() + 31 * 86_400_000).toISOString()
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
    // A request with every fault; each step mends the one that was named.
    const data: Record<string, unknown> = { sendAt: 'soon', expiresAt: 'never', clientRef: 1 }
    const headers: Record<string, string> = {
      'Content-Encoding': 'zstd',
      'Idempotency-Key': 'k'.repeat(256),
    }
    const faulty = {
      method: 'PUT',
      path: `/webhooks/lineId/${newId()}`,
      headers: { ...headers, ...Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`x-${n}`, 'x'])) },
      body: TOO_LARGE as string | Uint8Array<ArrayBuffer> | Record<string, unknown>,
    }
    const mends: (() => unknown)[] = [
      () => (faulty.headers = headers),
      () => (faulty.method = 'POST'),
      () => (faulty.path = `/webhooks/lineId/${lineId}`),
      () => (faulty.path = webhookPath),
      () => delete headers['Content-Encoding'],
      () => (faulty.body = new Uint8Array([0xff])),
      () => (faulty.body = {}),
      () => (faulty.body = { intent: 'message' }),
      () => (faulty.body = { intent: 'message', data }),
      () => Object.assign(data, { toNumber: '12', text: `\0${'x'.repeat(1600)}` }),
      () => Object.assign(data, { sendAt: inAMonth, expiresAt: inAMonth, clientRef: `\0${'x'.repeat(200)}` }),
      () => (data.text = '\0'),
      () => (data.text = 'Hello'),
      () => (data.toNumber = '+447400123456'),
      () => Object.assign(data, { toNumber: '+15005550199', carrierOptions: { 'a-b': 'x' } }),
      () => (headers['Idempotency-Key'] = ''),
      () => (headers['Idempotency-Key'] = 'used'),
      () => Object.assign(data, { sendAt: tomorrow, expiresAt: new Date(0).toISOString() }),
      () => (data.expiresAt = new Date(Date.now() + 3_600_000).toISOString()),
      () => (data.expiresAt = inAMonth),
      () => delete data.carrierOptions,
      () => (data.clientRef = '\0'),
      () => delete data.clientRef,
      () => delete headers['Idempotency-Key'],
    ]
    const told: string[] = []
    for (const mend of mends) {
      const { body, ...request } = faulty
      const sent = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
      const answer = await web.request(request.path, { ...request, body: sent })
      told.push(...(answer.body as { error: string }).error.split('; '))
      mend()
    }
    expect(told).to.deep.equal(reasonsInDocs().filter((reason) => !ELSEWHERE.test(reason)))
    expect(await db('messages').where({ line_id: lineId }).pluck('text')).to.deep.equal(['First'])
  })
})

/** What a request alone cannot cause: it takes another line, a person, another request or an outage. */
const ELSEWHERE =
  /paused|as senders|short code|still being|opted out|Rate limit|cap |spending|unavailable|unknown|Internal/

function reasonsInDocs(): string[] {
  const rows = readFileSync('docs/http.md', 'utf8').matchAll(/^\| \d{3} +\| `([^`]+)`/gm)
  return [...rows].map(([, reason = '']) => reason)
}
