import { recordDeliveryCrash } from '../../src/database/deliveries/stranded.js'
import { MAX_CRASHES } from '../../src/domain/crashes.js'
import { deliver } from '../../src/domain/deliveries/deliver.js'
import { deliverEventJob } from '../../src/queues/jobs.js'
import { RunAlone, startWorker, TryAgainIn } from '../start-worker.js'

/**
 * Events → developers' URLs.
 *
 * A job says "try this delivery". It is claimed, signed and POSTed; the attempt is a row, whatever came of it.
 * After a failure the job comes back by the retry schedule (5 s, 20 s, 80 s … 24 h), until it is delivered or
 * `exhausted`. Deliveries wait for other people's servers, so one process makes many at once, but only a few to
 * one endpoint: the rest come back a moment later. At least once: a worker that dies after the POST makes
 * another one deliver the event again, under the same webhook-id.
 */
await startWorker({
  queue: 'deliver-event',
  payload: deliverEventJob,
  concurrency: ({ config }) => config.deliverConcurrency,
  handle: async (context, { id, endpointId }) => {
    const outcome = await deliver(context, id, endpointId)
    if (outcome.kind === 'suspect') throw new RunAlone()
    if ('ms' in outcome) throw new TryAgainIn(outcome.ms)
  },
  crashed: async ({ db }, { id }) => {
    await recordDeliveryCrash(db, id, MAX_CRASHES)
  },
})
