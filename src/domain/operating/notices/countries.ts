import { listCountryPauses } from '../../../database/messages/country-guard.js'
import type { Context } from '../../context.js'
import type { NoticeDetails } from '../../../event-types.js'
import type { Watched } from './troubles.js'

/** How many paused countries are checked, newest first: a user with more of them has a single cause. */
const MAX_LOOKED_AT = 200

/** Watches the countries that the guard has paused. Resuming one is not reported. */
export function watchCountries({ db }: Context): Watched {
  return {
    kinds: ['country.paused'],
    findTroubles: async () => {
      const pauses = await listCountryPauses(db, {}, MAX_LOOKED_AT)
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
