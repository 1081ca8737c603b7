import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from '../fault.js'
import type { Layout } from '../installation.js'

const layout: Partial<Layout> = { hasFirstRoute: true }

/** Lines have two accounts, and the first of them dies. Texts go on by the other one at once. */
export const routeFaults: Fault[] = [
  {
    name: 'route-refuses',
    about: 'The first of two accounts accepts no connections for 10 s.',
    layout,
    accepting: 'never',
    recoversFrom: 'start',
    inflict: async ({ telnyx, say }) => {
      say('the first route refuses connections')
      telnyx?.proxy.refuse()
      await sleep(10_000)
      await telnyx?.proxy.pass()
    },
  },
  {
    name: 'route-blackhole',
    about: 'The network to the first of two accounts holds back everything for 10 s, then delivers it.',
    layout,
    accepting: 'never',
    recoversFrom: 'start',
    inflict: async ({ telnyx, say }) => {
      say('the first route is out of reach')
      telnyx?.proxy.blackhole()
      await sleep(10_000)
      await telnyx?.proxy.pass()
    },
  },
  {
    name: 'route-flaps',
    about: 'Connections to the first of two accounts are reset every half second, for 10 s.',
    layout,
    accepting: 'never',
    inflict: async ({ telnyx, say }) => {
      say('connections to the first route are reset')
      for (let n = 0; n < 20; n += 1) {
        telnyx?.proxy.reset()
        await sleep(500)
      }
    },
  },
]
