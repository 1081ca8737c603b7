import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessName } from '../../test/helpers/processes.js'
import type { Fault, World } from '../fault.js'
import type { Layout } from '../installation.js'

const HOUR = 3_600_000

/** A wrong clock is wrong from the start: nothing happens but time. */
export const clockFaults: Fault[] = [
  clock('webs-apart', 'Of two web processes one has its clock half a second ahead.', true, {
    copies: { web: 2 },
    clocksMs: { web: [0, 500] },
  }),
  ...[
    ['5s-ahead', 5000],
    ['5s-behind', -5000],
    ['1h-ahead', HOUR],
    ['1h-behind', -HOUR],
  ].flatMap(([name, offset]) => {
    const [words, ms] = [String(name).replace('-', ' '), Number(offset)]
    return [
      clock(`web-${name}`, `The clock of web is ${words}.`, false, { clocksMs: { web: [ms] } }),
      clock(`sender-${name}`, `Of two senders the clock of one is ${words}; it is taken away.`, ms === HOUR, {
        copies: { 'send-message': 2 },
        clocksMs: { 'send-message': [ms, 0] },
      }),
      clock(
        `others-${name}`,
        `The clocks of deliver-event, fetch-media and maintenance are ${words}.`,
        false,
        { clocksMs: { 'deliver-event': [ms], 'fetch-media': [ms], maintenance: [ms] } },
      ),
    ]
  }),
]

function clock(name: string, about: string, isShort: boolean, layout: Partial<Layout>): Fault {
  return {
    name: `clock-${name}`,
    about,
    isShort,
    layout,
    accepting: 'never',
    inflict: async ({ say, carrier, random, copies }) => {
      say('some texts have to be tried again')
      // A carrier that is away for a moment makes workers put texts off, which is where clocks come in.
      carrier.refuse()
      await sleep(random.between(2000, 4000))
      await endFirstOf(copies, 'send-message')
      await carrier.pass()
      await sleep(5000)
    },
  }
}

/** Its jobs stay, with the times that it gave them; a clock that promotes them too soon would hide that. */
async function endFirstOf(copies: World['copies'], kind: ProcessName): Promise<void> {
  const [first, second] = copies.filter(({ name }) => name === kind)
  if (second) await first?.end()
}
