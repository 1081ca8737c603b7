import { transaction } from '../../database/connection.js'
import {
  addCountryCounts,
  findRises,
  listCountryPauses,
  pauseCountry,
  resumeCountry as writeResumption,
  takeNewMessages,
  type CountryPause,
  type NewMessages,
  type Rise,
} from '../../database/messages/country-guard.js'
import type { User } from '../../database/people/users.js'
import { UserError } from '../../errors.js'
import { record } from '../operating/audit.js'
import type { Context } from '../context.js'
import { parseE164 } from './phone-number.js'

export type { CountryPause } from '../../database/messages/country-guard.js'

/** A user who sends ten times as much as in any hour of a month has a new purpose, or is somebody else. */
const FACTOR = 10

/**
 * Someone who steals a webhook's URL earns money by sending to their own numbers, in a country that the user does not
 * send to. So when a user's messages to a country rise suddenly, messages to it are refused until an operator resumes
 * them. Messages that were accepted before are sent. It is called every few seconds; if several processes call it, only
 * one does the work.
 *
 * Lines in that country, and lines with a list of countries that includes it, continue, because such messages are
 * wanted.
 *
 * @returns the number of countries that were paused
 */
export async function guardCountries(context: Context): Promise<number> {
  const { db, log, config } = context
  const minimum = config.countryGuardPerHour
  if (minimum === 0) return 0
  const paused = await transaction(db, async (trx) => {
    const taken = await takeNewMessages(trx)
    if (taken === undefined) return []
    await addCountryCounts(trx, taken.flatMap(countOf))
    const done: Rise[] = []
    for (const rise of await findRises(trx, { minimum, factor: FACTOR })) {
      const lineCount = await pauseCountry(trx, rise)
      if (lineCount === 0) continue
      const { userId, country, accepted, usual } = rise
      const after = { country, accepted, usual, lineCount }
      await record(context, trx, { action: 'user.country.paused', subjectId: userId, userId, after })
      done.push(rise)
    }
    return done
  })
  for (const rise of paused) log.warn(rise, 'country.paused')
  return paused.length
}

function countOf({ userId, hour, sample, count }: NewMessages) {
  const country = parseE164(sample)?.country
  return country === undefined ? [] : [{ userId, country, hour, count }]
}

/** Lets an operator accept the user's messages to the country again; the guard leaves it alone for a week. */
export async function resumeCountry(
  context: Pick<Context, 'db' | 'actor' | 'log'>,
  { id: userId }: Pick<User, 'id'>,
  written: string,
): Promise<void> {
  const country = written.trim().toUpperCase()
  await transaction(context.db, async (trx) => {
    if (!(await writeResumption(trx, userId, country))) {
      throw new UserError(`country must be one that is paused for this user, such as JM`, 404)
    }
    await record(context, trx, {
      ...{ action: 'user.country.resumed', subjectId: userId, userId, after: { country } },
    })
  })
  context.log.info({ userId, country }, 'country.resumed')
}

/** This is enough for the countries of the world, and some more. */
const MAX_LISTED = 300

export function listPausedCountries({ db }: Pick<Context, 'db'>, userId: string): Promise<CountryPause[]> {
  return listCountryPauses(db, { userId }, MAX_LISTED)
}

const NAMES = new Intl.DisplayNames('en', { type: 'region' })

/** Returns a name such as `Jamaica`. */
export function countryName(code: string): string {
  return NAMES.of(code) ?? code
}
