import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import { Socket, type AddressInfo } from 'node:net'
import { expect } from 'chai'
import Koa from 'koa'
import { createApiToken, removeApiToken } from '../../../src/domain/people/api-tokens.js'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { FORGOTTEN } from '../../../src/database/people/forgotten.js'
import { forgetPerson } from '../../../src/domain/people/forget.js'
import { listeningStreams } from '../../../src/telemetry/metrics.js'
import { streamEvents } from '../../../src/web/api/event-stream.js'
import { createRoutes } from '../../../src/web/routes/kinds.js'
import { ANNA, BEN, changeRows, inboundText } from '../../domain/fixtures.js'
import { lineForEachTest } from '../../helpers/factories.js'
import { until } from '../../helpers/until.js'
import { describeWeb } from '../../helpers/web/web.js'
import { hear, type Heard } from '../../helpers/web/hear.js'

const MAX_OF_USER = 10

describeWeb('GET /v1/lines/…/events/stream', ({ context, web }) => {
  const line = lineForEachTest(context, { outgoingUrl: 'http://127.0.0.1:9/' })
  let created: { id: string; token: string }
  const open: Heard[] = []

  beforeEach(async () => {
    created = await createApiToken(context, line.userId, 'a laptop', { isReadOnly: true })
  })

  const closeAll = () => Promise.all(open.splice(0).map((each) => each.close()))

  afterEach(closeAll)

  const listen = async (headers: Record<string, string> = {}, query = '') => {
    const url = `${web.url}/v1/lines/${line.lineId}/events/stream${query}`
    const heard = await hear(url, { Authorization: `Bearer ${created.token}`, ...headers })
    open.push(heard)
    return heard
  }
  const messagesOf = ({ text }: { text: string }) =>
    [...text.matchAll(/^id: (\S+)\ndata: (\{"id".*)\n\n/gm)].map(([, id, data = '']) => ({
      lastEventId: id,
      ...(JSON.parse(data) as { id: string; headers: Record<string, string>; body: string }),
    }))

  it('sends each event as it would be delivered, and continues after the last one', async () => {
    const heard = await listen()
    expect(heard.status).to.equal(200)
    expect(heard.headers.get('content-type')).to.match(/^text\/event-stream\b/)
    await until('it has begun', () => /^event: position\nid: \S+\ndata: \{\}\n\n/.test(heard.text))
    await receiveMessage(context, inboundText(line, { content: { type: 'inboundText', text: 'Line\n1' } }))
    const [first] = await until('the event', () => messagesOf(heard).length > 0 && messagesOf(heard))
    expect(JSON.parse(first?.body ?? '')).to.include({ type: 'inboundText', payload: 'Line\n1' })
    expect(first?.headers).to.include({ 'webhook-id': first?.id, 'content-type': 'application/json' })
    expect(first?.headers).to.have.property('webhook-signature')
    expect(first?.lastEventId).to.equal(first?.id)

    await receiveMessage(context, inboundText(line))
    const later = await listen({ 'Last-Event-ID': first?.id ?? '' })
    await until('both', () => messagesOf(later).length === 2)
    const all = await listen({}, `?from=${new Date(Date.now() - 600_000).toISOString()}`)
    await until('both', () => messagesOf(all).length === 2)
  })

  it('leaves out the events of a person who was forgotten, and goes on with the others', async () => {
    await receiveMessage(context, inboundText(line))
    await forgetPerson(context, ANNA, 'ticket 1')
    await receiveMessage(context, inboundText(line, { fromNumber: BEN }))
    const heard = await listen({}, `?from=${new Date(Date.now() - 600_000).toISOString()}`)
    await until('the event', () => messagesOf(heard).length > 0)
    expect(messagesOf(heard)).to.have.length(1)
    expect(heard.text).to.include(BEN).and.not.include(FORGOTTEN)
  })

  it('explains errors in Last-Event-ID and from', async () => {
    for (const [headers, query, said] of [
      [{ 'Last-Event-ID': 'x' }, '', /Last-Event-ID must be the ID of an event/],
      [{}, '?from=yesterday', /from must be a time such as/],
    ] as const) {
      const heard = await listen(headers, query)
      expect(heard.status).to.equal(400)
      await until('the problem', () => said.test(heard.text))
    }
  })

  it('ends when its token is revoked', async () => {
    const heard = await listen()
    await until('it has begun', () => heard.text !== '')
    await removeApiToken(context, line.userId, created.id)
    await until('the end', () => heard.isOver)
  })

  it('limits the streams of a user, and allows another when one ends', async () => {
    for (let n = 0; n < MAX_OF_USER; n += 1) expect((await listen()).status).to.equal(200)
    // The server may not yet have seen that the streams of the tests before are closed.
    await until('only they are open', async () => (await openCount()) === MAX_OF_USER)
    const refused = await listen()
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([429, '10'])
    await closeAll()
    await until('another one', async () => (await listen()).status === 200)
  })

  it('is released when a client that read nothing disconnects', async () => {
    const long = 'x'.repeat(1500)
    for (let n = 0; n < 100; n += 1) {
      await receiveMessage(context, inboundText(line, { content: { type: 'inboundText', text: long } }))
    }
    const socket = new Socket({ readable: true }).connect(web.port, '127.0.0.1')
    await once(socket, 'connect')
    socket.pause()
    socket.write(
      `GET /v1/lines/${line.lineId}/events/stream?from=2026-01-01T00:00:00Z HTTP/1.1\r\nHost: x\r\n` +
        `Authorization: Bearer ${created.token}\r\n\r\n`,
    )
    await until('it is open', async () => (await openCount()) === 1)
    socket.destroy()
    await until('it is forgotten', async () => (await openCount()) === 0)
  })

  it('disconnects a client that reads nothing, which resumes where it was and misses nothing', async () => {
    // So much that it does not fit into what the two sockets hold.
    const template = `{% assign x = "${'x'.repeat(16_000)}" %}{{ payload }}{{ x }}{{ x }}{{ x }}`
    const policy = { shape: 'template', template, templateContentType: 'text/plain' }
    await changeRows(context, 'endpoints', { user_id: line.userId }, { policy })
    const sent = Array.from({ length: 250 }, (_, n) => `${n}:`)
    for (const text of sent) {
      await receiveMessage(context, inboundText(line, { content: { type: 'inboundText', text } }))
    }
    const { router, v1 } = createRoutes(context)
    v1(streamEvents(200))
    const impatient = createServer((request, response) => void handle(request, response))
    const app = new Koa().use(router.routes())
    app.silent = true
    const handle = app.callback()
    await once(impatient.listen(0, '127.0.0.1'), 'listening')
    try {
      const asked = get({
        ...{ port: (impatient.address() as AddressInfo).port, agent: false },
        path: `/v1/lines/${line.lineId}/events/stream?from=2026-01-01T00:00:00Z`,
        headers: { Authorization: `Bearer ${created.token}` },
      })
      const [slow] = (await once(asked, 'response')) as [IncomingMessage]
      slow.on('error', () => undefined)
      await until('it is cut off', async () => (await openCount()) === 0)
      const first = { text: '' }
      slow.setEncoding('utf8').on('data', (piece: string) => (first.text += piece))
      await until('what was under way has come', () => slow.closed)
      const before = messagesOf(first)
      expect(before).to.have.length.within(1, sent.length - 1)

      const heard = await listen({ 'Last-Event-ID': before.at(-1)?.id ?? '' })
      const got = () => [...before, ...messagesOf(heard)].map(({ body }) => body.replace(/x*$/, ''))
      await until(
        () => `all ${sent.length}, not ${new Set(got()).size}`,
        () => new Set(got()).size === sent.length,
      )
      expect([...new Set(got())].sort()).to.deep.equal([...sent].sort())
    } finally {
      impatient.close()
      impatient.closeAllConnections()
    }
  })

  const openCount = async () => (await listeningStreams.get()).values[0]?.value ?? 0
})
