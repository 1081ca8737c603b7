import { transaction, type Database } from '../../database/connection.js'
import {
  findEndpointToCall,
  findSealedSecret,
  replaceSecret,
  type EndpointToCall,
} from '../../database/endpoints/endpoints.js'
import { placeOf } from '../../database/operating/sealed-columns.js'
import { newSigningSecret } from '../../secrets.js'
import type { Context } from '../context.js'
import { record } from '../operating/audit.js'
import { checkOverlap } from '../overlap.js'
import { isSentTwice } from '../seen.js'
import { publicKeyOf } from './deliveries/signature.js'
import { endpointAct, getEndpoint, type EndpointCaller } from './get-endpoint.js'

/** Both secrets sign for this long after a rotation by default, so that receivers have a day to switch. */
export const OVERLAP_SECONDS = 86_400

const IS_ROTATED =
  'The signing secret has changed since you opened this page. Check the current one before you rotate it again'

/** Returns the signing secrets of an endpoint, the current one first. */
export function secretsOf(
  { secrets }: Context,
  endpoint: Pick<EndpointToCall, 'secretSealed' | 'previousSecretSealed'> & { endpointId: string },
): string[] {
  const place = placeOf('signingSecret', endpoint.endpointId)
  return [endpoint.secretSealed, endpoint.previousSecretSealed]
    .filter((sealed) => sealed !== null)
    .map((sealed) => secrets.open(sealed, place))
}

/**
 * Returns the secret that signs the endpoint's events (`whsec_…`).
 *
 * @throws UserError 404
 */
export async function revealSigningSecret(
  context: Context,
  caller: EndpointCaller,
  id: string,
): Promise<string> {
  const endpoint = await getEndpoint(context, caller, id)
  const secret = await openSecret(context, context.db, endpoint.id)
  await record(context, context.db, endpointAct(endpoint, 'endpoint.secret.shown'))
  return secret
}

async function openSecret({ secrets }: Context, db: Database, id: string): Promise<string> {
  const sealed = await findSealedSecret(db, id)
  if (sealed === undefined) throw new Error(`the endpoint ${id} has no signing secret`)
  return secrets.open(sealed, placeOf('signingSecret', id))
}

/** Returns `whpk_…`, the current one first: they verify `v1a` signatures. undefined if there is no such endpoint. */
export async function findPublicKeys(context: Context, endpointId: string): Promise<string[] | undefined> {
  const endpoint = await findEndpointToCall(context.db, endpointId)
  return endpoint && secretsOf(context, { ...endpoint, endpointId }).map(publicKeyOf)
}

/**
 * Makes a new signing secret. Events are also signed with the old one for 24 h by default, so that receivers can switch
 * without losing an event; without an overlap, only the new one signs.
 *
 * @param options.seen the endpoint's `secretRotatedAt` that the caller saw: nothing is done if it has changed since,
 *   because a form that is sent twice would end the secret that receivers still use
 * @returns the secret that signs now
 * @throws UserError 400 for the seconds, 404, 409 if it was rotated after the caller's page was opened, and not by the
 *   same form, or if an overlap still runs and another one is wanted
 */
export async function rotateSigningSecret(
  context: Context,
  caller: EndpointCaller,
  id: string,
  { seen, overlapSeconds = OVERLAP_SECONDS }: { seen?: Date | null; overlapSeconds?: number } = {},
): Promise<string> {
  return transaction(context.db, async (trx: Database) => {
    const endpoint = await getEndpoint({ db: trx }, caller, id, { isLocked: true })
    if (isSentTwice({ seen, last: endpoint.secretRotatedAt }, IS_ROTATED)) {
      return openSecret(context, trx, endpoint.id)
    }
    checkOverlap(overlapSeconds, 'secret', endpoint.previousSecretUntil)
    const secret = newSigningSecret()
    const secretSealed = context.secrets.seal(secret, placeOf('signingSecret', endpoint.id))
    await replaceSecret(trx, endpoint.id, secretSealed, overlapSeconds)
    await record(context, trx, endpointAct(endpoint, 'endpoint.secret.rotated'))
    return secret
  })
}
