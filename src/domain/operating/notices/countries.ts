import { listCountryPauses } from '../../../database/messages/country-guard.js'
import type { Context } from '../../context.js'
import type { NoticeDetails } from '../../../event-types.js'
import { subjectsOf, type Watched } from './troubles.js'

/** How many paused countries are added in one look, newest first, to those that were paused before. */
const MAX_ADDED = 200

/** Watches the countries that the guard has paused. Resuming one is not reported. */
export function watchCountries({ db }: Context): Watched {
  return {
    kinds: ['country.paused'],
    findTroubles: async (open) => {
      const known = subjectsOf(open)
      const pauses = await listCountryPauses(db, { known }, known.length + MAX_ADDED)
      return {
        troubles: pauses.map(({ userId, country, accepted, usual, pausedAt }) => ({
          kind: 'country.paused' as const,
          subject: `${userId}:${country}`,
          userId,
          mark: pausedAt.toISOString(),
          afterMs: 0,
          details: { userId, country, accepted, usual } satisfies NoticeDetails<'country.paused'>,
        })),
        endOf: () => ({ kind: 'over' }),
      }
    },
  }
}
