import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from '../fault.js'

export const mediaFaults: Fault[] = [
  {
    name: 'media-closing',
    about:
      'Pictures come from servers that close the connection at the end or in the middle; one process copies all of them.',
    layout: { copies: { 'fetch-media': 1 }, mediaManners: ['good', 'closes', 'old', 'cut'] },
    accepting: 'never',
    inflict: async ({ say }) => {
      say('pictures of every manner')
      await sleep(10_000)
    },
  },
]
