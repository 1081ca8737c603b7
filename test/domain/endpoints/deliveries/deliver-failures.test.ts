import { expect } from 'chai'
import { type DeliverOutcome, deliver } from '../../../../src/domain/endpoints/deliveries/deliver.js'
import { describeContext, joinService } from '../../../helpers/context.js'
import { createLine, type TestLine } from '../../../helpers/factories.js'
import { startReceiver } from '../../../helpers/services/receiver.js'
import { openForEachTest, openForSuite } from '../../../helpers/suite.js'
import { HOSTILITIES, startHostileServer } from '../../../helpers/services/hostile-servers.js'
import {
  attemptRows,
  deliveryRow,
  dueAfterMs,
  receiveForDelivery,
  type DeliveryRow,
  deliverWhenDue,
} from '../../fixtures.js'

const BASE_MS = 1000
const DAY_MS = 24 * 3_600_000

const environment = { DELIVERY_RETRY_BASE_MS: String(BASE_MS) }

describeContext('a delivery that fails', { environment }, (context) => {
  const strict = joinService(context, { ALLOWED_PRIVATE_CIDRS: '' })
  /** Only for who never answers: on a busy machine a good receiver takes as long. */
  const impatient = joinService(context, { DELIVERY_TIMEOUT_MS: '300' })
  const receiver = openForEachTest(startReceiver)
  let delivery: DeliveryRow

  beforeEach(async () => {
    delivery = await receiveForDelivery(context, await createLine(context, { outgoingUrl: receiver.url }))
  })

  function attempt(by = context): Promise<DeliverOutcome> {
    return deliverWhenDue(by, delivery.id, delivery.endpoint_id)
  }

  async function failure(by = context): Promise<string> {
    const outcome = await attempt(by)
    if (outcome.kind !== 'retry') throw new Error(outcome.kind)
    const [row] = await attemptRows(context, delivery.id)
    expect(row!.failure).to.equal(outcome.failure)
    expect(await deliveryRow(context, delivery.id)).to.include({
      status: 'pending',
      attempt_count: 1,
      last_failure: outcome.failure,
      lease_until: null,
    })
    return outcome.failure
  }

  for (const status of [400, 401, 404, 500, 503]) {
    it(`is http_${status} for an answer of this status, whose beginning is kept`, async () => {
      receiver.answerWith((response) => response.writeHead(status).end('Oh no'))
      expect(await failure()).to.equal(`http_${status}`)
      const [row] = await attemptRows(context, delivery.id)
      expect(row).to.include({ attempt_number: 1, response_status: status, response_excerpt: 'Oh no' })
    })
  }

  it('is redirect for any 3xx, which is not followed', async () => {
    receiver.answerWith((response) => response.writeHead(307, { location: receiver.url }).end())
    expect(await failure()).to.equal('redirect')
    expect(receiver.requests).to.have.length(1)
  })

  it('is timeout when no answer comes in time', async () => {
    receiver.answerWith(() => undefined)
    expect(await failure(impatient)).to.equal('timeout')
    const [row] = await attemptRows(context, delivery.id)
    expect(row).to.include({ response_status: null, response_excerpt: null })
    expect(row!.duration_ms).to.be.within(250, 10_000)
  })

  it('is connect when nobody listens', async () => {
    await receiver.close()
    expect(await failure()).to.equal('connect')
  })

  it('is reset when the connection breaks before the answer', async () => {
    receiver.answerWith((response) => response.destroy())
    expect(await failure()).to.equal('reset')
  })

  it('costs no attempt when only the connection that was kept from the last event breaks', async () => {
    const kept = new WeakSet<object>()
    receiver.answerWith((response) => {
      const isKept = kept.has(response.socket!)
      kept.add(response.socket!)
      if (isKept) response.destroy()
      else response.end()
    })
    const line = await createLine(context, { outgoingUrl: receiver.url })
    for (let n = 0; n < 2; n++) {
      const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
      expect(await deliverWhenDue(context, id, endpointId)).to.deep.equal({ kind: 'delivered' })
      expect(await attemptRows(context, id)).to.have.length(1)
    }
    expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).to.satisfy(
      ([first, second, third]: string[]) => first !== second && second === third,
    )
  })

  it('is blocked_address when the address may not be called any more', async () => {
    expect(await failure(strict)).to.equal('blocked_address')
    expect(receiver.requests).to.deep.equal([])
  })

  describe('in the body of its answer only', () => {
    const server = openForEachTest(startHostileServer)

    beforeEach(async () => {
      const line = await createLine(context, { outgoingUrl: `${server.origin}/events` })
      delivery = await receiveForDelivery(context, line)
    })

    const bodies: [what: string, rest: string, excerpt: string, bodyFailure: string][] = [
      ['breaks off', 'Content-Length: 9\r\n\r\nok', 'ok', 'reset'],
      ['has a broken chunk', 'Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\nzz\r\n', 'ok', 'bad_response'],
    ]
    for (const [what, rest, excerpt, bodyFailure] of bodies) {
      it(`is delivered by a 2xx whose body ${what}`, async () => {
        server.behave((socket) => socket.end(`HTTP/1.1 200 OK\r\n${rest}`))
        expect(await attempt()).to.deep.equal({ kind: 'delivered' })
        const [row] = await attemptRows(context, delivery.id)
        expect(row).to.include({ response_status: 200, response_excerpt: excerpt, failure: null })
        expect(row).to.include({ body_failure: bodyFailure })
      })
    }

    it('is delivered by a 2xx whose body never ends, even if it is not to be retried after a timeout', async () => {
      server.behave((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nok'))
      const policy = JSON.stringify({ retryOnTimeout: false })
      await context.db('endpoints').where({ id: delivery.endpoint_id }).update({ policy })
      // So long that the head has come by then on a busy machine too.
      const config = { ...context.config, deliveryTimeoutMs: 3000 }
      expect(await attempt({ ...context, config })).to.deep.equal({ kind: 'delivered' })
      const [row] = await attemptRows(context, delivery.id)
      expect(row).to.include({ response_status: 200, response_excerpt: 'ok', body_failure: 'timeout' })
    })

    it('is delivered by a 204 with the length of a body that does not come', async () => {
      server.behave((socket) => socket.end('HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n'))
      expect(await attempt()).to.deep.equal({ kind: 'delivered' })
      const [row] = await attemptRows(context, delivery.id)
      expect(row).to.include({ response_status: 204, response_excerpt: '', body_failure: null })
    })

    const refusals: [status: string, header: string, outcome: DeliverOutcome][] = [
      ['503 Away', 'Retry-After: 3600', { kind: 'retry', ms: 3_600_000, failure: 'http_503' }],
      ['500 Oops', 'Webhook-Delivery: stop', { kind: 'exhausted', failure: 'stopped_by_receiver' }],
      ['410 Gone', 'Server: x', { kind: 'held' }],
    ]
    for (const [status, header, outcome] of refusals) {
      it(`is what a ${status} with ${header} says`, async () => {
        server.behave((socket) =>
          socket.end(`HTTP/1.1 ${status}\r\n${header}\r\nContent-Length: 9\r\n\r\nno`),
        )
        expect(await attempt()).to.deep.equal(outcome)
        const [row] = await attemptRows(context, delivery.id)
        expect(row).to.include({ response_status: Number.parseInt(status), response_excerpt: 'no' })
        expect(row).to.include({ body_failure: 'reset' })
      })
    }
  })

  it('is tried 10 times, with waits that grow by a factor of 4, and is exhausted then', async () => {
    receiver.answerWith((response) => response.writeHead(500).end())
    for (let n = 1; n <= 9; n += 1) {
      const since = Date.now()
      const outcome = await attempt()
      if (outcome.kind !== 'retry') throw new Error(`attempt ${n}: ${outcome.kind}`)
      const step = Math.min(BASE_MS * 4 ** (n - 1), DAY_MS)
      expect(outcome.ms).to.be.within(0.8 * step, 1.2 * step)
      const dueMs = await dueAfterMs(context, 'deliveries', delivery.id, since)
      expect(dueMs).to.be.within(outcome.ms - 5, outcome.ms + 10_000)
      const { next_attempt_at: nextAt } = (await attemptRows(context, delivery.id)).at(-1)!
      expect(nextAt!.getTime() - since).to.be.closeTo(dueMs, 1000)
    }
    expect(await attempt()).to.deep.equal({ kind: 'exhausted', failure: 'http_500' })
    expect(await deliveryRow(context, delivery.id)).to.include({
      status: 'exhausted',
      attempt_count: 10,
      last_failure: 'http_500',
      delivered_at: null,
    })
    const attempts = await attemptRows(context, delivery.id)
    expect(attempts.map(({ attempt_number: number }) => number)).to.deep.equal([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ])
    expect(attempts.slice(0, 9).every(({ next_attempt_at: at }) => at !== null)).to.equal(true)
    expect(attempts[9]!.next_attempt_at).to.equal(null)

    expect(await attempt()).to.deep.equal({ kind: 'skipped' })
    expect(receiver.requests).to.have.length(10)
  })

  it('is delivered when a later attempt succeeds', async () => {
    receiver.answerWith((response) => response.writeHead(500).end())
    await attempt()
    receiver.answerWith((response) => response.writeHead(200).end())
    expect(await attempt()).to.deep.equal({ kind: 'delivered' })
    expect(await deliveryRow(context, delivery.id)).to.include({
      status: 'delivered',
      attempt_count: 2,
      last_failure: null,
    })
    const attempts = await attemptRows(context, delivery.id)
    expect(attempts.map(({ failure: name }) => name)).to.deep.equal(['http_500', null])
  })

  for (const status of [429, 503]) {
    it(`waits as long as Retry-After says on ${status}`, async () => {
      receiver.answerWith((response) => response.writeHead(status, { 'retry-after': '3600' }).end())
      expect(await attempt()).to.deep.equal({ kind: 'retry', ms: 3_600_000, failure: `http_${status}` })
      expect(await dueAfterMs(context, 'deliveries', delivery.id, Date.now())).to.be.within(
        3_590_000,
        3_600_000,
      )
    })
  }

  it('does not heed Retry-After on 500', async () => {
    receiver.answerWith((response) => response.writeHead(500, { 'retry-after': '3600' }).end())
    expect(await attempt())
      .to.have.property('ms')
      .within(0.8 * BASE_MS, 1.2 * BASE_MS)
  })

  describe('deliver, to servers that close and lie', () => {
    const server = openForSuite(startHostileServer)
    let line: TestLine

    before(async () => {
      line = await createLine(context, { outgoingUrl: `${server.origin}/events` })
    })

    // mocha fails a test for what is thrown outside of its promises.
    for (const [what, behave] of HOSTILITIES) {
      it(`has an outcome by name at one that ${what}`, async () => {
        server.behave(behave)
        const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
        const { kind } = await deliver(impatient, id, endpointId)
        const row = await deliveryRow(context, id)
        expect([kind, row.status]).to.deep.equal(
          row.last_failure === null ? ['delivered', 'delivered'] : ['retry', 'pending'],
        )
        expect(row.last_failure ?? 'reset').to.match(
          /^(reset|bad_response|too_large|timeout|network|redirect|http_\d+)$/,
        )
      })
    }
  })
})
