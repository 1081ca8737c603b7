import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { disconnect } from '../../src/domain/lines/connections.js'
import { freePort } from '../../dev/services/free-port.js'
import { addEndpoint } from '../../src/domain/endpoints/endpoints.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { startProcess, type RunningProcess } from '../helpers/process/processes.js'
import { startReceiver, type Receiver } from '../helpers/services/receiver.js'
import { until } from '../helpers/until.js'
import { describeInstallation } from './support/installation.js'
import { endLeases, numbers, textTo } from './support/steps.js'

const [friend = ''] = numbers(1)

const SETUP = {
  processes: ['web', 'deliver-event', 'maintenance'],
  environment: { DELIVERY_RETRY_BASE_MS: '100' },
} as const

describeInstallation('journey: an event whose receiver or worker fails', SETUP, (installation) => {
  const { environment, context, running } = installation
  let worker: RunningProcess
  let receiver: Receiver

  before(() => {
    worker = running.processes[1]!
  })

  beforeEach(async () => {
    // Of nobody else while it is down.
    receiver = await startReceiver(await freePort())
  })

  afterEach(() => receiver.close())

  async function attempts(line: TestLine) {
    const rows: { number: number; failure: string | null; status: number | null; waitMs: number | null }[] =
      await context
        .db('delivery_attempts as a')
        .join('deliveries as d', 'd.id', 'a.delivery_id')
        .where('d.line_id', line.lineId)
        .orderBy('a.attempt_number')
        .select({
          number: 'a.attempt_number',
          failure: 'a.failure',
          status: 'a.response_status',
          waitMs: context.db.raw(
            `(extract(epoch from a.next_attempt_at - a.started_at) * 1000)::integer - a.duration_ms`,
          ),
        })
    return rows
  }

  async function isDelivered(line: TestLine): Promise<boolean> {
    const row: { status: string } | undefined = await context
      .db('deliveries')
      .where({ line_id: line.lineId })
      .first('status')
    return row?.status === 'delivered'
  }

  const webhookIds = () => new Set(receiver.requests.map(({ headers }) => headers['webhook-id']))

  it('a receiver that fails, goes down and comes back gets the event under one webhook-id', async () => {
    const line = await createLine(context, { outgoingUrl: receiver.url })
    const { port, requests, leave } = receiver
    let left: Promise<void> | undefined
    receiver.answerWith((response) => {
      // Nobody listens any more when the worker hears of its second failure, so the third attempt finds nobody.
      if (requests.length === 2) left = leave()
      response.writeHead(500, { Connection: 'close' }).end()
    })
    await textTo(running.url, { fromNumber: friend, toNumber: line.number, text: 'Are you there?' })
    await until('an attempt finds nobody', async () => (await attempts(line)).length >= 3)
    await left

    receiver = await startReceiver(port)
    receiver.requests.push(...requests)
    await until('it is delivered', () => isDelivered(line))

    const made = await attempts(line)
    // On a busy machine more than one of them may have found nobody.
    const { length } = made
    expect(made.map(({ number, failure, status }) => [number, failure, status])).to.deep.equal([
      [1, 'http_500', 500],
      [2, 'http_500', 500],
      ...Array.from({ length: length - 3 }, (_, n) => [3 + n, 'connect', null]),
      [length, null, 200],
    ])
    expect(length).to.be.at.least(4)
    expect(receiver.requests).to.have.length(3)
    expect(webhookIds()).to.have.property('size', 1)

    const attempted = () => worker.log().filter(({ msg }) => msg === 'delivery.attempted')
    const logged = await until('all attempts are logged', () => attempted().length === length && attempted())
    expect(logged.map(({ attempt, outcome }) => [attempt, outcome])).to.deep.equal([
      ...Array.from({ length: length - 1 }, (_, n) => [1 + n, 'retry']),
      [length, 'delivered'],
    ])
    const loggedWaits = logged.slice(0, 3).map(({ retryInMs }) => Number(retryInMs))
    expect(loggedWaits[0]).to.be.within(80, 120)
    expect(loggedWaits[1]).to.be.within(320, 480)
    expect(loggedWaits[2]).to.be.within(1280, 1920)
    // Counted from when the attempt was recorded. Both are rounded to milliseconds.
    for (const [n, waitMs] of loggedWaits.entries()) expect(made[n]?.waitMs).to.be.at.least(waitMs - 1)
  })

  it('the next worker takes over the event of a worker killed during a request, under the same webhook-id', async () => {
    const line = await createLine(context, { outgoingUrl: receiver.url })
    let isHanging = true
    receiver.answerWith((response) => {
      if (!isHanging) response.end('ok')
    })
    await textTo(running.url, { fromNumber: friend, toNumber: line.number, text: 'Hold the line' })
    await until('the request arrives', () => receiver.requests.length === 1)
    await worker.kill('SIGKILL')

    isHanging = false
    await endLeases(context, 'deliveries')
    worker = await startProcess('deliver-event', environment)
    await until('it is delivered', () => isDelivered(line))

    expect(receiver.requests).to.have.length(2)
    expect(webhookIds()).to.have.property('size', 1)
    expect((await attempts(line)).map(({ number, failure }) => [number, failure])).to.deep.equal([
      [1, 'worker_lost'],
      [2, null],
    ])
  })

  it('while one of three endpoints hangs and one fails, the third gets every event, signed with its own secret', async () => {
    const count = 20
    const line = await createLine(context, { outgoingUrl: `${receiver.url}?hangs` })
    const add = (what: string) =>
      addEndpoint(context, line.userId, { lineId: line.lineId }, { url: `${receiver.url}?${what}` })
    const failing = await add('fails')
    const working = await add('works')
    receiver.answerWith((response, { path }) => {
      if (path.endsWith('?fails')) response.statusCode = 500
      if (!path.endsWith('?hangs')) response.end()
    })
    const requestsAt = (what: string) => receiver.requests.filter(({ path }) => path.endsWith(`?${what}`))
    for (let n = 0; n < count; n += 1) {
      const text = `Text ${n}`
      expect(await textTo(running.url, { fromNumber: friend, toNumber: line.number, text })).to.equal(200)
    }
    const statusesOf = async (endpointId: string) =>
      new Set(await context.db('deliveries').where({ endpoint_id: endpointId }).pluck<string[]>('status'))
    await until('the third has taken all', async () => {
      const statuses = await statusesOf(working.endpoint.id)
      return statuses.size === 1 && statuses.has('delivered')
    })
    expect(requestsAt('works')).to.have.length(count)
    expect(await statusesOf(failing.endpoint.id)).not.to.include('delivered')
    await until(
      'the others were called too',
      () => requestsAt('hangs').length > 0 && requestsAt('fails').length > 0,
    )

    for (const [what, secret] of [
      ['hangs', line.signingSecret],
      ['fails', failing.signingSecret],
      ['works', working.signingSecret],
    ] as const) {
      for (const { headers, body } of requestsAt(what)) {
        new Webhook(secret).verify(body, headers as Record<string, string>)
      }
    }
    const ids = requestsAt('works').map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids).size).to.equal(count)
    for (const { headers } of receiver.requests) expect(ids).to.include(headers['webhook-id'])
    await disconnect(context, line.userId, line.lineId)
    expect(await statusesOf(working.endpoint.id)).to.deep.equal(new Set(['delivered']))
    await until('what waited for the one that fails has ended', async () => {
      const statuses = await statusesOf(failing.endpoint.id)
      return statuses.size === 1 && statuses.has('exhausted')
    })
  })
})
