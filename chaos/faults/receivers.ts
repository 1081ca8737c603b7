import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from '../fault.js'
import type { Manner } from '../stand-ins/receiver.js'

/** One of two receivers misbehaves for a while. The other one is good and must not be affected. */
export const receiverFaults: Fault[] = [
  receiver('hangs', 'A receiver does not respond for 10 s.', ['hangs']),
  receiver('drips', 'A receiver responds one byte at a time for 10 s.', ['drips']),
  receiver('closes', 'A receiver closes connections before it has read the request, for 10 s.', ['closes']),
  receiver('flaps', 'A receiver alternates between failing and working every second, for 10 s.', [
    ...Array.from({ length: 5 }, (): Manner[] => ['fails', 'good']).flat(),
  ]),
]

function receiver(name: string, about: string, manners: readonly Manner[]): Fault {
  return {
    name: `receiver-${name}`,
    about,
    accepting: 'never',
    inflict: async ({ treatEvents, say }) => {
      say(`a receiver ${name}`)
      for (const manner of manners) {
        await treatEvents(manner)
        await sleep(10_000 / manners.length)
      }
      await treatEvents('good')
    },
  }
}
