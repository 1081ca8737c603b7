import { findEndpointWork, type EndpointWork } from '../../../database/endpoints/deliveries/waiting.js'
import type { Context } from '../../context.js'

export { MAX_COUNTED, type EndpointWork } from '../../../database/endpoints/deliveries/waiting.js'

/** The caller has checked that the endpoint is the user's. */
export async function getEndpointWork({ db, config }: Context, endpointId: string): Promise<EndpointWork> {
  const work = await findEndpointWork(db, endpointId)
  if (work === undefined) throw new Error(`there is no endpoint ${endpointId}`)
  return { ...work, places: Math.min(work.places, config.endpointMaxInFlight) }
}
