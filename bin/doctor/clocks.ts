import { fault, ok, warning, type Check, type Finding } from './check.js'
import { postgres } from './postgres.js'
import { redisServer } from './redis.js'
import type { Subject } from './subject.js'

/** Smaller differences do no harm. */
const WARNING_MS = 1000
/** Receivers refuse signatures that are 5 minutes old, and ids follow the clocks of the processes. */
const FAULT_MS = 60_000

export interface Reading {
  whose: string
  /** The time by which it is ahead of this machine's clock. */
  aheadMs: number
  /** The most by which the true value may differ: half of the round trip. */
  uncertainMs: number
}

export const clocks: Check = {
  name: 'Clocks',
  after: [postgres.name, redisServer.name],
  look: async (subject, works) => {
    const readings = await Promise.all([
      ...(works(postgres.name) ? [readPostgres(subject)] : []),
      ...(works(redisServer.name) ? [readRedis(subject)] : []),
    ])
    return readings.length === 0
      ? warning(
          "No other clock is available to compare with this machine's.",
          'Fix Postgres and Redis first.',
        )
      : judgeClocks(readings)
  },
}

export function judgeClocks(readings: readonly Reading[]): Finding {
  const others = readings.map(({ whose }) => whose).join(' and ')
  const wrong = readings
    .filter(({ aheadMs, uncertainMs }) => Math.abs(aheadMs) - uncertainMs > WARNING_MS)
    .sort((a, b) => Math.abs(b.aheadMs) - Math.abs(a.aheadMs))
  const [worst] = wrong
  if (worst === undefined) return ok(`The clocks of ${others} agree with this machine's.`)
  const words = wrong.map(
    ({ whose, aheadMs }) =>
      `the clock of ${whose} is ${(Math.abs(aheadMs) / 1000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine's`,
  )
  const why = `${words.join(', and ')}.`.replace(/^t/, 'T')
  const cure = 'Synchronize every machine with NTP (chrony, systemd-timesyncd).'
  return Math.abs(worst.aheadMs) > FAULT_MS ? fault(why, cure) : warning(why, cure)
}

async function readPostgres({ db }: Subject): Promise<Reading> {
  return read('Postgres', async () => {
    const { rows } = await db.raw<{ rows: { ms: number }[] }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::double precision as ms',
    )
    return rows[0]?.ms ?? NaN
  })
}

async function readRedis({ redis }: Subject): Promise<Reading> {
  return read('Redis', async () => {
    const [seconds, microseconds] = await redis.time()
    return Number(seconds) * 1000 + Number(microseconds) / 1000
  })
}

async function read(whose: string, ask: () => Promise<number>): Promise<Reading> {
  // The first question may open a connection, which takes longer one way than the other.
  await ask()
  const startedAt = Date.now()
  const theirs = await ask()
  const endedAt = Date.now()
  const uncertainMs = (endedAt - startedAt) / 2
  return { whose, aheadMs: theirs - (startedAt + uncertainMs), uncertainMs }
}
