import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { deliveryAttempts } from '../../../../src/telemetry/metrics.js'
import type { Context } from '../../../../src/domain/context.js'
import { createContext } from '../../../../src/domain/open-context.js'
import { newId } from '../../../../src/ids.js'
import { runLane, stopLanes } from '../../../../src/domain/endpoints/deliveries/lane.js'
import { whenReady } from '../../../../src/kit/redis/redis.js'
import { findIdleLanes } from '../../../../src/database/endpoints/deliveries/stranded.js'
import { deliver } from '../../../../src/domain/endpoints/deliveries/deliver.js'
import { changePolicy } from '../../../../src/domain/endpoints/policies.js'
import { startProxy, type Proxy } from '../../../database/proxy.js'
import { createTestContext, describeContext } from '../../../helpers/context.js'
import { createLine, lineForEachTest, own } from '../../../helpers/factories.js'
import { failure } from '../../../helpers/failure.js'
import { startReceiver } from '../../../helpers/services/receiver.js'
import { createTestDatabase } from '../../../helpers/services/services.js'
import { openForEachTest } from '../../../helpers/suite.js'
import { until } from '../../../helpers/until.js'
import {
  ago,
  deliveriesOf,
  receiveNew,
  changeRows,
  attemptRows,
  deliveryRow,
  hasLaneJob,
  receiveForDelivery,
  receiveManyForDelivery,
  type DeliveryRow,
  ANNA,
  BEN,
  makeOverdue,
} from '../../fixtures.js'
import { openings } from '../../../helpers/openings.js'

describe('the lane of an endpoint', () => {
  const open = openings()
  let context: Context
  let proxy: Proxy
  const receiver = openForEachTest(startReceiver)
  /** Answers that the receiver owes, while it hangs. */
  let held: ServerResponse[]

  before(async () => {
    proxy = await open(startProxy(await createTestDatabase()))
    context = await open(createTestContext({ ENDPOINT_MAX_IN_FLIGHT: '2', DATABASE_URL: proxy.url }))
  })
  beforeEach(() => {
    held = []
  })

  const hang = () => {
    receiver.answerWith((response) => held.push(response))
  }

  function answerHeld(): void {
    receiver.answerWith((response) => response.end())
    for (const response of held.splice(0)) response.end()
  }

  async function receiveMany(count: number): Promise<DeliveryRow[]> {
    return receiveManyForDelivery(context, await createLine(context, { outgoingUrl: receiver.url }), count)
  }

  const run = ({ endpoint_id: endpointId, id }: DeliveryRow, by = context) => runLane(by, endpointId, id)

  /** So many of its requests are on their way, and get no answer before `answerHeld`. */
  async function hangAt(count: number, row: DeliveryRow, by = context) {
    hang()
    const running = run(row, by)
    await until('so many requests hang', () => held.length === count)
    return { running }
  }

  async function anotherProcess(endpointMaxInFlight: number): Promise<Context> {
    const other = open(createContext({ ...context.config, endpointMaxInFlight }, { process: 'another' }))
    await whenReady(other.redis)
    return other
  }

  const delivered = (): (string | string[] | undefined)[] =>
    receiver.requests.map(({ headers }) => headers['webhook-id'])

  async function statuses(rows: readonly DeliveryRow[]): Promise<string[]> {
    return Promise.all(rows.map(async ({ id }) => (await deliveryRow(context, id)).status))
  }

  // First: a lane that has lost places looks for one without end, and nothing else runs in the process.
  it('gives back the places that it does not need, so that there are some for the next', async () => {
    for (let count = 1; count <= 3; count += 1) {
      const [row] = (await receiveMany(1)) as [DeliveryRow]
      const running = run(row)
      await until('its event is delivered', () => receiver.requests.length === count)
      await running
    }
  })

  it('is worked off by one job, in the order in which the events came', async () => {
    const rows = await receiveMany(20)
    // One at a time, or the receiver might note two in the other order.
    await changeRows(context, 'endpoints', rows[0]!.endpoint_id, { places: 1 })
    expect(await run(rows[10]!, await anotherProcess(1))).to.equal(undefined)
    expect(delivered()).to.deep.equal(rows.map(({ event_id: eventId }) => eventId))
    expect(new Set(await statuses(rows))).to.deep.equal(new Set(['delivered']))
    for (const { id } of rows) expect(await attemptRows(context, id)).to.have.length(1)
  })

  it('has no more requests than it has places; what waits is not touched, and is brought by whoever ends', async () => {
    const rows = await receiveMany(6)
    const { running } = await hangAt(2, rows[0]!)
    const versions = async () =>
      context
        .db('deliveries')
        .whereIn(
          'id',
          rows.slice(2).map(({ id }) => id),
        )
        .orderBy('id')
        .select<object[]>('id', context.db.raw('xmin::text'))
    const before = await versions()
    // Jobs of the others: here, and in another process.
    const other = await anotherProcess(2)
    await Promise.all(rows.slice(2, 4).map((row) => run(row)))
    await Promise.all(rows.slice(4).map((row) => run(row, other)))
    expect(await versions()).to.deep.equal(before)
    expect(held).to.have.length(2)
    answerHeld()
    await running
    expect(new Set(await statuses(rows))).to.deep.equal(new Set(['delivered']))
    expect(receiver.requests).to.have.length(6)
  })

  it('tells of an error that does not end it, because its job cannot', async () => {
    const rows = await receiveMany(2)
    const told: object[] = []
    const log = Object.assign(Object.create(context.log) as Context['log'], {
      error: (fields: object) => told.push(fields),
    })
    let isBroken = true
    const deliverNext: Context['batched']['deliverNext'] = (step) => {
      if (step.result === undefined || !isBroken) return context.batched.deliverNext(step)
      isBroken = false
      return Promise.reject(new TypeError('broken'))
    }
    const by = { ...context, log, batched: { ...context.batched, deliverNext } }
    const { running } = await hangAt(2, rows[0]!, by)
    held.shift()!.end()
    await until('the error is told', () => told.length > 0)
    expect(told).to.containSubset([{ endpointId: rows[0]!.endpoint_id, err: { message: 'broken' } }])
    answerHeld()
    expect(await running).to.equal(undefined)
    expect((await statuses(rows)).sort()).to.deep.equal(['delivered', 'delivering'])
  })

  it('does not hold up others', async () => {
    const rows = await receiveMany(3)
    const { running } = await hangAt(2, rows[0]!)
    const good = await open(startReceiver())
    const line = await createLine(context, { outgoingUrl: good.url })
    await run(await receiveForDelivery(context, line))
    expect(good.requests).to.have.length(1)
    answerHeld()
    await running
  })

  it('takes what comes while it is worked on', async () => {
    const line = await createLine(context, { outgoingUrl: receiver.url })
    const first = await receiveForDelivery(context, line)
    const { running } = await hangAt(1, first)
    const second = await receiveForDelivery(context, line)
    await run(second)
    await until('the second hangs', () => held.length === 2)
    const third = await receiveForDelivery(context, line)
    await run(third)
    answerHeld()
    await running
    expect(await statuses([first, second, third])).to.deep.equal(['delivered', 'delivered', 'delivered'])
  })

  it('goes on with the next after a failure, and comes back when that is due', async () => {
    const rows = await receiveMany(3)
    let count = 0
    receiver.answerWith((response) => response.writeHead((count += 1) === 1 ? 404 : 200).end())
    await run(rows[0]!)
    expect(await statuses(rows)).to.have.members(['pending', 'delivered', 'delivered'])
    const jobs = await context.queues.deliverEvent.getDelayed()
    const timed = jobs.filter(({ data }) => data.endpointId === rows[0]!.endpoint_id)
    expect(timed.map(({ data }) => data.isTimed)).to.deep.equal([true])
    // Before that time there is nothing to do, and it says for how long.
    expect(await run(rows[0]!)).to.be.within(1, 20_000)
    expect(receiver.requests).to.have.length(3)
    await changeRows(context, 'deliveries', { status: 'pending' }, { due_at: context.db.fn.now() })
    await run(rows[0]!)
    expect(new Set(await statuses(rows))).to.deep.equal(new Set(['delivered']))
  })

  it('is held as a whole when its endpoint is gone', async () => {
    const rows = await receiveMany(30)
    receiver.answerWith((response) => response.writeHead(410).end())
    await run(rows[0]!)
    expect(new Set(await statuses(rows))).to.deep.equal(new Set(['held']))
    expect(receiver.requests.length).to.be.within(1, 2)
  })

  it('says that an event is held which would have been retried, and does not come back for it', async () => {
    const [row] = await receiveMany(1)
    receiver.answerWith((response) => {
      void changeRows(context, 'endpoints', { id: row!.endpoint_id }, { disabled_at: new Date() }).then(() =>
        response.writeHead(500).end(),
      )
    })
    const counted = async () =>
      (await deliveryAttempts.get()).values.find(
        ({ labels }) => labels.outcome === 'held' && labels.answer === '5xx',
      )?.value ?? 0
    const before = await counted()
    await run(row!)
    expect(await statuses([row!])).to.deep.equal(['held'])
    expect((await counted()) - before).to.equal(1)
    const delayed = await context.queues.deliverEvent.getDelayed()
    expect(delayed.filter(({ data }) => data.endpointId === row!.endpoint_id)).to.deep.equal([])
  })

  it('goes on when one of its events cannot be sent for a fault of ours', async () => {
    const rows = await receiveMany(3)
    const broken: Context = {
      ...context,
      leases: {
        ...context.leases,
        deliveries: {
          ...context.leases.deliveries,
          during: (claim, work) =>
            claim.id === rows[1]!.id
              ? Promise.reject(new Error('a bug'))
              : context.leases.deliveries.during(claim, work),
        },
      },
    }
    await run(rows[0]!, broken)
    expect(await statuses(rows)).to.deep.equal(['delivered', 'pending', 'delivered'])
    expect(await deliveryRow(context, rows[1]!.id)).to.include({
      crash_count: 1,
      last_failure: 'internal_error',
      lease_until: null,
    })
  })

  it('keeps the leases of long requests alive, so that nobody else takes them', async () => {
    const [row] = (await receiveMany(1)) as [DeliveryRow]
    const { running } = await hangAt(1, row)
    const lease = async () =>
      (await context.db('deliveries').where({ id: row.id }).first<{ lease_until: Date }>('lease_until'))
        .lease_until
    const first = await lease()
    expect(first.getTime() - Date.now()).to.be.within(0, 8500)
    await until('it is renewed', async () => (await lease()) > first)
    answerHeld()
    await running
  })

  it('writes down what came of it once Postgres is back, when it was away at the end', async () => {
    const [row] = (await receiveMany(1)) as [DeliveryRow]
    const { running } = await hangAt(1, row)
    const refusedBefore = proxy.refusedCount
    proxy.goDown()
    try {
      answerHeld()
      await until('a try to write it was refused', () => proxy.refusedCount > refusedBefore)
    } finally {
      proxy.goUp()
    }
    await running
    expect(await deliveryRow(context, row.id)).to.include({ status: 'delivered', attempt_count: 1 })
    expect(receiver.requests).to.have.length(1)
  })

  it('says so by its name when Postgres is away at the beginning', async () => {
    const [row] = (await receiveMany(1)) as [DeliveryRow]
    proxy.goDown()
    try {
      expect(await failure(run(row))).to.have.property('name', 'Unavailable')
    } finally {
      proxy.goUp()
    }
    await run(row)
    expect(receiver.requests).to.have.length(1)
  })

  it('ends what is under way when its process is stopped, claims no more, and calls for another', async () => {
    const rows = await receiveMany(5)
    const stopped = await anotherProcess(2)
    const { running } = await hangAt(2, rows[0]!, stopped)
    const stopping = stopLanes(stopped)
    answerHeld()
    await Promise.all([running, stopping])
    expect(await statuses(rows)).to.deep.equal(['delivered', 'delivered', 'pending', 'pending', 'pending'])
    expect(await hasLaneJob(context, rows[0]!.endpoint_id)).to.equal(true)
    // A job that comes so late is not lost either.
    const late = (await receiveMany(1))[0]!
    await run(late, stopped)
    expect(await statuses([late])).to.deep.equal(['pending'])
    expect(await hasLaneJob(context, late.endpoint_id)).to.equal(true)
  })

  it('keeps an event whose request outlasts the stop of its process, and no attempt is used up', async () => {
    const line = await createLine(context, { outgoingUrl: receiver.url })
    await changePolicy(context, ...own(line), { retrySchedule: [] })
    const row = await receiveForDelivery(context, line)
    const stopped = await anotherProcess(1)
    const { running } = await hangAt(1, row, stopped)
    const stopping = stopLanes(stopped)
    await stopped.close()
    await Promise.all([running, stopping])
    expect(await deliveryRow(context, row.id)).to.include({
      ...{ status: 'pending', round_attempt_count: 0, lost_count: 0, lease_until: null, last_failure: null },
    })
    // The endpoint may have taken the event, and gets it again.
    const [attempt, ...others] = await attemptRows(context, row.id)
    expect(attempt).to.include({ attempt_number: 1, failure: 'aborted', next_attempt_at: null })
    expect(attempt?.duration_ms).to.be.within(0, 60_000)
    expect(others).to.deep.equal([])
    const endpoint = await context.db('endpoints').where({ id: row.endpoint_id }).first('failing_since')
    expect(endpoint).to.deep.equal({ failing_since: null })
  })
})

describe('the places of a process', () => {
  const open = openings()

  it('are shared by lanes: one that hangs leaves some for others, and who waits for one gets the next', async () => {
    const context = await open(createTestContext({ DELIVER_CONCURRENCY: '4' }))
    const receivers = await Promise.all([1, 2, 3, 4].map(() => open(startReceiver())))
    const held: ServerResponse[] = []
    for (const receiver of receivers) receiver.answerWith((response) => held.push(response))
    const runs: Promise<unknown>[] = []
    for (const { url } of receivers) {
      const rows = await receiveManyForDelivery(context, await createLine(context, { outgoingUrl: url }), 10)
      runs.push(runLane(context, rows[0]!.endpoint_id, rows[0]!.id))
      await until('all that may hang do', () => held.length === Math.min(4, runs.length + 1))
    }
    expect(receivers.map(({ requests }) => requests.length)).to.deep.equal([2, 1, 1, 0])
    held.shift()!.end()
    await until('the last has its turn', () => receivers[3]!.requests.length === 1)
    for (const receiver of receivers) receiver.answerWith((response) => response.end())
    for (const response of held) response.end()
    await Promise.all(runs)
    expect(receivers.map(({ requests }) => requests.length)).to.deep.equal([10, 10, 10, 10])
  })
})

describe('more endpoints that hang than a process has places', () => {
  const open = openings()
  const good = openForEachTest(startReceiver)
  const hanging = openForEachTest(startReceiver)

  function createWithPlaces(places: number): Promise<Context> {
    hanging.answerWith(() => undefined)
    const environment = { DELIVER_CONCURRENCY: String(places), DELIVERY_TIMEOUT_MS: '2000' }
    return open(createTestContext(environment))
  }

  /** A new endpoint with so many events. */
  async function createWaiting(context: Context, url: string, count: number): Promise<DeliveryRow> {
    const rows = await receiveManyForDelivery(context, await createLine(context, { outgoingUrl: url }), count)
    return rows[0]!
  }

  /** @returns a run of the endpoint's lane, and the endpoint's id */
  function run(context: Context, { endpoint_id: endpointId, id }: DeliveryRow) {
    return { endpointId, ended: runLane(context, endpointId, id) }
  }

  it('do not keep out another one: it gets its event after one time-out, whatever waits for them', async () => {
    const context = await createWithPlaces(4)
    // Those are there before anything hangs, because on a busy machine making them takes longer than a time-out.
    const waiting = await createWaiting(context, good.url, 3)
    const others = []
    for (let n = 0; n < 4; n += 1) others.push(await createWaiting(context, hanging.url, 6))
    const runs = others.map((each) => run(context, each))
    await until('each place has a request', () => hanging.requests.length >= 4)
    const begun = hanging.requests.length
    let begunMeanwhile: number | undefined
    good.answerWith((response) => {
      begunMeanwhile ??= hanging.requests.length - begun
      response.end()
    })
    runs.push(run(context, waiting))
    await until('it gets its event', () => begunMeanwhile !== undefined)
    expect(begunMeanwhile, 'the others’ second ones').to.be.at.most(3)
    await until('it gets them all', () => good.requests.length === 3)
    hanging.answerWith((response) => response.end())
    await Promise.all(runs.map(({ ended }) => ended))
    // Nothing was left lying; what timed out waits for its next attempt.
    const left = context.db('deliveries').where({ attempt_count: 0 }).orWhere({ status: 'delivering' })
    expect(await left.pluck('id')).to.deep.equal([])
  })

  it('go to the end of the queue after their turn when many wait, because more may wait there', async () => {
    const context = await createWithPlaces(1)
    // Those are there before anything hangs, as above.
    const [mine, ...waiting] = [
      await createWaiting(context, hanging.url, 2),
      await createWaiting(context, good.url, 1),
      await createWaiting(context, hanging.url, 1),
    ] as const
    const first = run(context, mine)
    await until('its request hangs', () => hanging.requests.length === 1)
    const others = waiting.map((each) => run(context, each))
    expect(await first.ended).to.equal(undefined)
    expect(hanging.requests).to.have.length.at.most(2)
    const jobs = await context.queues.deliverEvent.getWaiting()
    const passedOn = jobs.filter(({ id }) => id?.startsWith(`lane-${first.endpointId}-`) === true)
    expect(passedOn).to.have.length(1)
    hanging.answerWith((response) => response.end())
    await Promise.all(others.map(({ ended }) => ended))
    await runLane(context, first.endpointId, passedOn[0]!.data.id)
    expect(await context.db('deliveries').where({ attempt_count: 0 }).pluck('id')).to.deep.equal([])
  })
})

describe('the places of a process in an outage', () => {
  const open = openings()
  const receiver = openForEachTest(startReceiver)

  it('are all there again after it, also if a crash could not be recorded', async () => {
    const proxy = await open(startProxy(await createTestDatabase()))
    const context = await open(createTestContext({ DELIVER_CONCURRENCY: '1', DATABASE_URL: proxy.url }))
    const during = (): Promise<never> => {
      proxy.goDown()
      return Promise.reject(new Error('a bug'))
    }
    const { leases } = context
    const broken: Context = {
      ...context,
      // Otherwise it would be recorded when Postgres is back.
      closing: AbortSignal.abort(),
      leases: { ...leases, deliveries: { ...leases.deliveries, during } },
    }
    const row = await receiveForDelivery(context, await createLine(context, { outgoingUrl: receiver.url }))
    const { endpoint_id: endpointId, id } = row
    expect(await failure(runLane(broken, endpointId, id))).to.have.property('name', 'Unavailable')
    proxy.goUp()
    await changeRows(context, 'deliveries', id, { status: 'pending', lease_until: null })
    await runLane(context, endpointId, id)
    expect(receiver.requests).to.have.length(1)
  })
})

describeContext('lanes and places', (context) => {
  describe('the places of an endpoint', () => {
    const receiver = openForEachTest(startReceiver)

    const places = async (endpointId: string) =>
      (await context.db('endpoints').where({ id: endpointId }).first<{ places: number }>('places')).places

    async function deliverMany(count: number, by = context): Promise<string> {
      const line = await createLine(context, { outgoingUrl: receiver.url })
      const rows = await receiveManyForDelivery(context, line, count)
      await runLane(by, rows[0]!.endpoint_id, rows[0]!.id)
      return rows[0]!.endpoint_id
    }

    /** So many requests of a new endpoint, and their results, which come together. */
    async function underWay(count: number) {
      const line = await createLine(context, { outgoingUrl: receiver.url })
      const rows = await receiveManyForDelivery(context, line, count)
      const { endpoint_id: endpointId } = rows[0]!
      for (const { id } of rows) {
        await changeRows(context, 'deliveries', id, { status: 'delivering', attempt_count: 1 })
      }
      const settle = async (result: object) => {
        const results = rows.map(({ id }) => ({
          ...{ attempt_id: newId(), delivery_id: id, attempt_number: 1, endpoint_id: endpointId },
          ...{ url: receiver.url, started_at: new Date(), duration_ms: 1, ...result },
        }))
        await context.db.raw(`select settle_deliveries(?::jsonb, 100, interval '5 days')`, [
          JSON.stringify(results),
        ])
      }
      return { endpointId, settle }
    }

    it('are more while it answers, and all are taken', async () => {
      const endpointId = await deliverMany(100)
      expect(receiver.requests).to.have.length(100)
      expect(await places(endpointId)).to.be.within(15, 100)
    })

    it('stay as they are when they are not needed', async () => {
      expect(await places(await deliverMany(5))).to.equal(10)
    })

    for (const [what, status] of [
      ['it is asked too often', 429],
      ['it fails', 503],
    ] as const) {
      it(`are half as many when ${what}`, async () => {
        receiver.answerWith((response) => response.writeHead(status).end())
        expect(await places(await deliverMany(1))).to.equal(5)
      })
    }

    it('are half as many once a second, however often it fails', async () => {
      const { endpointId, settle } = await underWay(5)
      const fail = async () => {
        await settle({ response_status: 503, status: 'pending', failure: 'http_503' })
        return places(endpointId)
      }
      const placesAfter = await until('it fails twice within a second', async () => {
        await changeRows(context, 'endpoints', endpointId, { places: 10, slowed_at: null })
        const startedAt = performance.now()
        const twice = [await fail(), await fail()]
        return performance.now() - startedAt < 1000 && twice
      })
      expect(placesAfter).to.deep.equal([5, 5])
      await changeRows(context, 'endpoints', endpointId, { slowed_at: ago(context, '1 second') })
      expect(await fail()).to.equal(2)
    })

    it('are half as many again and again when it hangs, down to one', async () => {
      // Only here: a hundred that are answered may take as long on a busy machine, and one late answer halves the places.
      const impatient = { ...context, config: { ...context.config, deliveryTimeoutMs: 500 } }
      receiver.answerWith(() => undefined)
      const endpointId = await deliverMany(1, impatient)
      for (const expected of [5, 2, 1, 1]) {
        expect(await places(endpointId)).to.equal(expected)
        const { id } = await context
          .db('deliveries')
          .where({ endpoint_id: endpointId })
          .first<DeliveryRow>('id')
        await changeRows(context, 'deliveries', id, { due_at: context.db.fn.now() })
        await context
          .db('endpoints')
          .update({ slowed_at: context.db.raw(`slowed_at - interval '2 seconds'`) })
        await runLane(impatient, endpointId, id)
      }
    })

    for (const [age, expected] of [
      ['1 second', 4],
      ['9 minutes', 4],
      ['11 minutes', 6],
    ] as const) {
      it(`grow from 3 to ${expected} when three are answered, ${age} after it was slowed`, async () => {
        const { endpointId, settle } = await underWay(3)
        await changeRows(context, 'endpoints', endpointId, { places: 3, slowed_at: ago(context, age) })
        await settle({ response_status: 200, status: 'delivered' })
        expect(await places(endpointId)).to.equal(expected)
      })
    }

    it('say nothing of how it refuses one event', async () => {
      receiver.answerWith((response) => response.writeHead(400).end())
      expect(await places(await deliverMany(5))).to.equal(10)
    })
  })

  describe('an endpoint that is back after an outage', () => {
    /** So many events wait whose first attempt failed, and after them so many that are new. */
    async function waiting(
      retries: number,
      fresh: number,
    ): Promise<{ endpointId: string; retries: Set<string> }> {
      const line = await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/' })
      const rows = await receiveManyForDelivery(context, line, retries + fresh)
      const failed = rows.slice(0, retries).map(({ id }) => id)
      await context
        .db('deliveries')
        .whereIn('id', failed)
        .update({ attempt_count: 1, round_attempt_count: 1 })
      return { endpointId: rows[0]!.endpoint_id, retries: new Set(failed) }
    }

    /** What of the next so many that are claimed is a retry. */
    async function claim(endpointId: string, places: number): Promise<boolean[]> {
      const { deliveries } = await context.batched.deliverNext({ endpointId, places })
      return deliveries.map(({ roundAttempt }) => roundAttempt > 1)
    }

    const retriesAmong = (claims: readonly boolean[]) => claims.filter(Boolean).length

    it('gets at most one retry in five while new events wait', async () => {
      const { endpointId } = await waiting(20, 20)
      const claimed = await claim(endpointId, 10)
      expect(claimed).to.have.length(10)
      expect(retriesAmong(claimed)).to.equal(2)
    })

    it('gets as many retries as it has places when nothing new waits', async () => {
      const { endpointId } = await waiting(20, 1)
      expect(retriesAmong(await claim(endpointId, 10))).to.equal(9)
    })

    it('gets some retries and mostly new events when it takes one at a time', async () => {
      const { endpointId } = await waiting(100, 100)
      await changeRows(context, 'endpoints', endpointId, { places: 100 })
      const claimed: boolean[] = []
      while (claimed.length < 100) claimed.push(...(await claim(endpointId, 1)))
      // 20 are to be expected; 2 or 45 would come once in millions of runs.
      expect(retriesAmong(claimed)).to.be.within(3, 44)
    })
  })

  describe('an endpoint that wants the events of each number in order', () => {
    const receiver = openForEachTest(startReceiver)

    const line = lineForEachTest(context, () => ({ outgoingUrl: receiver.url }))
    beforeEach(async () => {
      // The repeat of one that failed does not come while a busy machine goes through a test.
      await changePolicy(context, ...own(line), { ordered: true, retrySchedule: [20, 20] })
    })

    async function receive(fromNumber: string, text: string): Promise<DeliveryRow> {
      const content = { type: 'inboundText', text } as const
      const [delivery] = await deliveriesOf(context, await receiveNew(context, line, { fromNumber, content }))
      return delivery!
    }
    const texts = () => receiver.requests.map(({ body }) => (JSON.parse(body) as { payload: string }).payload)
    const run = ({ endpoint_id: endpointId, id }: DeliveryRow) => runLane(context, endpointId, id)

    it('gets one at a time of each, while those of others go on, and the next as soon as one is taken', async () => {
      const held: ServerResponse[] = []
      receiver.answerWith((response, { body }) => {
        if (body.includes('"Anna 1"')) held.push(response)
        else response.end()
      })
      const first = await receive(ANNA, 'Anna 1')
      const others: DeliveryRow[] = []
      // More than the endpoint has places.
      for (let n = 2; n <= 14; n += 1) others.push(await receive(ANNA, `Anna ${n}`))
      for (let n = 1; n <= 3; n += 1) others.push(await receive(BEN, `Ben ${n}`))
      const running = run(first)
      await until('those of Ben are taken', () => texts().includes('Ben 3'))
      expect(texts().filter((text) => text.startsWith('Ben'))).to.deep.equal(['Ben 1', 'Ben 2', 'Ben 3'])
      expect(texts().filter((text) => text.startsWith('Anna'))).to.deep.equal(['Anna 1'])
      const [second] = others
      expect(await deliveryRow(context, second!.id)).to.include({
        status: 'pending',
        attempt_count: 0,
        last_failure: 'earlier_event_waits',
      })
      expect(await deliver(context, second!.id, second!.endpoint_id)).to.include({ kind: 'early' })

      for (const response of held) response.end()
      await running
      expect(texts().filter((text) => text.startsWith('Anna'))).to.deep.equal(
        Array.from({ length: 14 }, (_, n) => `Anna ${n + 1}`),
      )
      for (const { id } of others) {
        expect(await deliveryRow(context, id)).to.include({ status: 'delivered', last_failure: null })
      }
    })

    it('waits for the repeat of one that failed, without looking stranded, and goes on when it is given up', async () => {
      receiver.answerWith((response) => response.writeHead(500).end())
      const first = await receive(ANNA, 'one')
      const second = await receive(ANNA, 'two')
      const dueInMs = await run(first)
      expect(texts()).to.deep.equal(['one'])
      expect(dueInMs).to.be.within(1, 24_000)
      const [earlier, later] = [await deliveryRow(context, first.id), await deliveryRow(context, second.id)]
      expect(later.due_at.getTime()).to.be.at.least(earlier.due_at.getTime())
      const idle = await findIdleLanes(context.db, { overdueMs: 1000, maxLost: 3, limit: 100 })
      expect(idle.map(({ endpointId }) => endpointId)).not.to.include(first.endpoint_id)

      // What was parked looks again by itself, and parks again.
      await makeOverdue(context, 'deliveries', [second.id])
      await run(first)
      expect(texts()).to.deep.equal(['one'])

      await changePolicy(context, ...own(line), { retrySchedule: [] })
      await makeOverdue(context, 'deliveries', [first.id])
      receiver.answerWith((response, { body }) => response.writeHead(body.includes('one') ? 400 : 200).end())
      await run(first)
      expect(texts()).to.deep.equal(['one', 'one', 'two'])
      expect(await deliveryRow(context, first.id)).to.include({ status: 'exhausted' })
      expect(await deliveryRow(context, second.id)).to.include({ status: 'delivered' })
    })
  })
})
