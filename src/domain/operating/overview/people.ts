import { readOnly } from '../../../database/operating/overview/reading.js'
import {
  listFailedMedia,
  listUnknownMessages,
  type LooseEnds,
} from '../../../database/operating/overview/loose-ends.js'
import { listCarrierAccounts } from '../../../database/carriers/carrier-accounts.js'
import type { Database } from '../../../database/connection.js'
import { listCountryPauses, type CountryPause } from '../../../database/messages/country-guard.js'
import { findAllSending, type AllSending } from '../../../database/operating/pauses.js'
import { findHolding, type HoldingEndpoint } from './endpoints.js'

/** The things that only a person can resolve. */
export interface ForPeople {
  unknownMessages: LooseEnds[]
  failedMedia: LooseEnds[]
  holding: HoldingEndpoint[]
  /** null if all sending is not paused. */
  allSendingPause: AllSending | null
  pausedAccounts: { id: string; name: string }[]
  pausedCountries: CountryPause[]
}

/** A user with more of them has one cause. */
const MAX_COUNTRIES = 5

export async function readPausesForPeople(db: Database): Promise<ForPeople> {
  return readOnly(db, async (trx) => ({
    unknownMessages: await listUnknownMessages(trx),
    failedMedia: await listFailedMedia(trx),
    holding: await findHolding(trx),
    ...(await findPauses(trx)),
    pausedCountries: await listCountryPauses(trx, {}, MAX_COUNTRIES),
  }))
}

async function findPauses(db: Database): Promise<Pick<ForPeople, 'allSendingPause' | 'pausedAccounts'>> {
  const all = await findAllSending(db)
  const accounts = await listCarrierAccounts(db)
  return {
    allSendingPause: all.pausedAt === null ? null : all,
    pausedAccounts: accounts
      .filter(({ pausedAt }) => pausedAt !== null)
      .map(({ id, name }) => ({ id, name })),
  }
}
