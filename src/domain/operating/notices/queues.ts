import type { Context } from '../../context.js'
import { readQueues, type QueueView } from '../overview/queues.js'
import type { QueueDetails } from './kinds.js'
import type { Watched } from './troubles.js'

/** Workers are restarted within this time. */
const PATIENCE_MS = 60_000

/** Watches queues; they are stuck if the overview says so. */
export function watchQueues(context: Context): Watched {
  return {
    kinds: ['queue.stuck'],
    findTroubles: async () => {
      const views = await readQueues(context)
      return {
        troubles: views
          .filter(({ state }) => state === 'stuck')
          .map((view) => ({
            kind: 'queue.stuck' as const,
            subject: view.name,
            userId: null,
            mark: 'stuck',
            afterMs: PATIENCE_MS,
            details: detailsOf(view),
          })),
        endOf: ({ subject }) => {
          const view = views.find(({ name }) => name === subject)
          if (view === undefined) return { kind: 'over' }
          return { kind: 'recovered', as: 'queue.recovered', userId: null, details: detailsOf(view) }
        },
      }
    },
  }
}

function detailsOf({ name, why }: QueueView): QueueDetails {
  return { queue: name, why }
}
