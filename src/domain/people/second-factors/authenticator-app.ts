import {
  deleteTotpSecret,
  findTotpSecret,
  lockTotpSecret,
  noteTotpStep,
  replaceTotpSecret,
} from '../../../database/people/second-factors/totp-secrets.js'
import { placeOf } from '../../../database/operating/sealed-columns.js'
import type { Session } from '../../../database/people/sessions.js'
import { UserError } from '../../../errors.js'
import type { Context } from '../../context.js'
import { addFactor, removeFactor, type AddedFactor } from './change.js'
import { findStep, newTotpSecret, totpUri } from './totp.js'

const THERE_IS_ONE = 'You already have an authenticator app. Remove it first'

const APP_CODE_REFUSED = "Wrong code. Check that your phone's clock is right, then enter the next code."

/**
 * Makes a secret that does not count until `confirmApp`.
 *
 * @throws UserError 409
 */
export async function beginApp({ db, secrets }: Context, userId: string): Promise<void> {
  const sealed = secrets.seal(newTotpSecret(), placeOf('totpSecret', userId))
  if (!(await replaceTotpSecret(db, userId, sealed))) throw new UserError(THERE_IS_ONE, 409)
}

export interface PendingApp {
  /** The secret in base32, for typing it. */
  secret: string
  /** The URL in the QR code. */
  uri: string
}

/** Finds the app that is being set up. */
export async function findPendingApp(context: Context, session: Session): Promise<PendingApp | undefined> {
  const { db, secrets, config } = context
  const { userId, email } = session
  const known = await findTotpSecret(db, userId)
  if (known === undefined || known.confirmedAt !== null || !known.isFresh) return undefined
  const secret = secrets.open(known.secretSealed, placeOf('totpSecret', userId))
  const issuer = `${config.brand.name} (${new URL(config.publicUrl).hostname})`
  return { secret, uri: totpUri(secret, email, issuer) }
}

/**
 * Confirms the app by a code, after which it counts.
 *
 * @throws UserError 400 APP_CODE_REFUSED, 404 if nothing is being set up
 */
export function confirmApp(context: Context, session: Session, code: string): Promise<AddedFactor> {
  const { userId } = session
  return addFactor(context, session, { kind: 'authenticator app' }, async (trx) => {
    const known = await lockTotpSecret(trx, userId)
    if (known === undefined || known.confirmedAt !== null || !known.isFresh) {
      throw new UserError('No authenticator app is being set up. Start again', 404)
    }
    const secret = context.secrets.open(known.secretSealed, placeOf('totpSecret', userId))
    const step = findStep(secret, code.replace(/\s/g, ''), known.nowMs)
    if (step === undefined) throw new UserError(APP_CODE_REFUSED)
    await noteTotpStep(trx, userId, step)
  })
}

/** @throws UserError 404 */
export function removeApp(context: Context, userId: string): Promise<void> {
  return removeFactor(context, userId, async (trx) =>
    (await deleteTotpSecret(trx, userId)) ? { kind: 'authenticator app' } : undefined,
  )
}
