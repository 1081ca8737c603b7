import type { CarrierAccount } from '../../../database/carriers/carrier-accounts.js'
import { FetchFailed } from '../../../safe-fetch.js'
import { callbackUrlOf } from '../../../carriers/callbacks.js'
import type { Context } from '../../context.js'
import { callbacksOf } from '../calling-accounts.js'

const LIMITS = { timeoutMs: 10_000, maxResponseBytes: 16_384 }

/**
 * Calls our own callback URLs at PUBLIC_URL as the carrier does, but unsigned. The service's refusal shows that the
 * URL leads here, and not to some other server.
 *
 * @returns the fault, in words; undefined if they work, or the carrier makes no calls
 */
export async function testCallbacks(
  context: Context,
  { id, kind }: Pick<CarrierAccount, 'id' | 'kind'>,
): Promise<string | undefined> {
  const { carriers, config, carrierFetch } = context
  const callbacks = callbacksOf(carriers, kind)
  if (callbacks === undefined) return undefined
  const ours = JSON.stringify(callbacks.unsignedHint).slice(1, -1)
  for (const name of callbacks.names) {
    const url = callbackUrlOf(config.publicUrl, { kind, accountId: id, name }, {})
    try {
      const { status, body } = await carrierFetch.request(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{}',
        ...LIMITS,
      })
      if (status === 403 && body.toString().includes(ours)) continue
      return `${url} returned HTTP ${status}, which is not from this service. Check PUBLIC_URL and any proxy in front of it.`
    } catch (error) {
      if (!(error instanceof FetchFailed)) throw error
      return `${url} is not reachable from here: ${error.message}`
    }
  }
  return undefined
}
