import { expect } from 'chai'
import { createTestContext } from '../helpers/context.js'
import { environmentForAllTests } from '../helpers/process/environment.js'
import { lineForAllTests, messageBody } from '../helpers/factories.js'
import { startWeb, stopProcesses, type RunningWeb } from '../helpers/process/processes.js'
import { openForSuite } from '../helpers/suite.js'
import { until } from '../helpers/until.js'
import { openSocket } from './listening/raw-socket.js'

const TEXT = 'a private matter'
const TO_NUMBER = '+15005550234'

describe('the log of web', () => {
  const environment = environmentForAllTests({ LOG_LEVEL: 'debug', QUEUES_PASSWORD: 'a long password' })
  const context = openForSuite(() => createTestContext({ ...environment, LOG_LEVEL: 'silent' }))
  const line = lineForAllTests(context)
  let web: RunningWeb

  before(async () => {
    web = await startWeb(environment)
  })
  after(stopProcesses)

  /** Sends, and waits until the request is in the log. */
  async function send(path: string, body: unknown, headers: Record<string, string> = {}): Promise<number> {
    const handled = () => web.log().filter(({ msg }) => msg === 'request.handled').length
    const before = handled()
    const { status } = await fetch(web.url + path, {
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    await until('the request is in the log', () => handled() > before)
    return status
  }

  function expectNothingPrivate(): void {
    const log = web.lines.join('\n')
    for (const secret of [line.token, TEXT, TO_NUMBER.slice(1), line.number.slice(1), 'a long password']) {
      expect(log, secret).not.to.include(secret)
    }
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'ENCRYPTION_KEY']) {
      expect(log).not.to.include(environment[name])
    }
  }

  it('has one line per request, with the details needed to find it', async () => {
    expect(await send(line.webhookPath, messageBody({ toNumber: TO_NUMBER, text: TEXT }))).to.equal(200)
    const handled = web.log().filter(({ msg }) => msg === 'request.handled')
    expect(handled).to.have.length(1)
    expect(handled[0]).to.include({
      level: 'info',
      method: 'POST',
      path: `/webhooks/lineId/${line.lineId}`,
      status: 200,
      outcome: 'accepted',
    })
    expect(handled[0]?.durationMs).to.be.a('number')
  })

  it('has no token, text or whole number of accepted and refused requests', async () => {
    const message = messageBody({ toNumber: TO_NUMBER, text: TEXT })
    const wrongToken = `${line.webhookPath.slice(0, -1)}!`
    expect(await send(wrongToken, message)).to.equal(403)
    expect(await send(line.webhookPath, `${JSON.stringify(message)}}`)).to.equal(400)
    expect(await send(line.webhookPath, message, { 'Idempotency-Key': TEXT })).to.equal(200)
    expect(await send(line.webhookPath, messageBody({ toNumber: line.number, text: TEXT }))).to.equal(403)
    while ((await send(line.webhookPath, message)) === 200);
    expect(
      await send('/simulator/inbound', { fromNumber: TO_NUMBER, toNumber: line.number, text: TEXT }),
    ).to.equal(200)
    expect(await send(`/simulator/outbox?toNumber=${TO_NUMBER}`, '')).to.equal(405)
    expectNothingPrivate()
    expect(web.log().some(({ outcome }) => outcome === 'rate_limited')).to.be.true
  })

  it('omits the token of a URL with an encoded question mark', async () => {
    expect(await send(line.webhookPath.replace('?', '%3F'), messageBody())).to.equal(404)
    expect(await send(line.webhookPath.replace('?', '%3f').replace('=', '%3D'), messageBody())).to.equal(404)
    expect(await send(line.webhookPath.replace('?', '/'), messageBody())).to.equal(404)
    expect(await send(line.webhookPath.replace('?', '&'), messageBody())).to.equal(404)
    expectNothingPrivate()
  })

  it("has no token of the simulator's media and no whole number of its phones", async () => {
    const token = 'a'.repeat(43)
    expect(await send(`/uploads/${token}`, '')).to.equal(405)
    expect(await send(`/simulator/phones/${TO_NUMBER.slice(1)}/messages`, '')).to.equal(401)
    const inPath = encodeURIComponent(TO_NUMBER)
    expect(await send(`/console/lines/1/conversations/${inPath}/messages`, '')).to.equal(401)
    expect(await send(`/v1/contacts/${inPath}`, '')).to.equal(405)
    expectNothingPrivate()
    const paths = web.log().map(({ path }) => path)
    expect(paths).to.include.members([
      '/uploads/[cut]',
      '/simulator/phones/[number]/messages',
      '/v1/contacts/[number]',
      '/console/lines/1/conversations/[number]/messages',
    ])
    expect(web.lines.join()).not.to.include(token)
  })

  /** What is not in the log's shape, but for what oidc-provider says of a Node that is past its end. */
  const linesBeside = () =>
    web.lines.filter((line) => !/^(\{|oidc-provider WARNING: Unsupported runtime)/.test(line))

  it('has the request of a client that left before it was whole', async () => {
    const body = JSON.stringify(messageBody({ toNumber: TO_NUMBER, text: TEXT }))
    const count = web.log().length
    const { socket } = openSocket(
      Number(new URL(web.url).port),
      `POST ${line.webhookPath} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n${body}`,
    )
    socket.end()
    const handled = await until('it is in the log', () =>
      web
        .log()
        .slice(count)
        .find(({ msg }) => msg === 'request.handled'),
    )
    expect(handled).to.have.property('status', 400)
    socket.destroy()
    expectNothingPrivate()
    expect(linesBeside()).to.deep.equal([])
  })

  it('has the error of a failed request, and nothing private', async () => {
    await context.db.raw('alter function queue_messages rename to queue_messages_away')
    expect(await send(line.webhookPath, messageBody({ toNumber: TO_NUMBER, text: TEXT }))).to.equal(500)
    const failed = web.log().filter(({ msg }) => msg === 'request.failed')
    expect(failed).to.have.length(1)
    expect(failed[0]).to.have.property('level', 'error')
    expect(JSON.stringify(failed[0])).to.match(/queue_messages/)
    expectNothingPrivate()
    expect(linesBeside()).to.deep.equal([])
  })
})
