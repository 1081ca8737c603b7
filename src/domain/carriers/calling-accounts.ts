import type { CarrierCallbacks } from '../../carriers/callbacks.js'
import type { CarrierClients } from '../../carriers/registry.js'
import { findSealedAccounts, type AccountVersion } from '../../database/carriers/carrier-accounts.js'
import type { Database } from '../../database/connection.js'
import { asError } from '../../errors.js'
import type { Secrets } from '../../secrets.js'
import type { Logger } from '../../telemetry/log.js'
import { unseal } from './carrier-settings.js'

/** An account whose carrier calls us back. */
export interface CallingAccount extends AccountVersion {
  name: string
  kind: string
  /** The settings in the form of its kind, with the secret that its requests are signed with. */
  settings: object
}

/** @returns undefined if carriers of this kind make no calls */
export function callbacksOf(carriers: CarrierClients, kind: string): CarrierCallbacks<object> | undefined {
  return carriers.kinds.get(kind)?.callbacks
}

/**
 * Returns results in the order of the ids: undefined if no such account calls, SettingsUnreadable if it cannot be
 * opened.
 */
export async function findCallingAccounts(
  tools: { carriers: CarrierClients; db: Database; secrets: Secrets; log: Logger },
  ids: readonly string[],
): Promise<(CallingAccount | undefined | Error)[]> {
  const accounts = await findSealedAccounts(tools.db, ids)
  return accounts.map((account) => {
    const kind = account && tools.carriers.kinds.get(account.kind)
    if (account === undefined || kind?.callbacks === undefined) return undefined
    const { id, name, version } = account
    try {
      const settings = kind.settings.cast(unseal(tools, id, account.sealed)) as object
      return { id, name, kind: account.kind, version, settings }
    } catch (error) {
      return asError(error)
    }
  })
}
