import { callbackUrlOf, KEY_PARAMETER } from '../../carriers/callbacks.js'
import type { CarrierAccount } from '../../database/carriers/carrier-accounts.js'
import type { Context } from '../context.js'
import { callbacksOf } from './calling-accounts.js'
import { openSettings } from './carrier-settings.js'

/** A URL of ours that a person enters at the carrier. */
export interface CallbackUrl {
  name: string
  /** The carrier's name for the place. */
  label: string
  url: string
  /** The URL with its secret hidden; undefined if it has no secret, because the carrier signs its requests. */
  maskedUrl: string | undefined
}

/**
 * Lists the URLs of an account; none for a kind whose carrier makes no calls, or for which nobody has to enter them.
 *
 * @throws SettingsUnreadable if a secret of the settings is in them
 */
export async function listCallbackUrls(
  context: Context,
  { id, kind }: Pick<CarrierAccount, 'id' | 'kind'>,
): Promise<CallbackUrl[]> {
  const callbacks = callbacksOf(context.carriers, kind)
  if (callbacks?.labels === undefined) return []
  const key = callbacks.key?.(await openSettings(context, id))
  const query: Record<string, string> = key === undefined ? {} : { [KEY_PARAMETER]: key }
  return Object.entries(callbacks.labels).map(([name, label]) => {
    const callback = { kind, accountId: id, name }
    const plainUrl = callbackUrlOf(context.config.publicUrl, callback)
    return {
      name,
      label,
      url: callbackUrlOf(context.config.publicUrl, callback, query),
      maskedUrl: key === undefined ? undefined : `${plainUrl}?${KEY_PARAMETER}=••••`,
    }
  })
}
