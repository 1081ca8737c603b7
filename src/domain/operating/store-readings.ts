import { setTimeout as sleep } from 'node:timers/promises'
import { listCarrierAccounts } from '../../database/carriers/carrier-accounts.js'
import { listCarrierSessions } from '../../database/carriers/carrier-sessions.js'
import { countUnhealthyEndpoints } from '../../database/endpoints/endpoints.js'
import {
  readDeliveryRows,
  readMediaRows,
  readMessageRows,
  type QueueRows,
} from '../../database/operating/overview/queues.js'
import { readOnly } from '../../database/operating/overview/reading.js'
import { findPartitionsAhead } from '../../database/partitions.js'
import { asError } from '../../errors.js'
import { readQueueJobs } from '../../queues/queue-jobs.js'
import type { QueueName } from '../../queues/queues.js'
import { IS_REFUSED, readRedisFacts } from '../../kit/redis/redis-facts.js'
import * as metrics from '../../telemetry/metrics.js'
import type { Context } from '../context.js'
import { readDisks } from './overview/disks.js'

/** A store is queried no more often than this, however often Prometheus scrapes. */
const FRESH_MS = 5000
/** A store counts as down after this. Prometheus itself waits 10 s by default. */
const PATIENCE_MS = 2000

/**
 * Reads a part of a store's state.
 *
 * @returns a function that shows it
 */
type Read = (context: Context) => Promise<() => void>

interface Store {
  name: 'postgres' | 'redis'
  /** Rejects if the store cannot be used. */
  ask: (context: Context) => Promise<unknown>
  /** The parts that are read, by their names in the log. */
  parts: Readonly<Record<string, Read>>
  /** The gauges that show the readings. */
  gauges: readonly { reset(): void }[]
}

const POSTGRES: Store = {
  name: 'postgres',
  ask: ({ db }) => db.raw('select 1'),
  parts: {
    messages: async ({ db }) => showWaiting('send-message', await readOnly(db, readMessageRows)),
    deliveries: async ({ db }) => showWaiting('deliver-event', await readOnly(db, readDeliveryRows)),
    media: async ({ db }) => showWaiting('fetch-media', await readOnly(db, readMediaRows)),
    sessions: readSessions,
    endpoints: async ({ db }) => {
      const counts = await countUnhealthyEndpoints(db)
      return () => {
        for (const [state, count] of Object.entries(counts)) metrics.endpoints.set({ state }, count)
      }
    },
    partitions: async ({ db }) => {
      const tables = await findPartitionsAhead(db)
      return () => {
        for (const { parent, monthCount } of tables) {
          metrics.partitionsAhead.set({ table: parent }, Math.max(0, monthCount - 1))
        }
      }
    },
  },
  gauges: [
    metrics.queueRows,
    metrics.queueOldest,
    metrics.carrierSessions,
    metrics.endpoints,
    metrics.partitionsAhead,
  ],
}

const REDIS: Store = {
  name: 'redis',
  ask: ({ redis }) => redis.ping(),
  parts: { jobs: readJobs, durability: readSafety },
  gauges: [metrics.queueJobs, metrics.queueWorkers, metrics.redisSafe],
}

/**
 * Reads the state that all processes share (depth and age of queues, sessions at carriers, the stores themselves)
 * into the metrics of this process. It never fails, and it takes two seconds at most: a store that hangs is
 * `linehook_store_up` 0, and its readings are not shown until it answers again.
 */
export function createStoreReadings(
  context: Context,
  times = { freshMs: FRESH_MS, patienceMs: PATIENCE_MS },
): () => Promise<void> {
  const readings = [POSTGRES, REDIS].map((store) => createReading(context, store, times))
  // One at a time, because each that hangs keeps a thread, and a process has four for all of its files.
  let disk: Promise<void> | undefined
  return async () => {
    disk ??= readDisk(context).finally(() => (disk = undefined))
    const waitForDisk = endsWithin(times.patienceMs, disk)
    await Promise.all([...readings.map((read) => read()), waitForDisk])
  }
}

/**
 * Reads the disk of the copies of media. A disk that cannot be read has no figures, and one that hangs keeps its last
 * ones.
 */
async function readDisk({ config, log }: Context): Promise<void> {
  const { mediaFolder, mediaS3 } = config
  if (mediaS3 !== undefined) return
  try {
    const [disk] = await readDisks([{ of: 'media', folder: mediaFolder, isMadeLater: true }])
    for (const gauge of [metrics.diskFreeBytes, metrics.diskFreeRatio]) gauge.reset()
    if (disk === undefined) return
    metrics.diskFreeBytes.set({ disk: disk.of }, disk.freeBytes)
    metrics.diskFreeRatio.set({ disk: disk.of }, disk.freeShare)
  } catch (error) {
    log.warn({ what: 'disk', err: asError(error) }, 'metrics.not_read')
  }
}

function createReading(
  context: Context,
  { name: store, ask, parts, gauges }: Store,
  { freshMs, patienceMs }: { freshMs: number; patienceMs: number },
): () => Promise<void> {
  let startedAt = -Infinity
  let underWay: Promise<void> | undefined
  let isAnswering = false

  const clear = () => {
    for (const gauge of gauges) gauge.reset()
  }
  const noteDown = () => {
    metrics.storeUp.set({ store }, 0)
    clear()
  }

  const read = async () => {
    await ask(context)
    isAnswering = true
    metrics.storeUp.set({ store }, 1)
    const shows = await readParts(context, parts)
    // All are set together, so that no scrape sees only half of them.
    clear()
    for (const show of shows) show()
  }

  return async () => {
    if (underWay === undefined && performance.now() - startedAt >= freshMs) {
      startedAt = performance.now()
      isAnswering = false
      underWay = read()
        .catch(noteDown)
        .finally(() => (underWay = undefined))
    }
    if (underWay !== undefined && !(await endsWithin(patienceMs, underWay)) && !isAnswering) noteDown()
  }
}

async function endsWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const waiting = new AbortController()
  const tooLate = sleep(ms, false, { signal: waiting.signal })
  tooLate.catch(() => undefined)
  const isOver = await Promise.race([work.then(() => true), tooLate])
  waiting.abort()
  return isOver
}

/**
 * Reads one part after the other, so that a scrape needs one connection at a time. If one fails, the others are still
 * read.
 */
async function readParts(context: Context, parts: Store['parts']): Promise<(() => void)[]> {
  const shows: (() => void)[] = []
  for (const [what, read] of Object.entries(parts)) {
    try {
      shows.push(await read(context))
    } catch (error) {
      context.log.warn({ what, err: asError(error) }, 'metrics.not_read')
    }
  }
  return shows
}

function showWaiting(queue: QueueName, { waitingCount, oldestMs }: QueueRows): () => void {
  return () => {
    metrics.queueRows.set({ queue }, waitingCount)
    metrics.queueOldest.set({ queue }, (oldestMs ?? 0) / 1000)
  }
}

/** Reads the sessions of each account that has some; if no process has held it yet, one session is wanted. */
async function readSessions({ db, carriers }: Context): Promise<() => void> {
  const accounts = (await listCarrierAccounts(db)).filter(({ kind }) => carriers.heldKinds.includes(kind))
  const sessions = accounts.length === 0 ? undefined : await listCarrierSessions(db)
  return () => {
    for (const { id, name: carrier } of accounts) {
      const { isHeld = false, boundCount = 0, sessionCount = 0 } = sessions?.get(id) ?? {}
      metrics.carrierSessions.set({ carrier, state: 'bound' }, isHeld ? boundCount : 0)
      metrics.carrierSessions.set({ carrier, state: 'wanted' }, Math.max(1, sessionCount))
    }
  }
}

/** If Redis does not list its clients, there is no figure of workers, because 0 would raise an alert. */
async function readJobs({ queues, redis }: Context): Promise<() => void> {
  const found = await Promise.all(
    queues.all.map(async (queue) => ({ queue: queue.name, ...(await readQueueJobs(queue, redis)) })),
  )
  return () => {
    for (const { queue, workers, ...states } of found) {
      for (const [state, count] of Object.entries(states)) metrics.queueJobs.set({ queue, state }, count)
      if (workers !== null) metrics.queueWorkers.set({ queue }, workers)
    }
  }
}

/** Reads only what Redis reports about itself; a managed Redis may not. */
async function readSafety({ redis }: Context): Promise<() => void> {
  const facts = await readRedisFacts(redis).catch((error: unknown) => {
    if (!IS_REFUSED.test(String(error))) throw error
  })
  return () => {
    const { policy = null, hasAof = null, isAofWritten = null } = facts ?? {}
    if (policy !== null) metrics.redisSafe.set({ check: 'noeviction' }, Number(policy === 'noeviction'))
    if (hasAof !== null) metrics.redisSafe.set({ check: 'appendonly' }, Number(hasAof))
    if (isAofWritten !== null) metrics.redisSafe.set({ check: 'written' }, Number(isAofWritten))
  }
}
