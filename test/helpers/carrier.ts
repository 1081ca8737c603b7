import type { CarrierClient } from '../../src/carriers/carrier.js'
import { getCarrierAccount } from '../../src/domain/carriers/carrier-accounts.js'
import { findCarrierClient } from '../../src/domain/carriers/carrier-clients.js'
import type { Context } from '../../src/domain/context.js'

/** The carrier of an account; the simulator's unless another is named. */
export async function carrierOf(context: Context, name = 'simulator'): Promise<CarrierClient> {
  const carrier = await findCarrierClient(context, await getCarrierAccount(context, name))
  if (carrier === undefined) throw new Error(`the carrier ${name} is switched off`)
  return carrier
}
