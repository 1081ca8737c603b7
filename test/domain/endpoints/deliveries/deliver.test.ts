import { expect } from 'chai'
import type { ClaimedDelivery as Claimed } from '../../../../src/database/endpoints/deliveries/delivering.js'
import type { Context } from '../../../../src/domain/context.js'
import { deliver } from '../../../../src/domain/endpoints/deliveries/deliver.js'
import { sweep } from '../../../../src/domain/sweep.js'
import { newSigningSecret } from '../../../../src/secrets.js'
import { describeContext, joinService } from '../../../helpers/context.js'
import { lineForEachTest } from '../../../helpers/factories.js'
import { startReceiver } from '../../../helpers/services/receiver.js'
import { openForEachTest } from '../../../helpers/suite.js'
import { until } from '../../../helpers/until.js'
import {
  attemptRows,
  changeRows,
  claimDelivery,
  deliverWhenDue,
  deliveryRow,
  loseWorker,
  receiveForDelivery,
  textEventOf,
  verifyEvent,
  type DeliveryRow,
} from '../../fixtures.js'

describeContext('an attempt to deliver an event', (context) => {
  const sameService = joinService(context, { PRODUCT_WORD: 'burner' })
  const receiver = openForEachTest(startReceiver)
  let delivery: DeliveryRow

  const line = lineForEachTest(context, () => ({ outgoingUrl: receiver.url }))
  beforeEach(async () => {
    delivery = await receiveForDelivery(context, line)
  })

  const attempt = (by = context) => deliver(by, delivery.id, delivery.endpoint_id)
  const attemptWhenDue = (by = context) => deliverWhenDue(by, delivery.id, delivery.endpoint_id)
  const row = () => deliveryRow(context, delivery.id)
  const attempts = () => attemptRows(context, delivery.id)

  it('posts the event’s six fields as JSON and notes the success', async () => {
    expect(await attempt()).to.deep.equal({ kind: 'delivered' })
    expect(receiver.requests.map(({ body }) => JSON.parse(body) as object)).to.deep.equal([textEventOf(line)])
    const delivered = await row()
    expect(delivered).to.include({ status: 'delivered', attempt_count: 1, last_failure: null })
    expect(delivered).to.have.property('lease_until', null)
    expect(delivered.delivered_at).to.be.a('date')
    const [first, ...others] = await attempts()
    expect(others).to.deep.equal([])
    expect(first).to.include({ attempt_number: 1, failure: null, next_attempt_at: null })
    expect(first).to.include({ response_status: 200, response_excerpt: 'ok' })
    expect(first!.duration_ms).to.be.within(0, 20_000)
  })

  it('says the line’s field in the product’s word', async () => {
    await attempt(sameService)
    const { lineId, ...others } = textEventOf(line)
    expect(JSON.parse(receiver.requests[0]!.body)).to.deep.equal({ ...others, burnerId: lineId })
  })

  it('sends these headers and no others', async () => {
    await attempt()
    const { headers, body } = receiver.requests[0]!
    expect(Object.keys(headers)).to.have.members([
      ...['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp', 'webhook-signature'],
      ...['connection', 'content-length', 'host'],
    ])
    expect(headers['content-type']).to.equal('application/json')
    expect(headers['user-agent']).to.equal(`Linehook/${context.config.version}`)
    expect(headers['content-length']).to.equal(String(Buffer.byteLength(body)))
  })

  it('waits for no other endpoint at the same host, although all of them hang', async () => {
    const { config, safeFetch } = context
    const isHanging = ({ path }: { path: string }) => path === '/hanging'
    receiver.answerWith((response, request) => isHanging(request) || response.end())
    const stop = new AbortController()
    const url = `http://127.0.0.1:${receiver.port}/hanging`
    const others = Array.from({ length: config.deliverConcurrency }, () =>
      safeFetch.request(url, { signal: stop.signal }).catch(() => undefined),
    )
    await until('all hang', () => receiver.requests.filter(isHanging).length === others.length)
    expect(await attempt()).to.deep.equal({ kind: 'delivered' })
    stop.abort()
    await Promise.all(others)
  })

  it('signs so that a Standard Webhooks library verifies it, and only under the line’s secret', async () => {
    await attempt()
    const request = receiver.requests[0]!
    expect(request.headers['webhook-id']).to.equal(delivery.event_id)
    expect(verifyEvent(request, line.signingSecret)).to.deep.equal(JSON.parse(request.body))
    expect(() => verifyEvent(request, newSigningSecret())).to.throw('No matching signature')
    const changed = { ...request, body: request.body.replace('Hi', 'Ho') }
    expect(() => verifyEvent(changed, line.signingSecret)).to.throw()
  })

  it('sends the same webhook-id and the same bytes every time', async () => {
    receiver.answerWith((response) => response.writeHead(500).end())
    for (let n = 0; n < 3; n += 1) expect(await attemptWhenDue()).to.include({ kind: 'retry' })
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).to.equal(1)
    expect(new Set(receiver.requests.map(({ body }) => body)).size).to.equal(1)
    for (const request of receiver.requests) verifyEvent(request, line.signingSecret)
  })

  for (const status of [201, 202, 204, 299]) {
    it(`takes ${status} for a success`, async () => {
      receiver.answerWith((response) => response.writeHead(status).end())
      expect(await attempt()).to.deep.equal({ kind: 'delivered' })
    })
  }

  it('keeps 16 KiB of the answer, and no NUL', async () => {
    receiver.answerWith((response) => response.end(`\0start ${'é'.repeat(30_000)}`))
    expect(await attempt()).to.deep.equal({ kind: 'delivered' })
    const [{ response_excerpt: excerpt } = { response_excerpt: null }] = await attempts()
    expect(excerpt).to.match(/^start é+\ufffd?$/)
    expect(Buffer.byteLength(excerpt!)).to.be.within(16_000, 16 * 1024 + 2)
  })

  it('is one when two processes work on the same delivery at the same time', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, n) => attemptWhenDue(n % 2 === 0 ? context : sameService)),
    )
    expect(outcomes.filter(({ kind }) => kind === 'delivered')).to.have.length(1)
    expect(outcomes.filter(({ kind }) => kind === 'skipped')).to.have.length(7)
    expect(receiver.requests).to.have.length(1)
    expect(await attempts()).to.have.length(1)
  })

  for (const status of ['delivering', 'delivered', 'exhausted', 'held']) {
    it(`leaves a delivery alone that is ${status}`, async () => {
      await changeRows(context, 'deliveries', delivery.id, { status })
      const before = await row()
      expect(await attemptWhenDue()).to.deep.equal({ kind: 'skipped' })
      expect(await row()).to.deep.equal(before)
      expect(receiver.requests).to.deep.equal([])
    })
  }

  describe('of a worker whose clock tells another time', () => {
    /** Between the claim and the request something happens to what was claimed. */
    function afterClaim(change: (claimed: Claimed) => Claimed): Context {
      const deliverNext: Context['batched']['deliverNext'] = async (step) => {
        const answer = await context.batched.deliverNext(step)
        return { ...answer, deliveries: answer.deliveries.map(change) }
      }
      return { ...context, batched: { ...context.batched, deliverNext } }
    }

    it('does nothing when it comes before the retry is due, and says for how long', async () => {
      receiver.answerWith((response) => response.writeHead(500).end())
      const first = await attempt()
      if (first.kind !== 'retry') throw new Error(first.kind)
      const early = await attempt()
      if (early.kind !== 'early') throw new Error(early.kind)
      expect(early.ms).to.be.within(1, first.ms)
      expect(receiver.requests).to.have.length(1)
      expect(await row()).to.include({ status: 'pending', attempt_count: 1 })
      expect(await attemptWhenDue()).to.include({ kind: 'retry' })
    })

    it('sends nothing when its process was stopped after the claim, and uses up no attempt', async () => {
      const realNow = performance.now.bind(performance)
      const stopped = afterClaim((claimed) => {
        performance.now = () => realNow() + 30_000
        return claimed
      })
      try {
        expect(await attempt(stopped)).to.deep.equal({ kind: 'early', ms: 0 })
      } finally {
        performance.now = realNow
      }
      expect(receiver.requests).to.have.length(0)
      expect(await row()).to.include({ status: 'pending', round_attempt_count: 0 })
      expect(await attempt()).to.deep.equal({ kind: 'delivered' })
    })

    it('signs with the time of Postgres, which receivers compare with theirs', async () => {
      const other = afterClaim((claimed) => {
        expect(Math.abs(claimed.claimedAt.getTime() - Date.now())).to.be.below(60_000)
        return { ...claimed, claimedAt: new Date('2026-01-02T03:04:05Z') }
      })
      expect(await attempt(other)).to.deep.equal({ kind: 'delivered' })
      expect(receiver.requests[0]!.headers['webhook-timestamp']).to.equal('1767323045')
    })
  })

  describe('that ends after its lease', () => {
    /** While the endpoint answers, the lease ends and the sweeper takes the delivery back. */
    function answerLate(status: number, meanwhile: () => Promise<unknown> = () => Promise.resolve()): void {
      receiver.answerWith((response) => {
        void loseWorker(context, 'deliveries', [delivery.id])
          .then(() => sweep(context))
          .then(meanwhile)
          .then(() => response.writeHead(status).end())
      })
    }

    const failures = async () => (await attempts()).map(({ failure }) => failure)

    it('counts when it is a success: the event is not delivered again', async () => {
      answerLate(200)
      expect(await attempt()).to.deep.equal({ kind: 'delivered' })
      expect(await row()).to.include({ status: 'delivered', attempt_count: 1 })
      expect(await failures()).to.have.members(['worker_lost', null])
      expect(await attempt()).to.deep.equal({ kind: 'skipped' })
    })

    it('is recorded but changes nothing when it is a failure: the next attempt is due', async () => {
      answerLate(500)
      await attempt()
      expect(await row()).to.include({ status: 'pending', attempt_count: 1, last_failure: 'worker_lost' })
      expect(await failures()).to.have.members(['worker_lost', 'http_500'])
    })

    it('changes nothing about a later attempt that is under way', async () => {
      let isLater = false
      answerLate(200, async () => {
        if (isLater) return
        isLater = true
        await claimDelivery(context, delivery.id)
      })
      await attempt()
      expect(await row()).to.include({ status: 'delivering', attempt_count: 2 })
      expect(await failures()).to.have.members(['worker_lost', null])
    })
  })
})
