import { UserError } from '../../../errors.js'
import { listAccountOverviews, type ListedCarrierAccount } from '../carrier-accounts.js'
import { getCarrierClient } from '../carrier-clients.js'
import { openSettings, SettingsUnreadable } from '../carrier-settings.js'
import type { Context } from '../../context.js'
import { showSettings, type SettingView } from './settings.js'

/** Everything about an account that may be shown, which is everything except its secrets. */
export interface CarrierAccountOverview {
  account: ListedCarrierAccount
  settings: SettingView[]
  canListNumbers: boolean
  canSetUpNumbers: boolean
  /** Why it cannot send at the moment, in words. */
  fault: string | undefined
}

/** @throws UserError 404 */
export async function getCarrierAccountOverview(
  context: Context,
  id: string,
): Promise<CarrierAccountOverview> {
  const account = (await listAccountOverviews(context)).find((each) => each.id === id)
  if (account === undefined) throw new UserError('No such carrier account', 404)
  return {
    account,
    settings: await findSettings(context, account),
    ...(await findAbilities(context, account)),
  }
}

/** Settings that cannot be decrypted are shown as none: an operator has to enter them again. */
async function findSettings(context: Context, { id, kind }: ListedCarrierAccount): Promise<SettingView[]> {
  const definition = context.carriers.kinds.get(kind)
  if (definition === undefined) return []
  try {
    return showSettings(definition, await openSettings(context, id))
  } catch (error) {
    if (error instanceof SettingsUnreadable) return showSettings(definition, {})
    throw error
  }
}

async function findAbilities(context: Context, account: ListedCarrierAccount) {
  try {
    const carrier = await getCarrierClient(context, account)
    return {
      canListNumbers: carrier.listNumbers !== undefined,
      canSetUpNumbers: carrier.setUpNumbers !== undefined,
      fault: undefined,
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { canListNumbers: false, canSetUpNumbers: false, fault: error.message }
  }
}
