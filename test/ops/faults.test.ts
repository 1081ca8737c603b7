import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'bullmq'
import { expect } from 'chai'
import { CarrierThrottled } from '../../src/carriers/carrier.js'
import type { Context } from '../../src/domain/context.js'
import { judgeStorage } from '../../src/domain/operating/overview/storage.js'
import { createOverviewReader } from '../../src/domain/operating/overview/overview.js'
import { createStoreReadings } from '../../src/domain/operating/store-readings.js'
import type { QueueName } from '../../src/queues/queues.js'
import {
  diskFreeBytes,
  diskFreeRatio,
  measureProcess,
  metricTable,
  scrape,
} from '../../src/telemetry/metrics.js'
import {
  deliverWhenDue,
  queueMessage,
  receiveForDelivery,
  sendWhenDue,
  withCarrier,
} from '../domain/fixtures.js'
import { createTestContext } from '../helpers/context.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { startIdleWorker } from '../helpers/process/idle-worker.js'
import { parseMetrics, type Sample } from '../helpers/metrics.js'
import { promtool } from '../helpers/services/promtool.js'
import { startReceiver, type Receiver } from '../helpers/services/receiver.js'
import { startOwnRedis, type OwnRedis } from '../helpers/services/redis.js'
import { createDataFolder } from '../helpers/services/services.js'
import { until } from '../helpers/until.js'

/** Those of Node itself have gauges among them that are named like counters. */
const OURS = new Set(metricTable.map(({ name }) => name))
const QUEUES: QueueName[] = ['send-message', 'deliver-event', 'fetch-media', 'maintenance']

interface Pending {
  id: string
  endpoint_id: string
}

interface Fault {
  alert: string
  /** What the overview says of it. */
  seen: RegExp
  make: () => Promise<unknown>
  /** As the runbook says. */
  cure: () => Promise<unknown>
}

/** Each is on the overview, which looks anew every few seconds, raises its alert by what `web` really tells Prometheus, and ends by its cure. */
describe('five faults, their alerts and their cures', function () {
  this.timeout(600_000)

  let redis: OwnRedis
  let context: Context
  let line: TestLine
  let receiver: Receiver
  let isSlow = false
  const workers = new Map<QueueName, Worker>()

  before(async () => {
    measureProcess('web', '1.2.3')
    ;[redis, receiver] = await Promise.all([startOwnRedis(), startReceiver()])
    context = await createTestContext({ REDIS_URL: redis.url })
    line = await createLine(context, { outgoingUrl: receiver.url })
    for (const name of QUEUES) await startWorker(name)
  })

  after(async () => {
    await Promise.all([...workers.values()].map((worker) => worker.close(true)))
    await context.close()
    await receiver.close()
    await redis.remove()
  })

  async function startWorker(name: QueueName): Promise<void> {
    workers.set(name, await startIdleWorker(name, redis.url))
  }

  const carrier = () =>
    withCarrier(context, () =>
      isSlow ? Promise.reject(new CarrierThrottled(60_000)) : Promise.resolve({ carrierMessageId: 'x' }),
    )

  const send = async (count: number) => {
    for (let n = 0; n < count; n += 1) {
      await sendWhenDue(carrier(), await queueMessage(context, line, { to_number: `+1500555${1000 + n}` }))
    }
  }

  const receive = async (count: number) => {
    for (let n = 0; n < count; n += 1) {
      const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
      await deliverWhenDue(context, id, endpointId)
    }
  }

  const FAULTS: Fault[] = [
    {
      alert: 'LinehookEndpointsFail',
      seen: /answers HTTP 500 .*4 times in a row/,
      make: async () => {
        receiver.answerWith((response) => response.writeHead(500).end())
        await receive(4)
      },
      cure: async () => {
        receiver.answerWith((response) => response.end())
        const waiting = await context.db('deliveries').where({ status: 'pending' }).select<Pending[]>('*')
        for (const { id, endpoint_id: endpointId } of waiting) await deliverWhenDue(context, id, endpointId)
      },
    },
    {
      alert: 'LinehookCarrierThrottled',
      seen: /^Carrier account simulator: It is rate limiting\. 3 messages are waiting for that\./,
      make: async () => {
        isSlow = true
        await send(3)
      },
      cure: async () => {
        isSlow = false
        const waiting = await context
          .db('messages')
          .where({ status: 'queued' })
          .select<{ id: string }[]>('id')
        for (const { id } of waiting) await sendWhenDue(carrier(), id)
      },
    },
    {
      alert: 'LinehookQueueWithoutWorkers',
      seen: /^Queue send-message: No `send-message` process is running\. Start one\./,
      make: async () => workers.get('send-message')?.close(true),
      cure: () => startWorker('send-message'),
    },
    {
      alert: 'LinehookRedisUnsafe',
      seen: /maxmemory-policy is allkeys-lru/,
      make: () => context.redis.config('SET', 'maxmemory-policy', 'allkeys-lru'),
      cure: () => context.redis.config('SET', 'maxmemory-policy', 'noeviction'),
    },
  ]

  it('are seen, told and cured: an endpoint that is dead, a carrier that throttles, no workers, the wrong policy', async () => {
    const watch = createOverviewReader(context)
    const seenNow = async () => {
      const { needs } = await watch.read('1h')
      return FAULTS.filter(({ seen }) => needs.some(({ text }) => seen.test(text))).map(({ alert }) => alert)
    }
    const all = FAULTS.map(({ alert }) => alert)
    const before = await read()
    for (const { make } of FAULTS) await make()
    await until('the overview tells all', async () => (await seenNow()).length === all.length)
    const during = await read()
    for (const { cure } of FAULTS) await cure()
    await until('the overview tells none any more', async () => (await seenNow()).length === 0)
    const after = await read()
    expect(await alertsOf(all, before, during), 'while they last').to.deep.equal(all)
    expect(await alertsOf(all, during, after), 'when they are cured').to.deep.equal([])
  })

  it('so is a full disk', async () => {
    const disk = (freeBytes: number) => ({
      of: 'media',
      folder: '/',
      totalBytes: 1e11,
      freeBytes,
      freeShare: freeBytes / 1e11,
    })
    const faultsOf = (freeBytes: number) =>
      judgeStorage({ place: 'A folder', disks: [disk(freeBytes)], fault: undefined, writes: true }).faults
    const readWith = async (freeBytes: number) => {
      await read()
      diskFreeBytes.set({ disk: 'media' }, freeBytes)
      diskFreeRatio.set({ disk: 'media' }, freeBytes / 1e11)
      return samples()
    }
    expect(faultsOf(1e8)[0]).to.deep.include({ mood: 'bad' })
    expect(faultsOf(5e10)).to.deep.equal([])
    expect(await alertsOf(['LinehookDiskFull'], [], await readWith(1e8))).to.deep.equal(['LinehookDiskFull'])
    expect(await alertsOf(['LinehookDiskFull'], [], await readWith(5e10))).to.deep.equal([])
    // What is shown is this machine's disk.
    const shown = (await read()).filter(({ name }) => name === 'linehook_disk_free_ratio')
    expect(shown.map(({ labels }) => labels.disk)).to.deep.equal(['media'])
    expect(shown[0]?.value).to.be.within(0, 1)
  })

  /** As Prometheus reads them, from stores that are looked at now. */
  async function read(): Promise<Sample[]> {
    await createStoreReadings(context)()
    return samples()
  }
})

async function samples(): Promise<Sample[]> {
  return parseMetrics((await scrape()).text)
}

/** Which of the alerts come when figures stay as they are, and counts go on rising as they rose between two looks. */
async function alertsOf(
  alerts: readonly string[],
  before: readonly Sample[],
  now: readonly Sample[],
): Promise<string[]> {
  const keyOf = ({ name, labels }: Sample) =>
    `${name}{${Object.entries(labels)
      .map(([label, value]) => `${label}=${JSON.stringify(value)}`)
      .join(',')}}`
  const earlier = new Map(before.map((sample) => [keyOf(sample), sample.value]))
  const series = now
    .filter(({ name, value }) => OURS.has(name) && Number.isFinite(value))
    .map((sample) => {
      const rise = sample.name.endsWith('_total') ? sample.value - (earlier.get(keyOf(sample)) ?? 0) : 0
      return { series: keyOf(sample), values: `${sample.value}+${rise}x60` }
    })
  const test = {
    rule_files: [join(process.cwd(), 'ops/alerts.yaml')],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: series,
        alert_rule_test: alerts.map((alertname) => ({ eval_time: '50m', alertname, exp_alerts: [] })),
      },
    ],
  }
  const file = join(createDataFolder('fault'), 'test.yaml')
  // JSON is YAML too.
  writeFileSync(file, JSON.stringify(test))
  try {
    await promtool(['test', 'rules', file])
    return []
  } catch (error) {
    // It has found some where none was expected.
    const found = alerts.filter((alert) => String(error).includes(`alertname="${alert}"`))
    if (found.length === 0) throw error
    return found
  }
}
