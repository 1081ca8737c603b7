import { recordDeliveryCrash } from '../../src/database/endpoints/deliveries/stranded.js'
import { CRASH_WAIT_MS, MAX_CRASHES } from '../../src/domain/crashes.js'
import { deliver } from '../../src/domain/endpoints/deliveries/deliver.js'
import { maxLanes, runLane, stopLanes } from '../../src/domain/endpoints/deliveries/lane.js'
import { deliverEventJob } from '../../src/queues/jobs.js'
import { startWorker } from '../start-worker.js'
import { RunIsolated, TryAgainIn } from '../worker-story.js'

/**
 * Delivers events to developers' URLs.
 *
 * A job says "there is something for this endpoint". The endpoint is a lane: due deliveries are claimed in order,
 * signed and POSTed, as many at a time as the endpoint accepts. When a request ends, the next one starts, until nothing
 * is due. A job that finds the lane full ends. Each attempt is a row, whatever its outcome. After a failure, another
 * job follows the retry schedule (5 s, 20 s, 80 s … 24 h), until the event is delivered or `exhausted`. Delivery is at
 * least once: if a worker dies after the POST, another one delivers the event again, with the same webhook-id.
 */
await startWorker(
  {
    queue: 'deliver-event',
    payload: deliverEventJob,
    concurrency: ({ config }) => maxLanes(config),
    // A job is an endpoint, and DELIVER_CONCURRENCY counts the requests to all of them.
    limits: ({ config }) => ({ requests: config.deliverConcurrency, endpoints: maxLanes(config) }),
    hotFunctions: ['step_lanes'],
    handle: async (context, { id, endpointId, isTimed, isSuspect }) => {
      if (isSuspect === true) {
        const outcome = await deliver(context, id, endpointId)
        if (outcome.kind === 'suspect') throw new RunIsolated()
        if (outcome.kind === 'early') throw new TryAgainIn(outcome.ms)
        return
      }
      const nextDueMs = await runLane(context, endpointId, id)
      if (nextDueMs === undefined) return
      // It came before the next delivery is due (`wakingMoment`), or the clock of the process that delayed it was ahead
      // of Postgres's, which counts.
      if (isTimed === true) throw new TryAgainIn(Math.max(0, nextDueMs))
      // A timed job that came early while this one was running has ended with nothing to do.
      await context.queues.wakeLaneIn(nextDueMs, { endpointId, id })
    },
    crashed: async ({ db }, { id, isSuspect }) => {
      if (isSuspect === true) await recordDeliveryCrash(db, { id }, MAX_CRASHES, CRASH_WAIT_MS)
    },
  },
  (context) => ({ close: () => stopLanes(context) }),
)
