import { transaction, type Database } from '../../database/connection.js'
import { findEndpoint, findSealedSecret, replaceSecret } from '../../database/endpoints/endpoints.js'
import { UserError } from '../../errors.js'
import { newSigningSecret } from '../../secrets.js'
import { aboutEndpoint, record } from '../operating/audit.js'
import { requireConnection } from '../lines/connection-requirements.js'
import type { Context } from '../context.js'
import { secretsOf, signingSecretPlace } from './deliveries/deliver.js'
import { publicKeyOf } from './deliveries/signature.js'

/** For so long after a rotation both secrets sign, so that receivers have a day to change over. */
export const OVERLAP_SECONDS = 86_400

/**
 * The secret that signs this line's events (`whsec_…`), for its owner. undefined: no outgoing webhook URL is set.
 *
 * @param furtherId left out: it is of the outgoing webhook URL
 * @throws UserError 404
 */
export async function revealSigningSecret(
  context: Context,
  userId: string,
  lineId: string,
  furtherId?: string,
): Promise<string | undefined> {
  const { db, secrets } = context
  const { endpointId } = await requireConnection(db, userId, lineId, { endpointId: furtherId })
  const sealed = endpointId === null ? undefined : await findSealedSecret(db, endpointId)
  if (endpointId === null || sealed === undefined) return undefined
  const act = { action: 'line.signing_secret.shown', subjectId: lineId, userId } as const
  await record(context, db, { ...act, ...aboutEndpoint(furtherId) })
  return secrets.open(sealed, signingSecretPlace(endpointId))
}

/** `whpk_…`, the current one first: they verify `v1a` signatures. undefined: there is no such endpoint. */
export async function findPublicKeys(context: Context, endpointId: string): Promise<string[] | undefined> {
  const endpoint = await findEndpoint(context.db, endpointId)
  return endpoint && secretsOf(context, { ...endpoint, endpointId }).map(publicKeyOf)
}

/**
 * A new signing secret. The old one signs too for 24 h, so that receivers can change over without losing an
 * event; one from a rotation before that ends at once.
 *
 * @param furtherId left out: that of the outgoing webhook URL
 * @returns the new secret
 * @throws UserError 404, 409 when there is no outgoing webhook URL
 */
export async function rotateSigningSecret(
  context: Context,
  userId: string,
  lineId: string,
  furtherId?: string,
): Promise<string> {
  return transaction(context.db, async (trx) => {
    const options = { isLocked: true, endpointId: furtherId }
    const { endpointId } = await requireConnection(trx, userId, lineId, options)
    if (endpointId === null) throw new UserError(NO_URL, 409)
    const act = { action: 'line.signing_secret.rotated', subjectId: lineId, userId } as const
    await record(context, trx, { ...act, ...aboutEndpoint(furtherId) })
    return replaceSigningSecret(context, trx, endpointId)
  })
}

/** The caller holds the lock of the endpoint's owner. @returns the new secret */
export async function replaceSigningSecret(
  { secrets }: Context,
  trx: Database,
  endpointId: string,
): Promise<string> {
  const secret = newSigningSecret()
  const secretSealed = secrets.seal(secret, signingSecretPlace(endpointId))
  await replaceSecret(trx, endpointId, secretSealed, OVERLAP_SECONDS)
  return secret
}

export const NO_URL = 'this line has no outgoing webhook URL: set one first'
