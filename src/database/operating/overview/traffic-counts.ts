import type { Database } from '../../connection.js'
import { only } from './reading.js'

/** The counts and the names of their columns. */
const COLUMNS = {
  accepted: 'accepted',
  sent: 'sent',
  delivered: 'delivered',
  failed: 'failed',
  unknown: 'unknown',
  received: 'received',
  eventsDelivered: 'events_delivered',
  attemptsFailed: 'attempts_failed',
} as const

export type CountName = keyof typeof COLUMNS
export type Counts = Record<CountName, number>

/**
 * `carrier` is the time from the acceptance of a message to its hand-over, `endpoint` that from an event to the 2xx.
 */
export type WaitKind = 'carrier' | 'endpoint'

/** Times are counted in steps, each a quarter longer than the one before; step 0 is up to a millisecond. */
export const STEP = 1.25

/** The spans of time that have rows. */
type RowSeconds = 60 | 900

/** Returns Postgres's time, and the time when minutes were last counted; null if that was not within the last day. */
export async function findCountingState(db: Database): Promise<{ now: Date; countedAt: Date | null }> {
  const { rows } = await db.raw<{ rows: { now: Date; countedAt: Date | null }[] }>(
    `select now() as now, (select max(counted_at) from traffic_counts
       where seconds = 60 and begins_at > now() - interval '1 day') as "countedAt"`,
  )
  return only(rows)
}

/** The rows that left the queues in the last 60 s; null if no process counts. */
interface Rates {
  handedOver: number | null
  attempts: number | null
  countedAt: Date | null
}

/** Half a minute is enough: a `maintenance` that counts does so every few seconds. */
const FRESH = `interval '30 seconds'`

/** Counts this minute, and the part of the one before that is still within 60 s. */
export async function findRates(db: Database): Promise<Rates> {
  const rate = (counts: string) =>
    `case when max(counted_at) > clock_timestamp() - ${FRESH} then round(sum((${counts})
       * case when begins_at = date_trunc('minute', now()) then 1 else 1 - extract(second from now()) / 60 end))::integer end`
  const { rows } = await db.raw<{ rows: Rates[] }>(
    `select max(counted_at) as "countedAt", ${rate('sent + failed + unknown')} as "handedOver",
       ${rate('events_delivered + attempts_failed')} as attempts
     from traffic_counts where seconds = 60 and begins_at >= date_trunc('minute', now()) - interval '1 minute'`,
  )
  return only(rows)
}

/** Bins of this many seconds, made of rows of this many; the first one begins at `since`. */
export interface Binning {
  since: Date
  binSeconds: number
  rowSeconds: RowSeconds
}

export type CountsOfBin = Counts & { bin: number }

export async function sumCounts(db: Database, binning: Binning): Promise<CountsOfBin[]> {
  const sums = Object.entries(COLUMNS).map(([name, column]) => `sum(${column})::integer as "${name}"`)
  const { rows } = await db.raw<{ rows: CountsOfBin[] }>(
    `select ${BIN} as bin, ${sums.join(', ')} from traffic_counts where ${IN_BINS} group by 1`,
    bindingsOf(binning),
  )
  return rows
}

export interface WaitsOfBin {
  bin: number
  kind: WaitKind
  step: number
  count: number
}

/** Sums the waits, by bin and step. */
export async function sumWaits(db: Database, binning: Binning): Promise<WaitsOfBin[]> {
  const ofKind = (kind: WaitKind) =>
    `select ${BIN} as bin, '${kind}' as kind, s.key::integer as step, sum(s.value::integer)::integer as count
     from traffic_counts cross join lateral jsonb_each_text(to_${kind}) s where ${IN_BINS} group by 1, 3`
  const { rows } = await db.raw<{ rows: WaitsOfBin[] }>(
    `${ofKind('carrier')} union all ${ofKind('endpoint')}`,
    bindingsOf(binning),
  )
  return rows
}

const BIN = `floor(extract(epoch from begins_at - :since::timestamptz) / :binSeconds)::integer`
const IN_BINS = `seconds = :rowSeconds and begins_at >= :since::timestamptz`

function bindingsOf({ since, binSeconds, rowSeconds }: Binning) {
  return { since: since.toISOString(), binSeconds, rowSeconds }
}
