import { recordMediaCrash } from '../../src/database/media/stranded.js'
import { fetchMedia } from '../../src/domain/media/fetch.js'
import { fetchMediaJob } from '../../src/queues/jobs.js'
import { RunAlone, startWorker, TryAgainIn } from '../start-worker.js'

/**
 * Media at a carrier or on the web → our own storage.
 *
 * A job says "try to copy this". The row is claimed, the source is read (through safe-fetch, redirect by redirect, cut
 * at the limit), the bytes are judged by what they are, and only then stored. What waits for it goes on in the same
 * transaction: a message that a line sends gets its job, the event of a received one its deliveries. After a failure that
 * may pass the job comes back later. A failure that stays fails the message with its reason, or holds the event, and a
 * person can have it tried again. If a worker dies, its lease ends and the media are copied again.
 */
await startWorker({
  queue: 'fetch-media',
  payload: fetchMediaJob,
  concurrency: ({ config }) => config.fetchConcurrency,
  handle: async (context, { id }) => {
    const outcome = await fetchMedia(context, id)
    if (outcome.kind === 'suspect') throw new RunAlone()
    if (outcome.kind === 'retry') throw new TryAgainIn(outcome.ms)
  },
  crashed: async ({ db }, { id }) => {
    await recordMediaCrash(db, id)
  },
})
