import { expect } from 'chai'
import {
  deliverNext,
  type AttemptResult,
  type LaneStep,
} from '../../../../src/database/endpoints/deliveries/delivering.js'
import { MAX_LOST } from '../../../../src/domain/crashes.js'
import { DISABLE_AFTER_MS } from '../../../../src/domain/endpoints/deliveries/retry-schedule.js'
import { newId } from '../../../../src/ids.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine } from '../../../helpers/factories.js'
import { countRows, receiveForDelivery, type DeliveryRow } from '../../fixtures.js'

const ENDPOINT_COUNT = 40
const ROUND_COUNT = 50
/** Two batches of each of two processes are under way at a time; a delivery is in one of them only. */
const BATCH_COUNT = 4

describeContext('two processes that report failures of the same endpoints all the time', (context) => {
  /** For each batch, one delivery for each endpoint. */
  let deliveries: DeliveryRow[][]
  const url = 'http://127.0.0.1:9/events'

  before(async () => {
    deliveries = Array.from({ length: BATCH_COUNT }, () => [])
    for (let n = 0; n < ENDPOINT_COUNT; n += 1) {
      const line = await createLine(context, { outgoingUrl: url })
      for (const batch of deliveries) batch.push(await receiveForDelivery(context, line))
    }
  })

  it('never lock each other out, and lose no attempt and no failure', async () => {
    await Promise.all(deliveries.map(report))

    const failureCount = BATCH_COUNT * ROUND_COUNT * (ENDPOINT_COUNT / 2)
    expect(await countRows(context, 'delivery_attempts')).to.equal(failureCount)
    const counts = await context.db('endpoints').pluck<number[]>('consecutive_failure_count')
    expect(counts.reduce((sum, count) => sum + count)).to.equal(failureCount)
    await context.db.raw('select pg_stat_force_next_flush()')
    const { deadlocks } = await context
      .db('pg_stat_database')
      .where({ datname: context.db.raw('current_database()') })
      .first<{ deadlocks: string }>('deadlocks')
    expect(deadlocks).to.equal('0')
  })

  async function report(own: DeliveryRow[]): Promise<void> {
    for (let round = 0; round < ROUND_COUNT; round += 1) {
      const some = shuffled(own).slice(0, ENDPOINT_COUNT / 2)
      await step(some.map(({ id, endpoint_id: endpointId }) => ({ endpointId, places: 1, deliveryId: id })))
      await step(some.map((each) => ({ endpointId: each.endpoint_id, places: 0, result: failed(each) })))
    }
  }

  const step = (steps: LaneStep[]) =>
    deliverNext(context.db, steps, {
      ...{ leaseMs: 30_000, maxLost: MAX_LOST, maxInFlight: 10, disableAfterMs: DISABLE_AFTER_MS },
    })

  function failed({ id, event_id: eventId, endpoint_id: endpointId }: DeliveryRow): AttemptResult {
    return {
      attemptId: newId(),
      deliveryId: id,
      eventId,
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
