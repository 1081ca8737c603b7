import { recordMediaCrash } from '../../src/database/media/stranded.js'
import { fetchMedia } from '../../src/domain/media/fetch.js'
import { fetchMediaJob } from '../../src/queues/jobs.js'
import { startWorker } from '../start-worker.js'
import { RunIsolated, TryAgainIn } from '../worker-story.js'

/**
 * Copies media from a carrier or the web to our own storage.
 *
 * A job says "try to copy this". The row is claimed, the source is read (through safe-fetch, redirect by redirect,
 * cut at the limit), the type is detected from the bytes, and only then is the copy stored. The same transaction
 * continues whatever waited for it: an outgoing message gets its job, and the event of an incoming one its
 * deliveries. After a temporary failure the job comes back later. A permanent failure fails the message with its
 * reason, or holds the event, and a user can retry it. If a worker dies, its lease expires and the media are copied
 * again.
 */
await startWorker({
  queue: 'fetch-media',
  payload: fetchMediaJob,
  concurrency: ({ config }) => config.fetchConcurrency,
  handle: async (context, { id, generation }) => {
    const outcome = await fetchMedia(context, id, generation)
    if (outcome.kind === 'suspect') throw new RunIsolated()
    if (outcome.kind === 'retry') throw new TryAgainIn(outcome.ms)
  },
  crashed: async ({ db }, job) => {
    await recordMediaCrash(db, job)
  },
})
