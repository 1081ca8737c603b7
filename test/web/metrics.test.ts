import { expect } from 'chai'
import { ensurePartitions } from '../../src/database/partitions.js'
import type { Context } from '../../src/domain/context.js'
import { postMessage } from '../../src/domain/messages/post.js'
import { createStoreReadings } from '../../src/domain/operating/store-readings.js'
import { scrape } from '../../src/telemetry/metrics.js'
import { startProxy } from '../database/proxy.js'
import { ANNA, BEN, CLEO, queueMessage } from '../domain/fixtures.js'
import { describeContext, createTestContext } from '../helpers/context.js'
import { createEnvironment } from '../helpers/process/environment.js'
import { createLine, messageBody } from '../helpers/factories.js'
import { findMetric, parseMetrics, risesOf, type Sample } from '../helpers/metrics.js'
import { startOwnRedis } from '../helpers/services/redis.js'
import { until } from '../helpers/until.js'
import { describeWeb } from '../helpers/web/web.js'
import { expectAccepted, newNumber } from './support.js'

const TOKEN = 'qX4vT9zLm2Rk7WcBn5HdYf8J'
const AUTHORIZED = { headers: { Authorization: `Bearer ${TOKEN}` } }

describeWeb('/metrics without METRICS_TOKEN', ({ web }) => {
  it('is not there', async () => {
    expect((await web.request('/metrics', AUTHORIZED)).status).to.equal(404)
  })
})

describeWeb('/metrics', { environment: { METRICS_TOKEN: TOKEN } }, ({ context, web }) => {
  it('wants the token, as a bearer token and nowhere else', async () => {
    for (const [path, headers] of [
      ['/metrics', {}],
      [`/metrics?token=${TOKEN}`, {}],
      ['/metrics', { Authorization: `Basic ${btoa(`operator:${TOKEN}`)}` }],
      ['/metrics', { Authorization: `Bearer ${TOKEN}x` }],
      ['/metrics', { Authorization: 'Bearer ' }],
    ] as const) {
      const answer = await web.request(path, { headers })
      expect(answer.status, JSON.stringify(headers)).to.equal(401)
      expect(answer.headers.get('www-authenticate')).to.equal('Bearer realm="Linehook metrics"')
      expect(answer.text).not.to.include('linehook_')
    }
    const answer = await web.request('/metrics', AUTHORIZED)
    expect([answer.status, answer.headers.get('content-type')]).to.deep.equal([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ])
  })

  it('counts requests by the pattern of their route and by status', async () => {
    const { webhookPath, lineId } = await createLine(context)
    const route = '/webhooks/lineId/:lineId'
    const rises = await risesOf(
      [
        ['linehook_http_requests_total', { method: 'POST', route, status: '200' }],
        ['linehook_http_requests_total', { method: 'POST', route, status: '403' }],
        ['linehook_http_requests_total', { method: 'GET', route: '/v1/lines/:lineId', status: '401' }],
        ['linehook_http_requests_total', { method: 'GET', route: 'none', status: '404' }],
        ['linehook_http_requests_total', { method: 'DELETE', route: 'none', status: '405' }],
        ['linehook_http_request_duration_seconds_count', { method: 'POST', route }],
      ],
      async () => {
        expectAccepted(await web.post(webhookPath, messageBody()))
        await web.post(`${webhookPath}x`, messageBody())
        await web.request(`/v1/lines/${lineId}`)
        await web.request(`/no/such/path/${lineId}`)
        await web.request('/healthz', { method: 'DELETE' })
      },
    )
    expect(rises).to.deep.equal([1, 1, 1, 1, 1, 2])
  })

  it('counts each accepted message, and each refusal by its reason, once', async () => {
    const { webhookPath } = await createLine(context)
    const toNumber = newNumber()
    const post = (body: unknown, path = webhookPath, headers = {}) => web.post(path, body, headers)
    const outcomes = [
      ['accepted', 6],
      ['replayed', 1],
      ['rate_limited', 2],
      ['key_reused', 1],
      ['wrong_token', 1],
      ['no_webhook', 1],
      ['intent', 2],
      ['fields', 1],
      ['too_long', 1],
      ['not_a_number', 1],
      ['too_large', 1],
      ['other', 0],
      ['internal_error', 0],
    ] as const
    const rises = await risesOf(
      outcomes.map(
        ([outcome]) => ['linehook_message_requests_total', { source: 'webhook', outcome }] as const,
      ),
      async () => {
        for (let n = 0; n < 7; n += 1) await post(messageBody({ toNumber }))
        const key = { 'Idempotency-Key': 'one' }
        await post(messageBody({ toNumber: BEN }), webhookPath, key)
        await post(messageBody({ toNumber: BEN }), webhookPath, key)
        await post(messageBody({ toNumber: CLEO }), webhookPath, key)
        await post(messageBody(), `${webhookPath}x`)
        await post(
          messageBody(),
          webhookPath.replace(/[0-9a-f]{4}(?=\?)/, (end) => (end === '0000' ? '1111' : '0000')),
        )
        await post('{')
        await post({ intent: 'other' })
        await post(messageBody({ text: '' }))
        await post(messageBody({ text: 'x'.repeat(1601) }))
        await post(messageBody({ toNumber: 'nobody' }))
        await post(messageBody({ text: 'x'.repeat(70_000) }))
      },
    )
    expect(rises).to.deep.equal(outcomes.map(([, count]) => count))
  })

  it('counts messages of the console and of programs by their source, refused ones too', async () => {
    const { userId, lineId } = await createLine(context)
    const message = {
      ...{ userId, lineId, applicationId: undefined, mediaUrl: undefined, idempotencyKey: undefined },
      ...{ toNumber: ANNA, text: 'Hello' },
    }
    const counted = (source: string, outcome: string) =>
      ['linehook_message_requests_total', { source, outcome }] as const
    const rises = await risesOf(
      [
        counted('api', 'accepted'),
        counted('console', 'accepted'),
        counted('api', 'not_a_number'),
        counted('api', 'other'),
      ],
      async () => {
        await postMessage(context, message)
        await postMessage(context, { ...message, isFromConsole: true })
        await postMessage(context, { ...message, toNumber: 'nobody' }).catch(() => undefined)
        await postMessage(context, { ...message, text: '' }).catch(() => undefined)
      },
    )
    expect(rises).to.deep.equal([1, 1, 1, 1])
  })

  it('contains nothing chosen by users: no number, ID or token', async () => {
    const line = await createLine(context)
    await web.post(line.webhookPath, messageBody({ toNumber: ANNA }))
    await web.post('/simulator/inbound', { fromNumber: ANNA, toNumber: line.number, text: 'Hi' })
    await web.request(`/v1/lines/${line.lineId}`)
    await web.request(`/media/${line.token}`)
    await web.request(`/simulator/phones/${ANNA.slice(1)}/messages`, { method: 'POST' })
    const { text } = await web.request('/metrics', AUTHORIZED)
    const labels = text.match(/\{.*\}/g)?.join('\n') ?? ''
    for (const secret of [line.token, line.lineId, line.userId, line.number.slice(1), ANNA.slice(1)]) {
      expect(labels).not.to.include(secret)
    }
    expect(labels).not.to.match(/\d{7}|[0-9a-f]{8}-[0-9a-f]{4}/)
  })
})

/** As `/metrics` has it: what is read of the stores, and the rest. */
async function readWith(read: () => Promise<void>): Promise<Sample[]> {
  await read()
  return parseMetrics((await scrape()).text)
}

describeContext('metrics of the stores', (context) => {
  const fresh = { freshMs: 0, patienceMs: 30_000 }
  const read = () => readWith(createStoreReadings(context, fresh))

  it('report that both are up, and that Redis keeps its data', async () => {
    const samples = await read()
    for (const store of ['postgres', 'redis'])
      expect(findMetric(samples, 'linehook_store_up', { store }), store).to.equal(1)
    for (const check of ['noeviction', 'appendonly', 'written'])
      expect(findMetric(samples, 'linehook_redis_safe', { check }), check).to.equal(1)
  })

  it('counts rows that wait, and says for how long the oldest is due', async () => {
    const line = await createLine(context)
    const since = (seconds: number) => context.db.raw(`now() - make_interval(secs => ${seconds})`)
    const ofMessages = async () => {
      const samples = await read()
      return ['linehook_queue_rows', 'linehook_queue_oldest_seconds'].map((name) =>
        findMetric(samples, name, { queue: 'send-message' }),
      )
    }
    expect(await ofMessages()).to.deep.equal([0, 0])
    // One that waits for its place, and one behind it.
    const later = { not_before: context.db.raw(`now() + interval '1 minute'`), created_at: since(900) }
    await queueMessage(context, line, { to_number: ANNA, ...later })
    await queueMessage(context, line, { to_number: ANNA, created_at: since(800) })
    expect(await ofMessages()).to.deep.equal([2, 0])
    await queueMessage(context, line, { to_number: BEN, created_at: since(700), not_before: since(300) })
    await queueMessage(context, line, { to_number: CLEO, created_at: since(200) })
    const [count, oldest] = await ofMessages()
    expect(count).to.equal(4)
    expect(oldest).to.be.within(300, 400)
  })

  it('counts jobs by queue and state, and workers', async () => {
    await context.queues.enqueueMessages([{ id: '018f0000-0000-7000-8000-000000000001', generation: 0 }])
    const samples = await read()
    const labels = { queue: 'send-message' }
    expect(findMetric(samples, 'linehook_queue_jobs', { ...labels, state: 'waiting' })).to.equal(1)
    expect(findMetric(samples, 'linehook_queue_jobs', { ...labels, state: 'failed' })).to.equal(0)
    expect(findMetric(samples, 'linehook_queue_workers', labels)).to.equal(0)
  })

  it('says how many months ahead have partitions', async () => {
    // Another month may have begun since the database was made.
    await ensurePartitions(context.db)
    const samples = await read()
    expect(findMetric(samples, 'linehook_partitions_ahead_months', { table: 'messages' })).to.equal(2)
    await context.db.raw(`drop table messages_${nextMonth()}`)
    const after = await read()
    expect(findMetric(after, 'linehook_partitions_ahead_months', { table: 'messages' })).to.equal(0)
    expect(findMetric(after, 'linehook_partitions_ahead_months', { table: 'events' })).to.equal(2)
  })

  it('query the stores no more often than allowed', async () => {
    const readStores = createStoreReadings(context, { freshMs: 600_000, patienceMs: 30_000 })
    const line = await createLine(context)
    const rows = async () =>
      findMetric(await readWith(readStores), 'linehook_queue_rows', { queue: 'send-message' })
    const before = await rows()
    await queueMessage(context, line)
    expect(await rows()).to.equal(before)
  })

  it('leaves out a part that cannot be read, and shows the others', async () => {
    await context.db.raw('alter table endpoints rename to endpoints_away')
    try {
      const samples = await read()
      expect(findMetric(samples, 'linehook_endpoints')).to.equal(undefined)
      expect(findMetric(samples, 'linehook_store_up', { store: 'postgres' })).to.equal(1)
      expect(findMetric(samples, 'linehook_queue_rows')).to.be.a('number')
    } finally {
      await context.db.raw('alter table endpoints_away rename to endpoints')
    }
  })
})

describe('metrics of unavailable stores', () => {
  const patience = { freshMs: 0, patienceMs: 500 }
  /** The patience, and the rest for a busy machine. */
  const SOON_MS = 20_000
  /** Nothing else would end the wait. */
  const ENDLESS = { statementTimeoutMs: 30_000, acquireTimeoutMs: 30_000 }

  async function expectDown(context: Context, store: 'postgres' | 'redis'): Promise<void> {
    const startedAt = performance.now()
    const samples = await readWith(createStoreReadings(context, patience))
    expect(performance.now() - startedAt).to.be.below(SOON_MS)
    expect(findMetric(samples, 'linehook_store_up', { store })).to.equal(0)
    const [rows, jobs] = ['linehook_queue_rows', 'linehook_queue_jobs'] as const
    const [ofIt, ofOther] = store === 'postgres' ? [rows, jobs] : [jobs, rows]
    expect(findMetric(samples, ofIt), 'what was read of it before').to.equal(undefined)
    await until('the other one answers in time', async () => {
      const again = await readWith(createStoreReadings(context, patience))
      return findMetric(again, ofOther) !== undefined
    })
  }

  for (const [what, goAway] of [
    ['is not there', 'goDown'],
    ['does not answer', 'freeze'],
  ] as const) {
    it(`a Postgres that ${what} does not delay the response, which reports it`, async () => {
      const environment = await createEnvironment()
      const proxy = await startProxy(environment.DATABASE_URL!)
      const context = await createTestContext({ ...environment, DATABASE_URL: proxy.url }, ENDLESS)
      try {
        await readWith(createStoreReadings(context, patience))
        proxy[goAway]()
        await expectDown(context, 'postgres')
        proxy.goUp()
        await until('it is up again', async () => {
          const samples = await readWith(createStoreReadings(context, patience))
          return findMetric(samples, 'linehook_store_up', { store: 'postgres' }) === 1
        })
      } finally {
        await context.close()
        await proxy.close()
      }
    })
  }

  it('a Redis that hangs does not delay the response, which reports it', async () => {
    const redis = await startOwnRedis()
    const context = await createTestContext({ REDIS_URL: redis.url })
    try {
      await readWith(createStoreReadings(context, patience))
      redis.hang()
      await expectDown(context, 'redis')
      redis.wake()
      await until('it is up again', async () => {
        const samples = await readWith(createStoreReadings(context, patience))
        return findMetric(samples, 'linehook_store_up', { store: 'redis' }) === 1
      })
    } finally {
      redis.wake()
      await context.close()
      await redis.remove()
    }
  })
})

function nextMonth(): string {
  const now = new Date()
  const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
  return next.toISOString().slice(0, 7).replace('-', '')
}
