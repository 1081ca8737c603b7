import {
  updateCarrierAccount,
  type CarrierAccount,
  type CarrierAccountFields,
} from '../../../database/carriers/carrier-accounts.js'
import type { CarrierKind } from '../../../carriers/kind.js'
import { transaction } from '../../../database/connection.js'
import { UserError } from '../../../errors.js'
import { record } from '../../operating/audit.js'
import { askAgain } from '../../messages/send/raised-pace.js'
import { tryWaiting } from '../../messages/send/recovery.js'
import { openSettings, SettingsUnreadable, storedSettings } from '../carrier-settings.js'
import type { Context } from '../../context.js'
import { readAccountFields } from './account-fields.js'
import { getCarrierKind, requireChangeable } from './kinds.js'
import { describeSettings, listSettingFields, readSettings } from './settings.js'

/** A field that is left out stays. */
export interface CarrierAccountChange extends Partial<CarrierAccountFields> {
  /** An empty secret stays as it is; any other empty setting is removed, or stored as empty if that is allowed. */
  settings?: Record<string, unknown>
  /** Settings to remove, including secrets. A setting that may be empty becomes empty. */
  unset?: readonly string[]
}

/**
 * Every process uses the new settings from its next message on.
 *
 * @throws UserError naming the field; 409 for the simulator, and if it was changed at the same time
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
  const kept = isRewritten ? await openKept(context, account.id) : { settings: {} }
  const mixed = isRewritten ? mix(context, account, kept, settings, unset) : undefined
  const change = { messagesPerSecond, messagesPerSecondPerLine, handlesOptOut }
  const kind = getCarrierKind(context, account.kind)
  const stored = mixed && storedSettings(context, { id: account.id, kind }, mixed)
  await transaction(context.db, async (trx) => {
    if (!(await updateCarrierAccount(trx, account, change, stored))) {
      throw new UserError(
        `${account.name} was changed by someone else in the meantime. Check it and try again`,
        409,
      )
    }
    await record(context, trx, {
      action: 'carrier_account.changed',
      subjectId: account.id,
      before: {
        ...fieldsOf(account),
        ...(mixed && { settings: describeSettings(kind, kept.settings), secretsChanged: [] }),
      },
      after: {
        ...fieldsOf(change),
        ...(mixed && {
          settings: describeSettings(kind, mixed),
          secretsChanged: changedSecrets(kind, kept.settings, mixed),
        }),
      },
    })
  })
  await tryWaiting(context, account.id)
  const paces = ['messagesPerSecond', 'messagesPerSecondPerLine'] as const
  if (paces.some((pace) => isRaised(account[pace], change[pace]))) await askAgain(context, account.id)
}

/** null is no limit. */
function isRaised(before: number | null, after: number | null): boolean {
  return before !== null && (after === null || after > before)
}

function fieldsOf({ messagesPerSecond, messagesPerSecondPerLine, handlesOptOut }: CarrierAccountFields) {
  return { messagesPerSecond, messagesPerSecondPerLine, handlesOptOut }
}

/** Names the secrets that have changed, which is all that may be revealed about them. */
function changedSecrets(kind: CarrierKind, before: Record<string, unknown>, after: object): string[] {
  const now = after as Record<string, unknown>
  return listSettingFields(kind)
    .filter(({ key, isSecret }) => isSecret && before[key] !== now[key])
    .map(({ key }) => key)
}

/** Merges the stored settings with the new ones. */
function mix(
  context: Context,
  account: CarrierAccount,
  kept: Kept,
  written: Record<string, unknown>,
  unset: readonly string[],
): object {
  const kind = getCarrierKind(context, account.kind)
  const mixed: Record<string, unknown> = {
    ...Object.fromEntries(unset.map((key) => [key, undefined])),
    ...written,
  }
  for (const { key, isSecret, mayBeEmpty } of listSettingFields(kind)) {
    const isLeftOut = !Object.hasOwn(written, key) || (isSecret && written[key] === '')
    const removed = mayBeEmpty ? '' : undefined
    if (isLeftOut) mixed[key] = unset.includes(key) ? removed : kept.settings[key]
  }
  try {
    return readSettings(kind, mixed)
  } catch (error) {
    if (!(error instanceof UserError) || kept.fault === undefined) throw error
    throw new UserError(`${kept.fault}: ${error.message}`, 409)
  }
}

interface Kept {
  settings: Record<string, unknown>
  fault?: string
}

/** Settings that cannot be decrypted count as none, so that an operator can enter them again. */
async function openKept(context: Context, accountId: string): Promise<Kept> {
  try {
    return { settings: (await openSettings(context, accountId)) as Record<string, unknown> }
  } catch (error) {
    if (error instanceof SettingsUnreadable) return { settings: {}, fault: error.message }
    throw error
  }
}
