import type { Context } from '../../context.js'
import { readCarriers, type CarrierView } from '../overview/carriers.js'
import type { CarrierDetails } from './kinds.js'
import type { Watched } from './troubles.js'

/** A process that holds sessions is restarted within this time. */
const PATIENCE_MS = 60_000

/** Watches carrier accounts, which are down if the overview calls them bad. */
export function watchCarriers(context: Context): Watched {
  return {
    kinds: ['carrier.down'],
    findTroubles: async () => {
      const views = await readCarriers(context)
      const byId = new Map(views.map((view) => [view.id, view]))
      return {
        troubles: views
          .filter(({ mood }) => mood === 'bad')
          .map((view) => ({
            kind: 'carrier.down' as const,
            subject: view.id,
            userId: null,
            mark: 'down',
            afterMs: PATIENCE_MS,
            details: detailsOf(view),
          })),
        endOf: ({ subject }) => {
          const view = byId.get(subject)
          if (view === undefined) return { kind: 'over' }
          return { kind: 'recovered', as: 'carrier.recovered', userId: null, details: detailsOf(view) }
        },
      }
    },
  }
}

function detailsOf({ id, name, state }: CarrierView): CarrierDetails {
  return { accountId: id, name, state }
}
