import { poolUse } from '../../../database/connection.js'
import { listBusiestLines, type BusyLine } from '../../../database/operating/overview/busiest-lines.js'
import { readOnly } from '../../../database/operating/overview/reading.js'
import { readPostgresFacts } from '../../../database/operating/overview/server.js'
import { findPartitionsAhead } from '../../../database/partitions.js'
import { createSemaphore } from '../../../kit/process/semaphore.js'
import type { Context } from '../../context.js'
import { readCarriers, type CarrierView } from './carriers.js'
import { findTroubles, type EndpointTroubles } from './endpoints.js'
import { listNeeds, type Need } from './needs.js'
import { cachedPart, type Part } from './part.js'
import { readPausesForPeople, type ForPeople } from './people.js'
import { judgePostgres } from './postgres.js'
import { readQueues, type QueueView } from './queues.js'
import { viewRedis } from './redis.js'
import type { ServiceView } from './service.js'
import { SPANS, type Span } from './spans.js'
import { viewStorage } from './storage.js'
import { readTraffic, type Traffic, type TrafficBin } from './traffic.js'

import { listBusiest, type Busiest, type Dimension } from '../../../database/operating/overview/busiest.js'
export {
  DIMENSIONS,
  type Busiest,
  type Busy,
  type Dimension,
} from '../../../database/operating/overview/busiest.js'
export type { BusyLine } from '../../../database/operating/overview/busiest-lines.js'

/** The whole installation at a glance. */
export interface Overview {
  at: Date
  /** What needs someone's attention, worst first. */
  needs: Need[]
  traffic: Part<Traffic>
  queues: Part<QueueView[]>
  carriers: Part<CarrierView[]>
  postgres: Part<ServiceView>
  redis: Part<ServiceView>
  storage: Part<ServiceView>
  endpoints: Part<EndpointTroubles>
  lines: Part<BusyLine[]>
  busiest: Part<Busiest> & { by: Dimension; span: Span }
  people: Part<ForPeople>
}

/** Checks everything, and caches the result for a few seconds: many open pages cost no more than one. */
export interface OverviewReader {
  read(span: Span, by?: Dimension): Promise<Overview>
  /** The shortest span whose charts have a shape; if none has, the shortest that has anything. */
  chooseSpan(): Promise<Span>
}

/**
 * A fault is seen within 10 s: a result is cached for at most this long, in two places, and the check takes at most as
 * long.
 */
const KEPT_MS = 2000
const SLOW_PARTS_MS = 15_000

/**
 * The statements of the overview that run at a time: the pool's other connections are for clients that are waiting for
 * an answer.
 */
const AT_ONCE = 2

/** A chart looks dead if less of it than this has data. */
const SHAPE_SHARE = 0.2

const readers = new WeakMap<Context, OverviewReader>()

/** Returns this process's only watch. */
export function overviewReaderOf(context: Context): OverviewReader {
  const watch = readers.get(context) ?? createOverviewReader(context)
  readers.set(context, watch)
  return watch
}

/** @param options.writes true to test the storage with a tiny file */
export function createOverviewReader(context: Context, { writes = true } = {}): OverviewReader {
  const { db, log } = context
  const limited = createSemaphore({
    atOnce: AT_ONCE,
    maxWaiting: 100,
    busy: 'Too many requests for the overview',
  })
  const ofPostgres = <Value>(gather: () => Promise<Value>, keptMs: number = KEPT_MS) =>
    cachedPart(() => limited(gather), { of: 'Postgres', keptMs, log })
  /** This is known as soon as Postgres has reported it once. */
  let postgresFolder: string | undefined

  const parts = {
    queues: ofPostgres(() => readQueues(context)),
    carriers: ofPostgres(() => readCarriers(context)),
    endpoints: ofPostgres(() => readOnly(db, findTroubles)),
    lines: ofPostgres(() => readOnly(db, listBusiestLines), SLOW_PARTS_MS),
    people: ofPostgres(() => readPausesForPeople(db)),
    postgres: ofPostgres(async () => {
      const [facts, ahead] = await readOnly(db, async (trx) => [
        await readPostgresFacts(trx),
        await findPartitionsAhead(trx),
      ])
      const missing = ahead.flatMap((table) => table.missing)
      if (isHere(context)) postgresFolder = facts.dataFolder ?? undefined
      return judgePostgres(facts, missing, poolUse(db))
    }),
    redis: cachedPart(() => viewRedis(context), { of: 'Redis', keptMs: KEPT_MS, log }),
    storage: cachedPart(() => viewStorage(context, { postgresFolder, writes }), {
      of: 'Storage',
      keptMs: KEPT_MS,
      log,
    }),
  }
  const traffic = {
    '1h': ofPostgres(() => readOnly(db, (trx) => readTraffic(trx, '1h')), SPANS['1h'].keptMs),
    '24h': ofPostgres(() => readOnly(db, (trx) => readTraffic(trx, '24h')), SPANS['24h'].keptMs),
    '7d': ofPostgres(() => readOnly(db, (trx) => readTraffic(trx, '7d')), SPANS['7d'].keptMs),
  }

  /** Each is looked for when it is first requested. */
  const busiest = new Map<string, () => Promise<Part<Busiest>>>()
  const readBusiest = (span: Span, by: Dimension) => {
    const { binSeconds, binCount, keptMs } = SPANS[span]
    const key = `${span} ${by}`
    const look =
      busiest.get(key) ??
      ofPostgres(
        () => readOnly(db, (trx) => listBusiest(trx, by, { seconds: binSeconds * binCount, binSeconds })),
        Math.max(SLOW_PARTS_MS, keptMs),
      )
    busiest.set(key, look)
    return look()
  }

  const gather = async (span: Span, by: Dimension): Promise<Overview> => {
    const [ofSpan, busy, queues, carriers, endpoints, lines, people, postgres, redis, storage] =
      await Promise.all([
        traffic[span](),
        readBusiest(span, by),
        parts.queues(),
        parts.carriers(),
        parts.endpoints(),
        parts.lines(),
        parts.people(),
        parts.postgres(),
        parts.redis(),
        parts.storage(),
      ])
    const services = { postgres, redis, storage }
    const needs = listNeeds({ queues, carriers, endpoints, people, ...services })
    return {
      at: new Date(),
      needs,
      traffic: ofSpan,
      busiest: { ...busy, by, span },
      queues,
      carriers,
      endpoints,
      lines,
      people,
      ...services,
    }
  }

  const kept = new Map<string, { overview: Promise<Overview>; at: number }>()
  return {
    read: (span, by = 'line') => {
      const key = `${span} ${by}`
      const last = kept.get(key)
      if (last !== undefined && performance.now() - last.at < KEPT_MS) return last.overview
      const overview = gather(span, by)
      kept.set(key, { overview, at: performance.now() })
      return overview
    },
    chooseSpan: async () => {
      let withAny: Span | undefined
      for (const span of Object.keys(SPANS) as Span[]) {
        const part = await traffic[span]()
        const count = part.isKnown ? part.value.bins.filter(hasAny).length : 0
        if (count >= SHAPE_SHARE * SPANS[span].binCount) return span
        if (count > 0) withAny ??= span
      }
      return withAny ?? '1h'
    },
  }
}

function hasAny({ counts }: TrafficBin): boolean {
  return Object.values(counts).some((count) => count > 0)
}

/** True if Postgres is on this machine: then its disk is one of ours. */
function isHere({ config }: Context): boolean {
  const { databaseUrl: url } = config
  return URL.canParse(url) && ['', 'localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname)
}
