import { listCountryPauses } from '../../../database/messages/country-guard.js'
import type { Context } from '../../context.js'
import { watching, type Watched } from './troubles.js'

/** How many paused countries are added in one look, newest first, to those that were paused before. */
const MAX_ADDED = 200

/** Watches the countries that the guard has paused. Resuming one is not reported. */
export function watchCountries({ db }: Context): Watched {
  return watching('country.paused', async (known) => {
    const pauses = await listCountryPauses(db, { known }, known.length + MAX_ADDED)
    return pauses.map(({ userId, country, accepted, usual, pausedAt }) => ({
      subject: `${userId}:${country}`,
      userId,
      mark: pausedAt.toISOString(),
      details: { userId, country, accepted, usual },
    }))
  })
}
