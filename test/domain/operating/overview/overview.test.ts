import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getOwnLine } from '../../../../src/domain/lines/lines.js'
import { expect } from 'chai'
import type { Worker } from 'bullmq'
import { countUnhealthyEndpoints } from '../../../../src/database/endpoints/endpoints.js'
import { ensurePartitions } from '../../../../src/database/partitions.js'
import { getCarrierAccount } from '../../../../src/domain/carriers/carrier-accounts.js'
import type { Context } from '../../../../src/domain/context.js'
import { listEndpoints } from '../../../../src/domain/endpoints/endpoints.js'
import {
  pauseEndpoint,
  COMMAND_LINE,
  pauseAllSending,
  pauseCarrierAccount,
  pauseLine,
  resumeAllSending,
  resumeCarrierAccount,
  resumeLine,
} from '../../../../src/domain/operating/pauses.js'
import { countNewestMinutes } from '../../../../src/domain/operating/overview/count-minutes.js'
import { createOverviewReader, type Overview } from '../../../../src/domain/operating/overview/overview.js'
import { newId } from '../../../../src/ids.js'
import type { QueueName } from '../../../../src/queues/queues.js'
import { startProxy, type Proxy } from '../../../database/proxy.js'
import { createTestContext } from '../../../helpers/context.js'
import { createLine, type TestLine } from '../../../helpers/factories.js'
import { startIdleWorker } from '../../../helpers/process/idle-worker.js'
import { openings } from '../../../helpers/openings.js'
import { startOwnRedis, type OwnRedis } from '../../../helpers/services/redis.js'
import { createTestDatabase } from '../../../helpers/services/services.js'
import { until } from '../../../helpers/until.js'
import { ahead, changeRows, ago, makeOverdue, queueMessage, receiveForDelivery } from '../../fixtures.js'
import { addSmppAccount } from '../../carriers/smpp/fixtures.js'

const QUEUES: QueueName[] = ['send-message', 'deliver-event', 'fetch-media', 'maintenance']
/** What is wrong is seen within so long. */
const SEEN_MS = 10_000

describe('the overview', () => {
  let context: Context
  let redis: OwnRedis
  let postgres: Proxy
  let line: TestLine
  let folder: string
  const workers = new Map<QueueName, Worker>()
  const open = openings()

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'linehook-overview-'))
    ;[redis, postgres] = await Promise.all([startOwnRedis(), startProxy(await createTestDatabase())])
    context = await open(
      createTestContext({
        ...{ REDIS_URL: redis.url, DATABASE_URL: postgres.url, MEDIA_FOLDER: join(folder, 'media') },
        // Nobody looks at what it says of a Postgres that is away.
        LOG_LEVEL: 'silent',
      }),
    )
    for (const name of QUEUES) await startWorker(name)
  })

  beforeEach(async () => {
    const { db } = context
    await db.raw('truncate messages, events, deliveries, delivery_attempts, media, traffic_counts')
    await db('carrier_accounts').where({ kind: 'smpp' }).delete()
    await db('developer_connections').delete()
    line = await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/secret-path' })
    await countNewestMinutes(context)
  })

  after(async () => {
    for (const name of QUEUES) await stopWorker(name)
    rmSync(folder, { recursive: true, force: true })
    await postgres.close()
    await redis.remove()
  })

  async function startWorker(name: QueueName): Promise<void> {
    workers.set(name, await startIdleWorker(name, redis.url))
  }

  async function stopWorker(name: QueueName): Promise<void> {
    const running = workers.get(name)
    workers.delete(name)
    await running?.close(true)
  }

  /** Once every part of it is known: a part that a busy machine does not give in time says so instead. */
  const look = () =>
    until('every part is known', async () => {
      const overview = await createOverviewReader(context).read('1h')
      return (
        Object.values(overview).every((part: { isKnown?: boolean }) => part.isKnown !== false) && overview
      )
    })
  const needs = async () => (await look()).needs.map(({ mood, text }) => `${mood}: ${text}`)
  async function queue(name: QueueName) {
    const { queues } = await look()
    if (!queues.isKnown) throw new Error(queues.fault)
    return queues.value.find((each) => each.name === name)!
  }
  async function carrier(name: string) {
    const { carriers } = await look()
    if (!carriers.isKnown) throw new Error(carriers.fault)
    return carriers.value.find((each) => each.name === name)!
  }
  /** What one process sees that goes on looking, until it sees this. */
  async function seen(what: string, isSeen: (overview: Overview) => boolean): Promise<Overview> {
    const watch = createOverviewReader(context)
    return until(
      what,
      async () => {
        const overview = await watch.read('1h')
        return isSeen(overview) && overview
      },
      SEEN_MS,
    )
  }

  it('has nothing that needs a person where all is well', async () => {
    await until('the workers are known', async () => (await needs()).length === 0)
    const overview = await look()
    expect(Object.entries(overview).filter(([, part]) => (part as { isKnown?: boolean }).isKnown === false))
      .to.be.empty
    for (const service of [overview.postgres, overview.redis, overview.storage]) {
      expect(service.isKnown && service.value).to.include({ mood: 'good' })
    }
    expect(await queue('send-message')).to.include({
      state: 'normal',
      why: 'The queue is empty.',
      workers: 1,
    })
  })

  it('tells a queue without workers from one without work, within 10 s', async () => {
    await stopWorker('send-message')
    const { needs: found } = await seen('it', (overview) => overview.needs.length === 1)
    expect(found[0]).to.deep.include({ mood: 'bad', cure: { at: 'queues' } })
    expect(found[0]?.text).to.match(/^Queue send-message: No `send-message` process is running/)
    await startWorker('send-message')
    await seen('that it is cured', (overview) => overview.needs.length === 0)
  })

  it('knows what any worker might take from what waits for something', async () => {
    const ago = (seconds: number) => context.db.raw(`now() - make_interval(secs => ${seconds})`)
    const oldest = async () => (await queue('send-message')).oldestMs
    const mine = { ...line }
    await queueMessage(context, mine, {
      created_at: ago(300),
      not_before: ahead(context, '1 minute'),
    })
    // Behind the one before.
    await queueMessage(context, mine, { created_at: ago(200) })
    await queueMessage(context, mine, { created_at: ago(100), to_number: '+15005550142' })
    await context.db('line_peers').insert({
      ...{ line_id: line.lineId, number: '+15005550142' },
      paused_until: ahead(context, '1 minute'),
    })
    expect(await oldest()).to.equal(null)
    expect(await queue('send-message')).to.include({ state: 'normal', waitingCount: 3, laterCount: 1 })
    await queueMessage(context, mine, { created_at: ago(90), to_number: '+15005550143' })
    expect(await oldest()).to.be.within(89_000, 100_000)
    expect(await queue('send-message')).to.include({ state: 'stuck', underWayCount: 0 })
    await queueMessage(context, mine, { status: 'sending', to_number: '+15005550144', lease_until: ago(-10) })
    expect(await queue('send-message')).to.include({ state: 'behind', underWayCount: 1 })
  })

  it('knows an endpoint that nobody calls from one that is slow', async () => {
    const { id } = await receiveForDelivery(context, line)
    expect(await queue('deliver-event')).to.include({ state: 'normal', waitingCount: 1 })
    await makeOverdue(context, 'deliveries', [id], 70)
    expect(await queue('deliver-event')).to.include({ state: 'stuck' })
    const { id: called } = await receiveForDelivery(context, line)
    const until = ahead(context, '1 minute')
    await changeRows(context, 'deliveries', called, { status: 'delivering', lease_until: until })
    const slow = await queue('deliver-event')
    expect(slow).to.include({ state: 'normal', oldestMs: null })
    expect(slow.why).to.match(/ 1 endpoint accepts events more slowly than they arrive\.$/)
  })

  it('calls nothing late that a person has paused', async () => {
    const old = { created_at: ago(context, '5 minutes') }
    await queueMessage(context, { ...line }, old)
    const { id } = await receiveForDelivery(context, line)
    await makeOverdue(context, 'deliveries', [id], 70)
    const { userId, lineId } = line
    const owned = { id: lineId, userId }
    for (const [pause, resume] of [
      [() => pauseLine(context, COMMAND_LINE, owned), () => resumeLine(context, COMMAND_LINE, owned)],
      [() => pauseAllSending(context, COMMAND_LINE), () => resumeAllSending(context, COMMAND_LINE)],
    ] as const) {
      expect(await queue('send-message')).to.include({ state: 'stuck' })
      await pause()
      expect(await queue('send-message')).to.include({ state: 'normal', waitingCount: 1, oldestMs: null })
      await resume()
    }
    expect(await queue('deliver-event')).to.include({ state: 'stuck' })
    const [endpoint] = await listEndpoints(context, { userId }, { lineId })
    await pauseEndpoint(context, COMMAND_LINE, endpoint!)
    expect(await queue('deliver-event')).to.include({ state: 'normal', waitingCount: 1, oldestMs: null })
  })

  it('chooses the shortest span whose charts have a shape, or else the shortest that has any data', async () => {
    const chosen = () => createOverviewReader(context).chooseSpan()
    const HOUR = 3600
    /** @param ages of the rows, in seconds: from, to, and the step */
    const count = (seconds: number, ages: readonly number[]) =>
      context.db.raw(
        `insert into traffic_counts (seconds, begins_at, carrier, accepted, sent, delivered, failed, unknown, received,
           events_delivered, attempts_failed, to_carrier, to_endpoint)
         select :seconds, date_bin('15 minutes', now(), 'epoch') - age, 'counted', 1, 0, 0, 0, 0, 0, 0, 0, '{}', '{}'
         from (select epoch * interval '1 second' as age from generate_series(${ages.join()}) epoch) ages`,
        { seconds },
      )
    expect(await chosen()).to.equal('1h')
    await count(900, [72 * HOUR, 76 * HOUR, HOUR])
    expect(await chosen()).to.equal('7d')
    await count(900, [2 * HOUR, 3 * HOUR, 900])
    expect(await chosen(), 'a few points have no shape').to.equal('24h')
    await count(900, [4 * HOUR, 12 * HOUR, 900])
    expect(await chosen()).to.equal('24h')
    await count(60, [60, 1800, 60])
    expect(await chosen()).to.equal('1h')
  })

  it('names a pause of all sending and of an account, and where it ends', async () => {
    const account = await getCarrierAccount(context, 'simulator')
    await pauseAllSending(context, COMMAND_LINE)
    await pauseCarrierAccount(context, COMMAND_LINE, account)
    try {
      const { needs: found } = await look()
      expect(found).to.deep.equal([
        {
          mood: 'bad',
          code: 'paused',
          text: 'All sending is paused. Messages are accepted but wait until you resume it.',
          cure: { at: 'sending' },
        },
        {
          mood: 'waiting',
          code: 'paused',
          text: 'Carrier account simulator is paused. Its lines send nothing until you resume it.',
          cure: { at: 'carrier', id: account.id },
        },
      ])
    } finally {
      await resumeCarrierAccount(context, COMMAND_LINE, account)
      await resumeAllSending(context, COMMAND_LINE)
    }
    expect(await needs()).to.deep.equal([])
  })

  it('leaves out an endpoint that rests because its owner is disabled', async () => {
    await context.db('endpoints').update({ disabled_at: new Date(), disabled_reason: 'owner_disabled' })
    const { needs: found, endpoints } = await look()
    expect(found).to.deep.equal([])
    expect(endpoints.isKnown && endpoints.value.disabledCount).to.equal(0)
    expect(await countUnhealthyEndpoints(context.db)).to.deep.equal({ failing: 0, disabled: 0 })
    await context.db('endpoints').update({ disabled_at: null, disabled_reason: null })
  })

  it('names an endpoint that is disabled by its host, with why and where it is enabled', async () => {
    await context.db('endpoints').update({ disabled_at: new Date(), disabled_reason: 'gone' })
    await receiveForDelivery(context, line)
    const { needs: found, endpoints } = await look()
    expect(found).to.have.length(1)
    expect(found[0]).to.deep.include({
      mood: 'bad',
      text: `Endpoint is disabled: HTTP 410 Gone (127.0.0.1:9 of the line ${line.number}).`,
      cure: { at: 'endpoint', userId: line.userId, endpointId: line.endpointId },
    })
    expect(found[0]!.cause).to.deep.include({ count: 1 })
    const { name } = await getOwnLine(context, line.userId, line.lineId)
    expect(found[0]!.cause!.whose).to.have.nested.property('[0].name', name)
    expect(endpoints.isKnown && endpoints.value.disabledCount).to.equal(1)
    await context.db('endpoints').update({ disabled_at: null, disabled_reason: null })
    expect(await needs()).to.deep.equal([
      `waiting: The endpoint at 127.0.0.1:9 of the line ${line.number} has recovered, but 1 event is still held. Send them now.`,
    ])
    await context.db('deliveries').update({ last_failure: 'media_timeout' })
    expect(await needs()).to.be.empty
  })

  it('names an endpoint that has failed four times, and none that failed once', async () => {
    await context.db('endpoints').update({ failing_since: new Date(), consecutive_failure_count: 3 })
    const { needs: none, endpoints } = await look()
    expect(none).to.be.empty
    expect(endpoints.isKnown && endpoints.value).to.include({ failingCount: 1, disabledCount: 0 })
    await context.db('endpoints').update({ consecutive_failure_count: 4, last_failure: 'http_500' })
    expect((await needs()).join()).to.match(/^bad: Endpoint answers HTTP 500 \(.*\), 4 times in a row\.$/)
    await context.db('developer_connections').update({ enabled: false })
    expect(await needs()).to.be.empty
  })

  it('says of a carrier that it throttles, is not reached, or is not bound', async () => {
    const not_before = ahead(context, '1 minute')
    await queueMessage(context, line, { error: 'throttled', not_before })
    expect(await carrier('simulator')).to.include({ mood: 'waiting', state: 'throttled', throttledCount: 1 })
    await queueMessage(context, line, { error: 'carrier_unavailable', not_before })
    expect(await carrier('simulator')).to.include({ mood: 'bad', state: 'unreachable', unreachedCount: 1 })
    const { id } = await addSmppAccount(context, 'smsc')
    expect(await carrier('smsc')).to.include({ mood: 'bad', state: 'not bound' })
    const found = (await look()).needs.find(({ text }) => text.includes('smsc'))
    expect(found).to.deep.include({ mood: 'bad', cure: { at: 'carrier', id } })
  })

  it('says how many of a carrier’s messages fail, and why the last one did', async () => {
    const handed_over_at = new Date()
    for (let n = 0; n < 5; n += 1) {
      await queueMessage(context, line, { status: 'sent', handed_over_at })
      await queueMessage(context, line, {
        status: 'failed',
        error: 'Landline',
        carrier_code: '30006',
        handed_over_at,
      })
    }
    await countNewestMinutes(context)
    expect(await carrier('simulator')).to.include({
      ...{ mood: 'waiting', state: 'many failures', handedOverCount: 10, failedCount: 5 },
      ...{ lastError: 'Landline', lastErrorCode: '30006', lastErrorReason: null },
    })
    await context.db('carrier_accounts').where({ name: 'simulator' }).update({ kind: 'twilio' })
    try {
      expect(await carrier('simulator')).to.include({ lastErrorReason: 'landline' })
      // A receipt brought a reason that no table has.
      await context.db('messages').where({ carrier_code: '30006' }).update({ carrier_reason: 'no_credit' })
      await countNewestMinutes(context)
      expect(await carrier('simulator')).to.include({ lastErrorReason: 'no_credit' })
    } finally {
      await context.db('carrier_accounts').where({ name: 'simulator' }).update({ kind: 'simulator' })
    }
  })

  it('says the same of a carrier that only the routes of lines name', async () => {
    await addSmppAccount(context, 'second')
    await changeRows(context, 'lines', line.lineId, { routes: JSON.stringify([{ carrier: 'second' }]) })
    const failed = { status: 'failed', error: 'Landline', carrier: 'second', handed_over_at: new Date() }
    for (let n = 0; n < 5; n += 1) await queueMessage(context, line, failed)
    await countNewestMinutes(context)
    expect(await carrier('second')).to.include({ handedOverCount: 5, failedCount: 5, lastError: 'Landline' })
    expect(await carrier('simulator')).to.include({ handedOverCount: 0 })
  })

  it('names users whose messages are unknown, and whose media could not be copied', async () => {
    await queueMessage(context, line, { status: 'unknown', claimed_at: new Date() })
    const message_id = await queueMessage(context, line, { status: 'failed' })
    await context.db('media').insert({
      ...{ id: newId(), user_id: line.userId, line_id: line.lineId, message_id, purpose: 'outbound' },
      ...{ source_url: 'https://example.com/', token: newId(), status: 'failed' },
    })
    const found = (await look()).needs
    expect(found.map(({ cure }) => cure)).to.deep.equal([
      { at: 'unknown messages', userId: line.userId },
      { at: 'failed messages', userId: line.userId },
    ])
    for (const { text } of found) expect(text).to.match(/ from user\d+@example\.com /)
  })

  it('says that a partition is missing, and what makes it', async () => {
    await context.db.raw(
      `do $$ begin execute 'drop table events' || to_char((now() at time zone 'UTC') + interval '1 month', '_YYYYMM'); end $$`,
    )
    expect((await needs()).join()).to.match(
      /^waiting: Postgres: 1 partition is missing: events_20\d{4}\. A `maintenance`/,
    )
    await ensurePartitions(context.db)
    expect(await needs()).to.be.empty
  })

  it('says within 10 s that Redis has the wrong policy, and how to mend it', async () => {
    await context.redis.config('SET', 'maxmemory-policy', 'allkeys-lru')
    const { needs: found } = await seen('it', (overview) => overview.needs.length === 1)
    expect(found[0]).to.deep.include({ mood: 'bad', cure: { at: 'here', part: 'redis' } })
    expect(found[0]?.text).to.match(/maxmemory-policy is allkeys-lru.*CONFIG SET maxmemory-policy noeviction/)
    await context.redis.config('SET', 'maxmemory-policy', 'noeviction')
    await seen('that it is cured', (overview) => overview.needs.length === 0)
  })

  it('says within 10 s that Redis hangs, never waits for it, and knows the rest', async () => {
    redis.hang()
    try {
      const startedAt = performance.now()
      const overview = await seen('it', ({ redis: part }) => !part.isKnown)
      expect(performance.now() - startedAt).to.be.below(SEEN_MS)
      expect(overview.postgres.isKnown && overview.queues.isKnown).to.equal(true)
      expect(overview.needs.map(({ text }) => text)).to.include('Redis is unreachable. Check REDIS_URL.')
    } finally {
      redis.wake()
    }
    await seen('that it is back', ({ needs: left }) => left.length === 0)
  })

  it('says within 3 s that Postgres hangs, and knows the rest', async () => {
    const watch = createOverviewReader(context)
    postgres.freeze()
    try {
      const startedAt = performance.now()
      const overview = await watch.read('1h')
      expect(performance.now() - startedAt).to.be.below(SEEN_MS)
      expect(
        [overview.postgres, overview.queues, overview.traffic].map((part) => part.isKnown),
      ).to.deep.equal(Array(3).fill(false))
      expect([overview.redis.isKnown, overview.storage.isKnown]).to.deep.equal([true, true])
      expect(overview.needs.map(({ text }) => text)).to.deep.equal(['Postgres did not respond within 2 s.'])
    } finally {
      postgres.goUp()
    }
    await seen('that it is back', (overview) => overview.needs.length === 0)
  })

  it('says that media cannot be stored', async () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    const broken = await createTestContext({
      ...{ REDIS_URL: redis.url, DATABASE_URL: postgres.url, MEDIA_FOLDER: join(file, 'media') },
    })
    const { needs: found } = await createOverviewReader(broken).read('1h')
    const untried = await createOverviewReader(broken, { writes: false }).read('1h')
    await broken.close()
    expect(found.map(({ text }) => text).join()).to.match(
      /Storage: media cannot be stored: Storage could not write a file \(E\w+\)/,
    )
    expect(untried.needs).to.be.empty
  })

  it('is gathered once for all who look at the same time', async () => {
    const watch = createOverviewReader(context)
    const [first, second] = await Promise.all([watch.read('1h'), watch.read('1h')])
    expect(second).to.equal(first)
    expect(await watch.read('24h')).to.have.property('redis', first.redis)
  })
})
