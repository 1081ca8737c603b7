import {
  updateCarrierAccount,
  type CarrierAccount,
  type CarrierAccountFields,
} from '../../database/carrier-accounts.js'
import { UserError } from '../../errors.js'
import { openSettings, sealSettings, SettingsUnreadable } from '../carrier-settings.js'
import type { Context } from '../context.js'
import { readAccountFields } from './account-fields.js'
import { getCarrierKind, requireChangeable } from './kinds.js'
import { listSettingFields, readSettings } from './settings.js'

/** What is left out stays. */
export interface CarrierAccountChange extends Partial<CarrierAccountFields> {
  /** A secret that is empty stays as it is; any other setting that is empty is taken away. */
  settings?: Record<string, unknown>
  /** Settings to take away, secrets too. */
  unset?: readonly string[]
}

/**
 * Every process uses the new settings from its next message on.
 *
 * @throws UserError naming the field; 409 for the simulator, and when somebody else changed it at the same time
 */
export async function changeCarrierAccount(
  context: Context,
  account: CarrierAccount,
  { settings = {}, unset = [], ...fields }: CarrierAccountChange,
): Promise<void> {
  requireChangeable(account)
  const { messagesPerSecond, messagesPerSecondPerLine, handlesOptOut } = {
    ...account,
    ...readAccountFields(fields),
  }
  const isRewritten = Object.keys(settings).length + unset.length > 0
  const change = {
    messagesPerSecond,
    messagesPerSecondPerLine,
    handlesOptOut,
    ...(isRewritten
      ? { settingsSealed: sealSettings(context, account.id, await mix(context, account, settings, unset)) }
      : {}),
  }
  if (!(await updateCarrierAccount(context.db, account, change))) {
    throw new UserError(
      `${account.name} was changed by somebody else meanwhile: look at it and try again`,
      409,
    )
  }
}

/** The settings that are stored, with the new ones written over them. */
async function mix(
  context: Context,
  account: CarrierAccount,
  written: Record<string, unknown>,
  unset: readonly string[],
): Promise<object> {
  const kind = getCarrierKind(context, account.kind)
  const kept = await openKept(context, account.id)
  const mixed: Record<string, unknown> = {
    ...Object.fromEntries(unset.map((key) => [key, undefined])),
    ...written,
  }
  for (const { key, isSecret } of listSettingFields(kind)) {
    const isLeftOut = !Object.hasOwn(written, key) || (isSecret && written[key] === '')
    if (isLeftOut) mixed[key] = unset.includes(key) ? undefined : kept.settings[key]
  }
  try {
    return readSettings(kind, mixed)
  } catch (error) {
    if (!(error instanceof UserError) || kept.fault === undefined) throw error
    throw new UserError(`${kept.fault}: ${error.message}`, 409)
  }
}

/** Settings that cannot be decrypted count as none, so that somebody can write them anew. */
async function openKept(
  context: Context,
  accountId: string,
): Promise<{ settings: Record<string, unknown>; fault?: string }> {
  try {
    return { settings: (await openSettings(context, accountId)) as Record<string, unknown> }
  } catch (error) {
    if (error instanceof SettingsUnreadable) return { settings: {}, fault: error.message }
    throw error
  }
}
