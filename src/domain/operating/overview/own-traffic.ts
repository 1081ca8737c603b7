import { listBusiest, type Busiest } from '../../../database/operating/overview/busiest.js'
import { sumOwnTraffic, type OwnBin } from '../../../database/operating/overview/own-traffic.js'
import { readOnly } from '../../../database/operating/overview/reading.js'
import type { Context } from '../../context.js'
import { SPANS, type Span } from './spans.js'
import { NOTHING, type Traffic, type Waits } from './traffic.js'

/** The dimensions by which a user can split their own traffic. */
export const OWN_DIMENSIONS = ['line', 'endpoint'] as const
export type OwnDimension = (typeof OWN_DIMENSIONS)[number]

export interface OwnTraffic {
  traffic: Traffic
  busiest: Busiest
  /** Before this time, the traffic lacks messages and events of some line; null if it is complete. */
  lookedBackTo: Date | null
}

/**
 * Counts the traffic of a user's lines. The counts are made from the rows, because those of the whole installation are not
 * split by line, so of a very busy line only the newest rows are
 * counted.
 */
export async function readOwnTraffic(
  { db }: Context,
  userId: string,
  span: Span,
  by: OwnDimension,
): Promise<OwnTraffic> {
  const now = new Date()
  const { binSeconds, binCount } = SPANS[span]
  const binMs = binSeconds * 1000
  const sinceMs = (Math.floor(now.getTime() / binMs) - binCount + 1) * binMs
  const binning = { userId, since: new Date(sinceMs).toISOString(), binSeconds }
  return readOnly(db, async (trx) => {
    const sums = await sumOwnTraffic(trx, binning)
    const sumOf = new Map(sums.bins.map((each) => [each.bin, each]))
    const bins = Array.from({ length: binCount }, (_, bin) => {
      const at = new Date(sinceMs + bin * binMs)
      const minutesOver = Math.floor((now.getTime() - at.getTime()) / 60_000)
      const sum = sumOf.get(bin)
      return {
        at,
        minutes: Math.max(0, Math.min(binSeconds / 60, minutesOver)),
        counts: sum ?? NOTHING,
        waits: waitsOf(sum),
      }
    })
    const all = sumOf.get(null)
    return {
      traffic: { span, bins, totals: all ?? NOTHING, waits: waitsOf(all), countedAt: now },
      busiest: await listBusiest(trx, by, { seconds: binSeconds * binCount, binSeconds, userId }),
      lookedBackTo: sums.lookedBackTo,
    }
  })
}

function waitsOf(sum: Pick<OwnBin, 'toCarrier' | 'toEndpoint'> | undefined): Waits {
  const of = (name: keyof Waits, value: [number, number] | null | undefined) =>
    value == null ? {} : { [name]: { p50Ms: value[0], p95Ms: value[1] } }
  return { ...of('carrier', sum?.toCarrier), ...of('endpoint', sum?.toEndpoint) }
}
