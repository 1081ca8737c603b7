import { workerNames } from '../alone.js'

/**
 * Several workers in one process, those that its arguments name: on a small machine, where a process of its own for each
 * costs some 75 MB of memory before it does anything.
 *
 * Each is what it is by itself, with a context, connections and a name in the log of its own. They could share those, but a
 * context is small beside what they share now, the programs; and so no worker waits for a connection that another one has,
 * nor closes what another one needs. What they do share is the processor and a crash, after which all of them start again.
 */
const WORKERS = new Map<string, () => Promise<unknown>>([
  ['send-message', () => import('./send-message.js')],
  ['deliver-event', () => import('./deliver-event.js')],
  ['fetch-media', () => import('./fetch-media.js')],
  ['maintenance', () => import('./maintenance.js')],
  ['receive-smpp', () => import('./receive-smpp.js')],
])

// Side by side: each waits for Redis by itself.
await Promise.all(
  workerNames().map((name) => {
    const load = WORKERS.get(name)
    if (load === undefined) throw new Error(`there is no worker ${name}`)
    return load()
  }),
)
