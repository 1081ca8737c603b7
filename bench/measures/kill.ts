import { until } from '../../test/helpers/until.js'
import { queueDeliveries } from '../backlog.js'
import type { Bench } from '../harness/bench.js'
import { withInstallation } from '../harness/with-installation.js'
import { seedLines } from '../lines.js'
import type { Figure } from '../measure.js'
import { startReceiver, type Arrival, type Receiver } from '../outside/receiver.js'
import { countUndelivered, listDelivering } from '../rows.js'

const EVENTS = 3000
const ENDPOINTS = 50
const KILLED_AFTER = 1000
/** Answers take so long that the process has many requests under way when it is killed. */
const ANSWER_MS = 50
/** The supervisor of `npm start` waits so long too. */
const RESTART_MS = 500
const LIMIT_MS = 60_000

/**
 * Kills a `deliver-event` process in the middle of a backlog and starts it again as a supervisor does, while `maintenance`
 * runs. Measures how many events come twice, and how long it takes until everything that the process held is delivered.
 */
export async function measureKill(bench: Bench, rounds: number): Promise<Figure[]> {
  const deaths: Death[] = []
  for (let round = 0; round < rounds; round += 1) deaths.push(await killOnce(bench))
  const worst = (of: (death: Death) => number) => Math.max(...deaths.map(of))
  return [
    {
      name: 'kill -9, all that it held delivered',
      value: worst(({ heldSeconds }) => heldSeconds),
      unit: 's',
      note: `it held ${worst(({ heldCount }) => heldCount)}`,
    },
    { name: 'kill -9, the whole backlog delivered', value: worst(({ allSeconds }) => allSeconds), unit: 's' },
    {
      name: 'kill -9, delivered again',
      value: worst(({ repeats }) => repeats),
      unit: '',
      note: `of ${EVENTS}`,
    },
  ]
}

interface Death {
  /** The number of deliveries that it held. */
  heldCount: number
  heldSeconds: number
  allSeconds: number
  /** The number of events that came more than once. */
  repeats: number
}

async function killOnce(bench: Bench): Promise<Death> {
  const receiver = await startReceiver()
  try {
    return await withInstallation(bench, async (installation) => {
      const { sql } = installation
      const outgoingUrls = Array.from(
        { length: ENDPOINTS },
        (_, n) => `${receiver.url}/wait/${ANSWER_MS}/${n}`,
      )
      const { lines } = await seedLines(installation, { count: ENDPOINTS, outgoingUrls })
      await queueDeliveries(installation, lines, EVENTS)
      const [worker] = await Promise.all([
        installation.start('deliver-event'),
        installation.start('maintenance'),
      ])
      await until('it is in the middle', () => receiver.arrivals.length >= KILLED_AFTER, LIMIT_MS)
      await worker.end('SIGKILL')
      const killedAt = performance.now()
      const held = new Set(await listDelivering(sql))
      await until('a supervisor would start it', () => performance.now() - killedAt >= RESTART_MS)
      await installation.start('deliver-event')

      let heldSeconds: number | undefined
      await until(
        'all is delivered',
        async () => {
          const seconds = (performance.now() - killedAt) / 1000
          if (heldSeconds === undefined && (await countUndelivered(sql, [...held])) === 0)
            heldSeconds = seconds
          return (await countUndelivered(sql)) === 0
        },
        LIMIT_MS,
      )
      return {
        heldCount: held.size,
        heldSeconds: heldSeconds ?? NaN,
        allSeconds: (lastArrivalOf(receiver) - killedAt) / 1000,
        repeats: countRepeats(receiver.arrivals),
      }
    })
  } finally {
    receiver.close()
  }
}

function lastArrivalOf({ arrivals }: Receiver): number {
  return arrivals.at(-1)?.at ?? NaN
}

function countRepeats(arrivals: readonly Arrival[]): number {
  return arrivals.length - new Set(arrivals.map(({ id }) => id)).size
}
