import { twilioSettings, type TwilioSettings } from '../carriers/twilio/settings.js'
import { findSealedAccounts, type AccountVersion } from '../database/carrier-accounts.js'
import type { Database } from '../database/connection.js'
import { asError } from '../errors.js'
import type { Secrets } from '../secrets.js'
import type { Logger } from '../telemetry/log.js'
import { unseal } from './carrier-settings.js'

/** An account at Twilio, which calls us back and signs with its auth token. */
export interface TwilioAccount extends AccountVersion {
  name: string
  settings: TwilioSettings
}

/** In the order of the ids: undefined where there is no such account, SettingsUnreadable where it cannot be opened. */
export async function findTwilioAccounts(
  tools: { db: Database; secrets: Secrets; log: Logger },
  ids: readonly string[],
): Promise<(TwilioAccount | undefined | Error)[]> {
  const accounts = await findSealedAccounts(tools.db, 'twilio', ids)
  return accounts.map((account) => {
    if (account === undefined) return undefined
    const { id, name, version } = account
    try {
      return { id, name, version, settings: twilioSettings.cast(unseal(tools, id, account)) }
    } catch (error) {
      return asError(error)
    }
  })
}
