import type { CarrierClient } from '../../carriers/carrier.js'
import type { AccountKey } from '../../carriers/registry.js'
import { lockCarrierAccounts } from '../../database/carriers/carrier-accounts.js'
import type { Database } from '../../database/connection.js'
import { UserError } from '../../errors.js'
import { openSettings, SettingsUnreadable } from './carrier-settings.js'
import type { Context } from '../context.js'

/**
 * Finds the client of the account that lines are at.
 *
 * @returns undefined if its kind is switched off here
 * @throws Unavailable, SettingsUnreadable
 */
export function findCarrierClient(context: Context, account: AccountKey): Promise<CarrierClient | undefined> {
  return context.carriers.get(account, () => openSettings(context, account.id))
}

/**
 * Does the same as `findCarrierClient`, for a user's request.
 *
 * @throws UserError if its kind is switched off here, 409 if its settings cannot be opened
 */
export async function getCarrierClient(context: Context, account: AccountKey): Promise<CarrierClient> {
  try {
    const carrier = await findCarrierClient(context, account)
    if (carrier !== undefined) return carrier
  } catch (error) {
    if (error instanceof SettingsUnreadable) throw new UserError(error.message, 409)
    throw error
  }
  throw notSetUp(account.name)
}

/**
 * Keeps accounts that a line gets from being removed until the transaction ends: a line that names an account that is
 * gone would use a later one of the same name.
 *
 * @throws UserError if one has been removed
 */
export async function requireAccounts(trx: Database, names: readonly string[]): Promise<void> {
  const [gone] = await lockCarrierAccounts(trx, names)
  if (gone !== undefined) throw notSetUp(gone)
}

export function notSetUp(name: string): UserError {
  return new UserError(
    `Carrier ${name} is not set up. Add it with \`linehook carrier add\`. The simulator needs SIMULATOR=true`,
  )
}
