import {
  findCountingState,
  sumCounts,
  sumWaits,
  type CountName,
  type Counts,
  type WaitKind,
  type WaitsOfBin,
} from '../../../database/operating/overview/traffic-counts.js'
import type { Database } from '../../../database/connection.js'
import { percentilesOf, type Percentiles } from './percentiles.js'
import { SPANS, type Span } from './spans.js'

export type { CountName } from '../../../database/operating/overview/traffic-counts.js'

/** The counts of what was sent and received. */
export interface Traffic {
  span: Span
  bins: TrafficBin[]
  /** The counts of the whole span. */
  totals: Counts
  waits: Waits
  /** The time when minutes were last counted; null if that is more than a day ago. */
  countedAt: Date | null
}

export interface TrafficBin {
  at: Date
  /** The number of its minutes that are over and counted. */
  minutes: number
  counts: Counts
  waits: Waits
}

/** The waits; undefined if there were none. */
export type Waits = Partial<Record<WaitKind, Percentiles>>

export const NOTHING: Counts = {
  accepted: 0,
  sent: 0,
  delivered: 0,
  failed: 0,
  unknown: 0,
  received: 0,
  eventsDelivered: 0,
  attemptsFailed: 0,
}

const COUNT_NAMES = Object.keys(NOTHING) as CountName[]

export async function readTraffic(db: Database, span: Span): Promise<Traffic> {
  const { binSeconds, binCount, rowSeconds } = SPANS[span]
  const { now, countedAt } = await findCountingState(db)
  const countedUntil = countedAt ?? new Date(0)
  const binMs = binSeconds * 1000
  const sinceMs = (Math.floor(now.getTime() / binMs) - binCount + 1) * binMs
  const binning = { since: new Date(sinceMs), binSeconds, rowSeconds }
  const counted = new Map((await sumCounts(db, binning)).map(({ bin, ...counts }) => [bin, counts]))
  const waits = await sumWaits(db, binning)
  const bins = Array.from({ length: binCount }, (_, bin): TrafficBin => {
    const at = new Date(sinceMs + bin * binMs)
    const minutesOver = Math.floor((countedUntil.getTime() - at.getTime()) / 60_000)
    return {
      at,
      minutes: Math.max(0, Math.min(binSeconds / 60, minutesOver)),
      counts: counted.get(bin) ?? NOTHING,
      waits: waitsOf(waits.filter((row) => row.bin === bin)),
    }
  })
  return { span, bins, totals: sum(bins), waits: waitsOf(waits), countedAt }
}

function sum(bins: readonly TrafficBin[]): Counts {
  const totals = { ...NOTHING }
  for (const { counts } of bins) for (const name of COUNT_NAMES) totals[name] += counts[name]
  return totals
}

function waitsOf(rows: readonly WaitsOfBin[]): Waits {
  const ofKind = (kind: WaitKind) => {
    const percentiles = percentilesOf(rows.filter((row) => row.kind === kind))
    return percentiles === undefined ? {} : { [kind]: percentiles }
  }
  return { ...ofKind('carrier'), ...ofKind('endpoint') }
}
