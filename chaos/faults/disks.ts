import { setTimeout as sleep } from 'node:timers/promises'
import { whyNoDisk } from '../disk.js'
import type { Fault } from '../fault.js'
import type { Layout } from '../installation.js'

export const diskFaults: Fault[] = [
  full('postgres', 'The disk of Postgres is full for 10 s.', 'during'),
  full('redis', 'The disk of Redis is full for 10 s.', 'never'),
  full('media', 'The disk for media is full for 10 s.', 'never'),
]

function full(what: Layout['smallDisk'], about: string, accepting: Fault['accepting']): Fault {
  return {
    name: `disk-full-${what}`,
    about,
    missing: whyNoDisk,
    layout: { smallDisk: what, copies: what === 'media' ? { 'fetch-media': 1 } : {} },
    accepting,
    inflict: async ({ disk, say }) => {
      say(`the disk of ${what} is full`)
      disk?.fill()
      await sleep(10_000)
      disk?.free()
    },
  }
}
