import type { Carrier } from '../carriers/carrier.js'
import type { AccountKey } from '../carriers/registry.js'
import { findSealedSettings } from '../database/carrier-accounts.js'
import { available } from '../database/connection.js'
import { asError, Unavailable } from '../errors.js'
import type { Context } from './context.js'

/**
 * The carrier that an account's lines are at.
 *
 * @returns undefined when its kind is switched off here
 * @throws Unavailable also when its settings cannot be opened: a wrong key must not fail what waits to be sent
 */
export function findCarrier(context: Context, account: AccountKey): Promise<Carrier | undefined> {
  return context.carriers.get(account, () => openSettings(context, account.id))
}

/** What `addCarrierAccount` sealed. @throws Unavailable */
export async function openSettings({ db, secrets, log }: Context, accountId: string): Promise<object> {
  const sealed = await available(() => findSealedSettings(db, accountId))
  if (sealed === undefined) return {}
  try {
    return JSON.parse(secrets.open(sealed, settingsPlace(accountId))) as object
  } catch (error) {
    log.error({ carrierAccountId: accountId, err: asError(error) }, 'carrier.settings_unreadable')
    throw new Unavailable('the settings of the carrier account cannot be opened: see ENCRYPTION_KEY', 60)
  }
}

/** Where an account's settings are sealed to (`secrets.ts`). */
export function settingsPlace(accountId: string): string {
  return `carrier_accounts.settings:${accountId}`
}
