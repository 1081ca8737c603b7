import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { transaction } from '../../../database/connection.js'
import {
  deletePasskey,
  insertPasskey,
  listPasskeys,
  lockPasskey,
  notePasskeyUse,
  replaceChallenge,
  takeChallenge,
  type Passkey,
} from '../../../database/people/second-factors/passkeys.js'
import type { Session } from '../../../database/people/sessions.js'
import { UserError } from '../../../errors.js'
import { isId, newId } from '../../../ids.js'
import { sha256 } from '../../../secrets.js'
import { record } from '../../operating/audit.js'
import type { Context } from '../../context.js'
import { MAX_NAME_LENGTH, readName } from '../../names.js'
import { addFactor, removeFactor, type AddedFactor } from './change.js'
import { relyingPartyOf } from './relying-party.js'

/** The credential's id in base64url, at most 1,023 bytes (WebAuthn §4). */
const CREDENTIAL_ID = /^[\w-]{1,1364}$/
/** The ways in which a browser reaches an authenticator (WebAuthn §5.8.4). The browser states them, unsigned. */
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']

/** Nobody needs more devices in practice. */
const MAX_PASSKEYS = 20

const NOT_TAKEN = 'The passkey was not registered. Start again and finish within five minutes.'

/** Every failure has the same text. */
export const PASSKEY_REFUSED = 'The passkey was not accepted. Try again, or use another method.'

/** It is loaded when the first person uses a passkey, because it takes 25 MB (measured). */
const webauthn = () => import('@simplewebauthn/server')

/**
 * Returns what the browser needs to make a passkey.
 *
 * @param browserToken the cookie's token: only the same browser may answer
 * @throws UserError 409
 */
export async function beginPasskey(context: Context, session: Session, browserToken: string) {
  const { id: rpID } = relyingPartyOf(context)
  const { userId, email, name } = session
  const known = await listPasskeys(context.db, userId)
  requireRoom(known)
  const options = await (
    await webauthn()
  ).generateRegistrationOptions({
    rpName: context.config.brand.name,
    rpID,
    userID: Buffer.from(userId.replaceAll('-', ''), 'hex'),
    userName: email,
    userDisplayName: name,
    excludeCredentials: known.map(asDescriptor),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
  })
  await replaceChallenge(context.db, sha256(browserToken), options.challenge)
  return options
}

/**
 * @param written the browser's answer, as JSON
 * @throws UserError 400 for the name, and for an answer to something else; 409 for a passkey that is in use, or one too
 *   many
 */
export async function addPasskey(
  context: Context,
  session: Session,
  { browserToken, name: givenName, written }: { browserToken: string; name: string; written: string },
): Promise<AddedFactor> {
  const name = readName(
    givenName,
    `name must have 1 to ${MAX_NAME_LENGTH} characters. Say where the passkey is stored`,
  )
  const challenge = await takeChallenge(context.db, sha256(browserToken))
  const credential = challenge === undefined ? undefined : await readNew(context, challenge, written)
  if (credential === undefined) throw new UserError(NOT_TAKEN)
  return addFactor(context, session, { kind: 'passkey', name }, async (trx) => {
    // Other browsers may have added some since this one was told to make it.
    requireRoom(await listPasskeys(trx, session.userId))
    const isNew = await insertPasskey(trx, {
      id: newId(),
      userId: session.userId,
      name,
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      // The package hands on whatever the browser sent.
      transports: TRANSPORTS.filter((each) => [credential.transports].flat().includes(each as never)),
    })
    if (!isNew) throw new UserError('This passkey is already registered', 409)
  })
}

/** @throws UserError 409 */
function requireRoom(known: readonly Passkey[]): void {
  if (known.length < MAX_PASSKEYS) return
  throw new UserError(`You can have up to ${MAX_PASSKEYS} passkeys. Remove one you no longer use`, 409)
}

/** @throws UserError 404 */
export function removePasskey(context: Context, userId: string, id: string): Promise<void> {
  return removeFactor(context, userId, async (trx) => {
    const name = isId(id) ? await deletePasskey(trx, userId, id) : undefined
    return name === undefined ? undefined : { kind: 'passkey', name }
  })
}

/**
 * Returns what the browser needs to show a passkey.
 *
 * @param userId the user whom it must belong to; undefined for a sign-in without a password, where it may be any user's
 */
export async function askForPasskey(context: Context, userId: string | undefined, browserToken: string) {
  const known = userId === undefined ? [] : await listPasskeys(context.db, userId)
  const options = await (
    await webauthn()
  ).generateAuthenticationOptions({
    rpID: relyingPartyOf(context).id,
    allowCredentials: known.map(asDescriptor),
    userVerification: 'required',
  })
  await replaceChallenge(context.db, sha256(browserToken), options.challenge)
  return options
}

export interface PasskeyProof {
  /** The user whom it must belong to; undefined if it may be any user's. */
  userId: string | undefined
  browserToken: string
  /** The browser's answer, as JSON. */
  written: string
}

/** A passkey that answered, and its owner. */
export interface ProvenPasskey {
  id: string
  userId: string
}

/**
 * Finds the passkey that answered. It cannot be guessed, so attempts are not counted.
 *
 * @throws UserError 401 PASSKEY_REFUSED
 */
export async function provePasskey(context: Context, proof: PasskeyProof): Promise<ProvenPasskey> {
  const { userId, browserToken, written } = proof
  const challenge = await takeChallenge(context.db, sha256(browserToken))
  const proven = challenge === undefined ? undefined : await usePasskey(context, challenge, userId, written)
  if (proven !== undefined) return proven
  if (userId !== undefined) {
    await record(context, context.db, { action: 'second_factor.refused', subjectId: userId, userId })
  }
  throw new UserError(PASSKEY_REFUSED, 401)
}

async function usePasskey(
  context: Context,
  challenge: string,
  userId: string | undefined,
  written: string,
): Promise<ProvenPasskey | undefined> {
  const response = parse(written) as AuthenticationResponseJSON | undefined
  if (response === undefined) return undefined
  return transaction(context.db, async (trx) => {
    const passkey = await lockPasskey(trx, response.id)
    if (passkey === undefined || (userId !== undefined && passkey.userId !== userId)) return undefined
    const counter = await verify(context, passkey, challenge, response)
    if (counter === undefined) return undefined
    await notePasskeyUse(trx, passkey.id, counter)
    return { id: passkey.id, userId: passkey.userId }
  })
}

/** @returns the authenticator's new counter; undefined if it is not this passkey, or it answers something else */
async function verify(
  context: Context,
  { credentialId, publicKey, counter }: Passkey,
  expectedChallenge: string,
  response: AuthenticationResponseJSON,
): Promise<number | undefined> {
  const { id: expectedRPID, origin: expectedOrigin } = relyingPartyOf(context)
  const { verifyAuthenticationResponse } = await webauthn()
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge,
      expectedOrigin,
      expectedRPID,
      credential: { id: credentialId, publicKey: Uint8Array.from(publicKey), counter },
      requireUserVerification: true,
    })
    return verified ? authenticationInfo.newCounter : undefined
  } catch (error) {
    noteRefusal(context, error)
    return undefined
  }
}

async function readNew(context: Context, expectedChallenge: string, written: string) {
  const response = parse(written) as RegistrationResponseJSON | undefined
  if (response === undefined) return undefined
  const { id: expectedRPID, origin: expectedOrigin } = relyingPartyOf(context)
  const { verifyRegistrationResponse } = await webauthn()
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge,
      expectedOrigin,
      expectedRPID,
      requireUserVerification: true,
    })
    const credential = registrationInfo?.credential
    return credential !== undefined && CREDENTIAL_ID.test(credential.id) ? credential : undefined
  } catch (error) {
    noteRefusal(context, error)
    return undefined
  }
}

/** The package throws if anything is wrong. The log shows what it was, for the operator who sets up PUBLIC_URL. */
function noteRefusal({ log }: Context, error: unknown): void {
  log.info({ reason: error instanceof Error ? error.message : 'unknown' }, 'passkey.refused')
}

/** This only checks that it is an object with an id that can be looked up: the package checks the rest. */
function parse(written: string): object | undefined {
  try {
    const parsed = JSON.parse(written) as { id?: unknown } | null
    return typeof parsed?.id === 'string' && CREDENTIAL_ID.test(parsed.id) ? parsed : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function asDescriptor({ credentialId, transports }: Passkey) {
  return { id: credentialId, transports }
}
