import type { Carrier } from '../../src/carriers/carrier.js'
import { findCarrier } from '../../src/domain/carriers.js'
import { getCarrierAccount } from '../../src/domain/carrier-accounts.js'
import type { Context } from '../../src/domain/context.js'

/** The carrier of an account; the simulator's unless another is named. */
export async function carrierOf(context: Context, name = 'simulator'): Promise<Carrier> {
  const carrier = await findCarrier(context, await getCarrierAccount(context, name))
  if (carrier === undefined) throw new Error(`the carrier ${name} is switched off`)
  return carrier
}
