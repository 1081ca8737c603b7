import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/**
 * All metrics that a process exposes to Prometheus, with what each one counts and by which labels. `docs/metrics.md`
 * has the same table, and a test compares them.
 *
 * The values of a label are bounded: words of ours, patterns of the route table, names of carrier accounts. A number,
 * a token, a URL, a user or a line is never among them. Counting costs less than a microsecond, so hot paths do it
 * too.
 *
 * All contexts of a process share this registry, because Prometheus asks processes.
 */
const registry = new Registry()

export interface MetricDescription {
  name: string
  kind: 'counter' | 'gauge' | 'histogram'
  help: string
  labels: readonly string[]
}

/** The metrics of this file, without those of Node itself. */
export const metricTable: MetricDescription[] = []

/** Buckets for work that a caller is waiting for. */
const SHORT_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
/** Buckets for work that waits for its turn. */
const LONG_SECONDS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400]

// Requests to `web`, and what is received.

export const httpRequests = counter(
  'linehook_http_requests_total',
  'Requests handled by web. route: as in the route table, or none if no route matches.',
  ['method', 'route', 'status'],
)
export const httpDuration = histogram(
  'linehook_http_request_duration_seconds',
  'How long web took to respond. For a live page, the time until it started.',
  ['method', 'route'],
  SHORT_SECONDS,
)
export const turnedAway = counter(
  'linehook_requests_turned_away_total',
  'Requests that web refused with 503 without reading them, because new requests were waiting too long.',
)
export const liveStreams = gauge('linehook_live_streams', 'Live pages of the console that are open.')
export const listeningStreams = gauge(
  'linehook_listening_streams',
  'Event streams of lines (`linehook listen`) that are open.',
)
export const messageRequests = counter(
  'linehook_message_requests_total',
  'Requests to send a message. outcome: accepted, replayed (repeated with the same key), or the reason for the refusal.',
  ['source', 'outcome'],
)
export const inboundMessages = counter(
  'linehook_inbound_messages_total',
  'Messages received from carriers. outcome: received, repeat, no_line, or account_changed (checked again).',
  ['type', 'outcome'],
)
export const receipts = counter(
  'linehook_receipts_total',
  'Receipts from carriers. outcome: changed, unchanged, or of_nothing (no such message).',
  ['status', 'outcome'],
)

// Sending.

export const messageOutcomes = counter(
  'linehook_message_outcomes_total',
  'Messages that a worker has finished. outcome: sent, failed or unknown. reason: none, carrier or media if they gave it, or one of ours.',
  ['outcome', 'reason'],
)
export const messageWait = histogram(
  'linehook_message_wait_seconds',
  'How long messages were postponed, by reason. window: a rate limit or pace was reached.',
  ['reason'],
  LONG_SECONDS,
)
export const handOverAge = histogram(
  'linehook_message_hand_over_age_seconds',
  'Age of messages when first handed to their carrier.',
  [],
  LONG_SECONDS,
)
export const carrierAttempts = counter(
  'linehook_carrier_attempts_total',
  'Messages handed to a carrier account. outcome: taken, rejected, throttled, unavailable or unknown.',
  ['carrier', 'outcome'],
)
export const routesPassedOver = counter(
  'linehook_routes_passed_over_total',
  "Messages that a carrier account did not accept and that were passed to the line's next route.",
  ['carrier'],
)
export const carrierDuration = histogram(
  'linehook_carrier_attempt_duration_seconds',
  'How long a carrier account took to respond to a message.',
  ['carrier'],
  SHORT_SECONDS,
)
export const carrierCodes = counter(
  'linehook_carrier_codes_total',
  "Carriers' own codes for messages they did not send. other: not a code, or beyond the first 200.",
  ['carrier', 'code'],
)
export const carrierBinds = counter(
  'linehook_carrier_binds_total',
  'Sessions of SMPP accounts, and modems. outcome: bound, refused or ended.',
  ['carrier', 'bind_as', 'outcome'],
)

// Delivering and copying.

export const deliveryAttempts = counter(
  'linehook_delivery_attempts_total',
  'Requests to endpoints. outcome: delivered, retry, exhausted or held. answer: the status class or the failure.',
  ['outcome', 'answer'],
)
export const deliveryDuration = histogram(
  'linehook_delivery_attempt_duration_seconds',
  'How long endpoints took to respond or time out.',
  [],
  SHORT_SECONDS,
)
export const mediaFetches = counter(
  'linehook_media_fetches_total',
  'Copies of media. outcome: stored, retry, failed or skipped (already stored). reason: none or the failure.',
  ['outcome', 'reason'],
)
export const mediaDuration = histogram(
  'linehook_media_fetch_duration_seconds',
  'How long a copy of media took.',
  [],
  SHORT_SECONDS,
)

// Jobs, and what keeps them going.

export const jobDuration = histogram(
  'linehook_job_duration_seconds',
  'How long jobs took. outcome: done, again (postponed), unavailable (Postgres or Redis is down), crashed or unreadable.',
  ['queue', 'outcome'],
  SHORT_SECONDS,
)
export const jobCrashes = counter(
  'linehook_job_crashes_total',
  'Unexpected errors in jobs and lanes. A row is given up after a few of them.',
  ['queue'],
)
export const jobsNotEnqueued = counter(
  'linehook_jobs_not_enqueued_total',
  'Jobs that Redis did not accept. The sweep adds them later.',
  ['queue'],
)
export const sweeperFinds = counter(
  'linehook_sweeper_finds_total',
  'Rows that the maintenance sweep found and gave a new job. what: how they were lost.',
  ['what'],
)

// Notifying people.

export const noticesTold = counter(
  'linehook_notices_total',
  'Notifications to users and operators. kind: as in docs/notices.md.',
  ['kind'],
)
export const dispatchAttempts = counter(
  'linehook_dispatch_attempts_total',
  'Attempts to send a notification or a link. kind: mail or reset_link. outcome: sent, retry or failed (permanently).',
  ['kind', 'outcome'],
)

// The process.

const processInfo = gauge('linehook_process_info', 'Always 1. version: the version of Linehook.', ['version'])
const poolConnections = gauge(
  'linehook_database_pool_connections',
  "The process's connections to Postgres. state: used or free.",
  ['state'],
  () => {
    poolConnections.set({ state: 'used' }, sumOfPools('used'))
    poolConnections.set({ state: 'free' }, sumOfPools('free'))
  },
)
const poolWaiting = gauge(
  'linehook_database_pool_waiting',
  'The number of operations waiting for a connection.',
  [],
  () => {
    poolWaiting.set(sumOfPools('waiting'))
  },
)

/**
 * These metrics are about the stores and what all processes share: only `web` reports them, from readings that it
 * takes (`src/domain/operating/store-readings.ts`).
 */
export const storeUp = gauge(
  'linehook_store_up',
  'Whether the store (postgres, redis) was available to web at the last check.',
  ['store'],
)
export const redisSafe = gauge(
  'linehook_redis_safe',
  'Whether Redis is configured not to lose data, if it reveals this. check: noeviction, appendonly or written (to disk).',
  ['check'],
)
export const queueJobs = gauge('linehook_queue_jobs', 'Jobs in Redis, by queue and state.', [
  'queue',
  'state',
])
export const queueWorkers = gauge('linehook_queue_workers', 'Worker processes of the queue.', ['queue'])
export const queueRows = gauge(
  'linehook_queue_rows',
  'Rows in Postgres that are waiting to be processed, counted up to 100,000.',
  ['queue'],
)
export const queueOldest = gauge(
  'linehook_queue_oldest_seconds',
  'How long the oldest row has been due without being processed. 0 if none is due.',
  ['queue'],
)
export const carrierSessions = gauge(
  'linehook_carrier_sessions',
  'Sessions of carrier accounts. state: bound, or wanted (the number there should be).',
  ['carrier', 'state'],
)
export const endpoints = gauge(
  'linehook_endpoints',
  'Endpoints that keep failing (failing) or were disabled because of it (disabled).',
  ['state'],
)
export const partitionsAhead = gauge(
  'linehook_partitions_ahead_months',
  'The number of consecutive future months that have a partition.',
  ['table'],
)

export const diskFreeBytes = gauge(
  'linehook_disk_free_bytes',
  'Free space on the disk of MEDIA_FOLDER, as seen by web. Not reported with a bucket.',
  ['disk'],
)
export const diskFreeRatio = gauge(
  'linehook_disk_free_ratio',
  'The free share of that disk: of its bytes or of the files that it can hold, whichever is smaller.',
  ['disk'],
)

// Counters that alerts look at have to begin with 0: Prometheus sees no rise in a counter that was not there before.
messageOutcomes.inc({ outcome: 'unknown', reason: 'worker_lost' }, 0)
messageOutcomes.inc({ outcome: 'unknown', reason: 'carrier_outcome_unknown' }, 0)
messageRequests.inc({ source: 'webhook', outcome: 'unavailable' }, 0)

/** The text that Prometheus reads. */
export async function scrape(): Promise<{ type: string; text: string }> {
  return { type: registry.contentType, text: await registry.metrics() }
}

const programs: string[] = []

/**
 * From now on Node's own figures are measured too (memory, processor, delay of the event loop), and the label
 * `process` of every metric has the process type: `workers` if several share the process.
 */
export function measureProcess(name: string, version: string): void {
  if (programs.length === 0) collectDefaultMetrics({ register: registry, prefix: 'linehook_' })
  if (!programs.includes(name)) programs.push(name)
  registry.setDefaultLabels({ process: programs.length === 1 ? name : 'workers' })
  processInfo.set({ version }, 1)
}

export interface PoolUse {
  used: number
  free: number
  max: number
  /** The number of callers that wait for a connection. */
  waiting: number
}

const pools = new Set<() => PoolUse>()

/**
 * Counts a pool's connections in the figures of the process.
 *
 * @returns a function that removes the pool again
 */
export function watchPool(read: () => PoolUse): () => void {
  pools.add(read)
  return () => pools.delete(read)
}

function sumOfPools(key: keyof PoolUse): number {
  return [...pools].reduce((sum, read) => sum + read()[key], 0)
}

function counter<const Label extends string = never>(
  name: string,
  help: string,
  labels: readonly Label[] = [],
) {
  metricTable.push({ name, kind: 'counter', help, labels })
  return new Counter({ name, help, labelNames: labels, registers: [registry] })
}

/** @param collect called before each scrape */
function gauge<const Label extends string = never>(
  name: string,
  help: string,
  labels: readonly Label[] = [],
  collect?: () => void,
) {
  metricTable.push({ name, kind: 'gauge', help, labels })
  return new Gauge({ name, help, labelNames: labels, registers: [registry], ...(collect ? { collect } : {}) })
}

function histogram<const Label extends string = never>(
  name: string,
  help: string,
  labels: readonly Label[],
  buckets: number[],
) {
  metricTable.push({ name, kind: 'histogram', help, labels })
  return new Histogram({ name, help, labelNames: labels, registers: [registry], buckets })
}
