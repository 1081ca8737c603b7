import { workerNames } from '../isolated-job.js'

/**
 * Runs the workers that its arguments name in one process. It is meant for a small machine, where each process costs
 * some 75 MB of memory before it does anything.
 *
 * Each worker has its own context, connections and name in the log, just as when it runs alone. A context is small
 * compared to the programs, which they share. So no worker waits for another's connection, or closes what another
 * needs. They do share the processor, and a crash, after which all of them start again.
 */
const WORKERS = new Map<string, () => Promise<unknown>>([
  ['send-message', () => import('./send-message.js')],
  ['deliver-event', () => import('./deliver-event.js')],
  ['fetch-media', () => import('./fetch-media.js')],
  ['maintenance', () => import('./maintenance.js')],
  ['receive-smpp', () => import('./receive-smpp.js')],
])

// They start side by side, because each waits for Redis by itself.
await Promise.all(
  workerNames().map((name) => {
    const load = WORKERS.get(name)
    if (load === undefined) throw new Error(`there is no worker ${name}`)
    return load()
  }),
)
