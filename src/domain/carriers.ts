import type { Carrier } from '../carriers/carrier.js'
import type { AccountKey } from '../carriers/registry.js'
import { findSealedSettings } from '../database/carrier-accounts.js'
import { available } from '../database/connection.js'
import { asError, Unavailable, UserError } from '../errors.js'
import type { Context } from './context.js'

/** A wrong key must not fail what waits to be sent; a person who asks is told. */
export class SettingsUnreadable extends Unavailable {
  override name = 'SettingsUnreadable'

  constructor() {
    super(
      'the settings of the carrier account cannot be opened: give ENCRYPTION_KEY the key that sealed them, or ' +
        'write every setting anew',
      60,
    )
  }
}

/**
 * The carrier that an account's lines are at.
 *
 * @returns undefined when its kind is switched off here
 * @throws Unavailable, SettingsUnreadable
 */
export function findCarrier(context: Context, account: AccountKey): Promise<Carrier | undefined> {
  return context.carriers.get(account, () => openSettings(context, account.id))
}

/**
 * As `findCarrier`, for somebody who asks something of the carrier.
 *
 * @throws UserError when its kind is switched off here, 409 when its settings cannot be opened
 */
export async function getCarrier(context: Context, account: AccountKey): Promise<Carrier> {
  try {
    const carrier = await findCarrier(context, account)
    if (carrier !== undefined) return carrier
  } catch (error) {
    if (error instanceof SettingsUnreadable) throw new UserError(error.message, 409)
    throw error
  }
  throw notSetUp(account.name)
}

export function notSetUp(name: string): UserError {
  return new UserError(
    `carrier ${name} is not set up here: add it with \`linehook carrier add\`; the simulator needs SIMULATOR=true`,
  )
}

/** What `sealSettings` sealed. @throws Unavailable, SettingsUnreadable */
export async function openSettings({ db, secrets, log }: Context, accountId: string): Promise<object> {
  const settings = await available(() => findSealedSettings(db, accountId))
  if (settings === undefined) return {}
  const { sealed, unsealed } = settings
  try {
    return { ...unsealed, ...(JSON.parse(secrets.open(sealed, settingsPlace(accountId))) as object) }
  } catch (error) {
    log.error({ carrierAccountId: accountId, err: asError(error) }, 'carrier.settings_unreadable')
    throw new SettingsUnreadable()
  }
}

export function sealSettings(
  { secrets }: Pick<Context, 'secrets'>,
  accountId: string,
  settings: object,
): Buffer {
  return secrets.seal(JSON.stringify(settings), settingsPlace(accountId))
}

/** Where an account's settings are sealed to (`secrets.ts`). */
function settingsPlace(accountId: string): string {
  return `carrier_accounts.settings:${accountId}`
}
