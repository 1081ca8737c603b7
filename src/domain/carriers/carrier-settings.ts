import type { AnyObject } from 'yup'
import type { CarrierKind } from '../../carriers/kind.js'
import type { AccountTable } from '../../kit/text/segments.js'
import { findSealedSettings } from '../../database/carriers/carrier-accounts.js'
import type { Database } from '../../database/connection.js'
import { placeOf } from '../../database/operating/sealed-columns.js'
import { asError, Unavailable } from '../../errors.js'
import { SecretUnreadable, type Secrets } from '../../secrets.js'
import type { Logger } from '../../telemetry/log.js'

/**
 * This is Unavailable, because a wrong ENCRYPTION_KEY must fail nothing that can wait. A message waits as for a carrier that
 * cannot be reached, and a user's request shows the error.
 */
export class SettingsUnreadable extends Unavailable {
  override name = 'SettingsUnreadable'

  constructor() {
    super(
      'The settings of the carrier account cannot be decrypted. Add the key that encrypted them to ENCRYPTION_KEY, or ' +
        'enter every setting again',
      60,
    )
  }
}

interface Opener {
  secrets: Secrets
  log: Logger
}

/**
 * Opens settings that `storedSettings` sealed.
 *
 * @throws Unavailable, SettingsUnreadable
 */
export async function openSettings(tools: Opener & { db: Database }, accountId: string): Promise<object> {
  const sealed = await findSealedSettings(tools.db, accountId)
  return sealed === undefined ? {} : unseal(tools, accountId, sealed)
}

/** @throws SettingsUnreadable */
export function unseal({ secrets, log }: Opener, accountId: string, sealed: Buffer): object {
  try {
    return JSON.parse(secrets.open(sealed, placeOf('carrierSettings', accountId))) as object
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error
    log.error({ carrierAccountId: accountId, err: asError(error) }, 'carrier.settings_unreadable')
    throw new SettingsUnreadable()
  }
}

/** The stored form of an account's settings: sealed, plus the parts that are needed in the clear. */
export function storedSettings(
  { secrets }: { secrets: Secrets },
  { id, kind }: { id: string; kind: CarrierKind },
  settings: AnyObject,
): { settingsSealed: Buffer; languages: readonly AccountTable[] } {
  return {
    settingsSealed: secrets.seal(JSON.stringify(settings), placeOf('carrierSettings', id)),
    languages: kind.languages?.(settings) ?? [],
  }
}
