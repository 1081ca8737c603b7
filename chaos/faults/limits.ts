import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from '../fault.js'

/** The limits of a line are counted by the minute. */
const AFTER_MS = 65_000

export const limitFaults: Fault[] = [
  {
    name: 'limits-slow-postgres',
    about:
      'Postgres is 300 ms away while a line sends its first 30, and back to normal for those a minute later.',
    accepting: 'never',
    fromTheBeginning: true,
    afterMs: AFTER_MS,
    inflict: async ({ proxies, say }) => {
      say('300 ms to Postgres')
      proxies.workers.postgres.delay(300)
      await sleep(20_000)
      await proxies.workers.postgres.pass()
    },
  },
  {
    name: 'limits-frozen-sender',
    about: 'The sender is stopped for a moment while a line sends its first 30.',
    accepting: 'never',
    fromTheBeginning: true,
    afterMs: AFTER_MS,
    inflict: async ({ copies, say, random }) => {
      await sleep(random.between(150, 500))
      say('SIGSTOP of send-message for 4 s')
      const senders = copies.filter(({ name }) => name === 'send-message')
      for (const sender of senders) sender.freeze()
      await sleep(4000)
      for (const sender of senders) sender.wake()
    },
  },
]
