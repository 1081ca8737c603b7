import { expect } from 'chai'
import { createLine, messageBody } from '../../helpers/factories.js'
import { describeWith } from '../../helpers/suite.js'
import { createApiToken } from '../../../src/domain/people/api-tokens.js'
import { ANNA, BEN, UNLIMITED } from '../../domain/fixtures.js'
import { askPlainly, clientOf, expectAnswer, expectProblem, ownerForEachTest, serveApi } from './support.js'

interface Message {
  id: string
  status: string
  [field: string]: unknown
}

const HOUR = 3_600_000
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()

describeWith('scheduled messages, references and batches', serveApi, (api) => {
  const { line, client } = ownerForEachTest(api, UNLIMITED)

  const send = (fields: object, by = client) =>
    by.post('/v1/messages', { lineId: line.lineId, toNumber: ANNA, text: 'Hi', ...fields })
  const list = async (query: string) => expectAnswer(await client.get(`/v1/messages?${query}`)) as Message[]

  it('are shown, rescheduled, cancelled and found by their reference, status and number', async () => {
    const sendAt = inMs(HOUR)
    const options = {
      sendAt,
      expiresAt: inMs(2 * HOUR),
      clientRef: 'order 7/é',
      carrierOptions: { templateId: '1107' },
    }
    const message = expectAnswer(await send(options)) as Message
    expect(message).to.deep.include({ ...options, status: 'scheduled' })
    const none = { sendAt: null, expiresAt: null, carrierOptions: null, mediaUrl: null, mediaUrls: null }
    const other = expectAnswer(await send({ toNumber: BEN, clientRef: '', ...none })) as Message
    expect(other).to.include({ clientRef: null, sendAt: null, status: 'queued' })

    const ids = async (query: string) => (await list(query)).map(({ id }) => id)
    expect(await ids('clientRef=order+7%2F%C3%A9')).to.deep.equal([message.id])
    expect(await ids('clientRef=order')).to.deep.equal([])
    expect(await ids('status=scheduled')).to.deep.equal([message.id])
    expect(await ids('status=queued&number=%2B15005550102')).to.deep.equal([other.id])
    expectProblem(await client.get('/v1/messages?clientRef=' + 'x'.repeat(201)), 400, /200 characters/)

    const longest = '😀'.repeat(200)
    const named = expectAnswer(await send({ toNumber: BEN, clientRef: longest })) as Message
    expect(await ids(`clientRef=${encodeURIComponent(longest)}`)).to.deep.equal([named.id])
    expectProblem(await send({ clientRef: `${longest}x` }), 400, /1 to 200 characters/)

    const path = `/v1/messages/${message.id}`
    // With an offset, as people far from Greenwich write it.
    const later = new Date(Date.now() + 1.5 * HOUR)
    const written = new Date(later.getTime() + 2 * HOUR).toISOString().replace('Z', '+02:00')
    const moved = expectAnswer(await client.ask('PATCH', path, { sendAt: written })) as Message
    expect(moved.sendAt).to.equal(later.toISOString())
    expectProblem(await client.ask('PATCH', path, {}), 400, /sendAt is a required field/)
    expectProblem(
      await client.ask('PATCH', path, { sendAt: '2026-11-21' }),
      400,
      /sendAt must be a time such as/,
    )
    expectProblem(await client.ask('PATCH', path, { sendAt: inMs(3 * HOUR) }), 400, /later than sendAt/)

    const cancelled = { status: 'failed', error: 'cancelled' }
    expect(expectAnswer(await client.post(`${path}/cancel`))).to.include(cancelled)
    expect(expectAnswer(await client.post(`${path}/cancel`))).to.include(cancelled)
    expectProblem(await client.ask('PATCH', path, { sendAt }), 409, /It is failed/)
  })

  it('are refused for an invalid time or text, by the webhook and by /v1', async () => {
    const wrong: [object, RegExp][] = [
      [{ sendAt: 'tomorrow' }, /^sendAt must be a time such as/],
      [{ sendAt: '2026-12-01T10:00:00' }, /^sendAt must be a time such as/],
      [{ sendAt: '' }, /^sendAt must be a time such as/],
      [{ sendAt: ['2026-12-01T10:00:00Z'] }, /^sendAt must be a time such as/],
      [{ sendAt: '2026-11-31T10:00:00Z' }, /^sendAt must be .*: there is no 2026-11-31 in the calendar$/],
      [{ expiresAt: 7 }, /^expiresAt must be a time such as/],
      [{ expiresAt: '' }, /^expiresAt must be a time such as/],
      [{ expiresAt: { toString: 1 } }, /^expiresAt must be a time such as/],
      [{ clientRef: 7 }, /^clientRef must be text/],
      [{ carrierOptions: 'a' }, /^carrierOptions can have up to 10 text values/],
      [{ carrierOptions: { templateId: 7 } }, /^carrierOptions can have up to 10 text values/],
      [{ carrierOptions: { 'template-id': '7' } }, /^carrierOptions can have up to 10 text values/],
      [{ carrierOptions: { a: 'x'.repeat(256) } }, /^carrierOptions can have up to 10 text values/],
      [{ sendAt: 'x', clientRef: {} }, /sendAt must be .*; clientRef must be text/],
      [{ expiresAt: inMs(-HOUR) }, /^expiresAt must be in the future/],
    ]
    for (const [fields, words] of wrong) {
      expectProblem(await send(fields), 400, words)
      const answer = await api.web.post(line.webhookPath, messageBody({ toNumber: ANNA, ...fields }))
      expect(answer.status).to.equal(400)
      expect(answer.body).to.have.property('error').that.matches(words)
    }
    const fields = { toNumber: ANNA, sendAt: inMs(HOUR), clientRef: 'by the webhook' }
    const accepted = await api.web.post(line.webhookPath, messageBody(fields))
    expect(accepted.body).to.deep.equal({ success: true })
    const [found] = await list('clientRef=by+the+webhook')
    expect(found).to.include({
      id: accepted.headers.get('Message-Id'),
      status: 'scheduled',
      source: 'webhook',
    })
  })

  it('may expire at the end of the last year that people write, wherever they are', async () => {
    const expiresAt = '9999-12-31T23:59:59-14:00'
    const end = { expiresAt: '9999-12-31T23:59:59.999Z' }
    expect(expectAnswer(await send({ expiresAt }))).to.include(end)
  })

  it('may begin with a byte order mark or any number of blanks', async () => {
    const message = JSON.stringify({ lineId: line.lineId, toNumber: ANNA, text: 'Hi' })
    for (const before of ['\ufeff', ' '.repeat(200), '\ufeff\n\t ']) {
      const body = `${before}${message}`
      expect((await askPlainly(api, client, '/v1/messages', { body })).status).to.equal(200)
    }
  })

  it('get one result each in a batch, in order', async () => {
    const stranger = await createLine(api.context)
    const one = { lineId: line.lineId, toNumber: ANNA, text: 'Hi' }
    const batch = (messages: unknown, by = client) => by.post('/v1/messages/batch', { messages })
    const answers = expectAnswer(
      await batch([
        { ...one, idempotencyKey: 'a', clientRef: 'first' },
        { ...one, toNumber: 'nobody' },
        { ...one, text: 7 },
        { ...one, lineId: stranger.lineId },
        { ...one, idempotencyKey: 'a', clientRef: 'first' },
        { ...one, idempotencyKey: 'a' },
        { ...one, sendAt: inMs(HOUR) },
        {},
      ]),
    ) as { status: number; id?: string; detail?: string }[]
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 400, 400, 404, 200, 422, 200, 400])
    expect(answers[4]?.id).to.equal(answers[0]?.id)
    expect(answers[1]?.detail).to.match(/toNumber/)
    expect(answers[2]?.detail).to.equal('text must be text')
    expect(await list('')).to.have.length(2)

    const many = Array.from({ length: 500 }, () => ({ ...one, text: '\u{1F600}'.repeat(1600) }))
    const accepted = expectAnswer(await batch(many)) as { status: number }[]
    expect(new Set(accepted.map(({ status }) => status))).to.deep.equal(new Set([200]))
    for (const wrong of [[], [...many, one], [7], undefined, 'x']) {
      expectProblem(await batch(wrong), 400, /messages must be a list of 1 to 500 objects/)
    }
    expectProblem(
      await client.post('/v1/messages/batch', ' '.repeat(4 * 1024 * 1024 + 1)),
      413,
      /at most 4 MiB/,
    )
  })

  it('in a batch have keys of their own: a header for all of them, or an empty key, is refused', async () => {
    const messages = [{ lineId: line.lineId, toNumber: ANNA, text: 'Hi', idempotencyKey: '' }]
    const headers = { 'Idempotency-Key': 'for all' }
    expectProblem(
      await client.ask('POST', '/v1/messages/batch', { messages }, headers),
      400,
      /^Idempotency-Key is for one message. Give each message an idempotencyKey instead$/,
    )
    expect(expectAnswer(await client.post('/v1/messages/batch', { messages }))).to.deep.equal([
      { status: 400, detail: 'Idempotency-Key is empty. Give a key, or leave it out' },
    ])
    expect((await list('')).length).to.equal(0)

    const mediaUrls = ['http://127.0.0.1:9/one.png']
    const withNul = [{ ...messages[0], mediaUrls, idempotencyKey: 'a\0' }]
    for (const time of ['first', 'second']) {
      const [outcome] = expectAnswer(
        await client.post('/v1/messages/batch', { messages: withNul }),
      ) as object[]
      expect(outcome, time).to.include({ status: 200 })
    }
    expect((await list('')).length).to.equal(1)
  })

  it('in a batch are limited to the line of a token', async () => {
    const other = await createLine(api.context, { ...UNLIMITED, userId: line.userId })
    const { token } = await createApiToken(api.context, line.userId, 'x', { lineId: other.lineId })
    const messages = [line, other].map(({ lineId }) => ({ lineId, toNumber: ANNA, text: 'Hi' }))
    const answer = await clientOf(api.web, token).post('/v1/messages/batch', { messages })
    const answers = expectAnswer(answer) as { status: number }[]
    expect(answers.map(({ status }) => status)).to.deep.equal([404, 200])
  })
})
