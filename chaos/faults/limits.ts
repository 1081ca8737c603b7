import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from '../fault.js'

/** These faults last for more than a minute, because the limits of a line are counted by the minute. */
export const limitFaults: Fault[] = [
  {
    name: 'limits-slow-postgres',
    about:
      'Postgres is 300 ms away while a line sends its first 30, and back to normal for those a minute later.',
    isShort: true,
    accepting: 'never',
    fromTheBeginning: true,
    inflict: async ({ proxies, say }) => {
      say('300 ms to Postgres')
      proxies.workers.postgres.delay(300)
      await sleep(20_000)
      await proxies.workers.postgres.pass()
      await sleep(50_000)
    },
  },
  {
    name: 'limits-frozen-sender',
    about: 'The sender is stopped for a moment while a line sends its first 30.',
    isShort: true,
    accepting: 'never',
    fromTheBeginning: true,
    inflict: async ({ copies, say, random }) => {
      await sleep(random.between(150, 500))
      say('SIGSTOP of send-message for 4 s')
      const senders = copies.filter(({ name }) => name === 'send-message')
      for (const sender of senders) sender.freeze()
      await sleep(4000)
      for (const sender of senders) sender.wake()
      await sleep(66_000)
    },
  },
]
