import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessName } from '../../test/helpers/process/processes.js'
import type { Fault, World } from '../fault.js'
import type { Layout } from '../installation.js'

const OFFSETS = [
  { name: '5s-ahead', words: '5 s ahead', ms: 5000 },
  { name: '5s-behind', words: '5 s behind', ms: -5000 },
  { name: '1h-ahead', words: '1 h ahead', ms: 3_600_000 },
  { name: '1h-behind', words: '1 h behind', ms: -3_600_000 },
]
const WORKERS: ProcessName[] = ['send-message', 'deliver-event', 'maintenance']

/** A clock is wrong from the start of its process. */
export const clockFaults: Fault[] = [
  clock('webs-apart', 'One of two web processes has its clock half a second ahead.', {
    copies: { web: 2 },
    clocksMs: { web: [0, 500] },
  }),
  ...OFFSETS.map(({ name, words, ms }) =>
    clock(`web-${name}`, `The clock of web is ${words}.`, { clocksMs: { web: [ms] } }),
  ),
  ...OFFSETS.map(({ name, words, ms }) =>
    clock(
      `workers-${name}`,
      `With two of each worker, the clock of one is ${words}; that worker is removed later.`,
      {
        copies: Object.fromEntries(WORKERS.map((kind) => [kind, 2])),
        clocksMs: Object.fromEntries(WORKERS.map((kind) => [kind, [ms, 0]])),
      },
    ),
  ),
]

function clock(name: string, about: string, layout: Partial<Layout>): Fault {
  return {
    name: `clock-${name}`,
    about,
    layout,
    accepting: 'never',
    inflict: async ({ say, carrier, treatEvents, random, copies }) => {
      // So workers have to put work off, which is where a clock matters.
      say('the carrier and a receiver are away')
      carrier.refuse()
      await treatEvents('closes')
      await sleep(random.between(2000, 4000))
      // What the wrong clocks have put off stays behind, and no process with the same clock is left to take it up.
      for (const kind of WORKERS) await endFirstOfTwo(copies, kind)
      await treatEvents('good')
      await carrier.pass()
      await sleep(5000)
    },
  }
}

async function endFirstOfTwo(copies: World['copies'], kind: ProcessName): Promise<void> {
  const [first, second] = copies.filter(({ name }) => name === kind)
  if (second) await first?.end()
}
