import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from '../fault.js'
import type { Layout } from '../installation.js'

const layout: Partial<Layout> = { copies: { 'receive-smpp': 1 } }

export const smppFaults: Fault[] = [
  {
    name: 'smsc-blackhole',
    about: 'The network to an SMSC holds back everything for 10 s, then delivers it.',
    layout,
    accepting: 'never',
    inflict: async ({ smsc, say }) => {
      say('the SMSC is out of reach')
      smsc?.blackhole()
      await sleep(10_000)
      await smsc?.pass()
    },
  },
  {
    name: 'smsc-reset',
    about: 'Sessions with an SMSC are reset every two seconds, for 10 s.',
    layout,
    accepting: 'never',
    inflict: async ({ smsc, say }) => {
      say('sessions are reset')
      for (let n = 0; n < 5; n += 1) {
        smsc?.reset()
        await sleep(2000)
      }
    },
  },
]
