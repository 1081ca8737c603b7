import { expect } from 'chai'
import {
  claimDeliveries,
  recordAttempts,
  type AttemptResult,
} from '../../../src/database/deliveries/delivering.js'
import type { Context } from '../../../src/domain/context.js'
import { DISABLE_AFTER_MS } from '../../../src/domain/deliveries/endpoint-health.js'
import { newId } from '../../../src/ids.js'
import { createTestContext } from '../../helpers/context.js'
import { createLine } from '../../helpers/factories.js'
import { countRows, receiveForDelivery, type DeliveryRow } from '../fixtures.js'

const ENDPOINT_COUNT = 40
const ROUND_COUNT = 100

describe('two processes that report failures of the same endpoints all the time', () => {
  let context: Context
  let deliveries: DeliveryRow[]
  const url = 'http://127.0.0.1:9/events'

  before(async () => {
    context = await createTestContext()
    deliveries = []
    for (let n = 0; n < ENDPOINT_COUNT; n += 1) {
      deliveries.push(await receiveForDelivery(context, await createLine(context, { outgoingUrl: url })))
    }
  })
  after(() => context.close())

  it('never lock each other out, and lose no attempt and no failure', async function () {
    this.timeout(60_000)
    // Four at a time, as batches of two processes are under way.
    await Promise.all([1, 2, 3, 4].map(() => report()))

    expect(await countRows(context, 'delivery_attempts')).to.equal(4 * ROUND_COUNT * (ENDPOINT_COUNT / 2))
    const counts = await context.db('endpoints').pluck<number[]>('consecutive_failure_count')
    expect(counts.reduce((sum, count) => sum + count)).to.equal(4 * ROUND_COUNT * (ENDPOINT_COUNT / 2))
    await context.db.raw('select pg_stat_force_next_flush()')
    const { deadlocks } = await context
      .db('pg_stat_database')
      .where({ datname: context.db.raw('current_database()') })
      .first<{ deadlocks: string }>('deadlocks')
    expect(deadlocks).to.equal('0')
  })

  async function report(): Promise<void> {
    for (let round = 0; round < ROUND_COUNT; round += 1) {
      const some = shuffled(deliveries).slice(0, ENDPOINT_COUNT / 2)
      await claimDeliveries(
        context.db,
        some.map(({ id }) => id),
        30_000,
      )
      await recordAttempts(context.db, some.map(failed), DISABLE_AFTER_MS)
    }
  }

  function failed({ id, endpoint_id: endpointId }: DeliveryRow): AttemptResult {
    return {
      attemptId: newId(),
      deliveryId: id,
      endpointId,
      url,
      attemptNumber: 1,
      startedAt: new Date(),
      durationMs: 1,
      failure: 'connect',
      status: 'pending',
      retryInMs: 0,
    }
  }

  function shuffled<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, at: Math.random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item)
  }
})
