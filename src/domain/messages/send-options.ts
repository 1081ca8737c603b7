import { UserError } from '../../errors.js'
import { countCharacters } from '../../kit/text/characters.js'

export const MAX_SEND_AHEAD_DAYS = 30
export const MAX_CLIENT_REF_LENGTH = 200
export const MAX_CARRIER_OPTIONS = 10
export const MAX_CARRIER_OPTION_LENGTH = 255

/** The options of a message, all of which may be left out. */
export interface SendOptions {
  /** The time at which to send it. A time in the past means immediately. */
  sendAt?: Date | undefined
  /** If it was not handed to the carrier by then, it fails. */
  expiresAt?: Date | undefined
  /** The sender's reference. */
  clientRef?: string | undefined
  /**
   * The sender's options for the carrier, under names that the carrier account knows, such as India's DLT template.
   */
  carrierOptions?: Readonly<Record<string, string>> | undefined
}

/** A part of the refusals in `submit/refusals.ts`. */
export const OPTION_REFUSALS = {
  sendAtTooFar: `sendAt can be at most ${MAX_SEND_AHEAD_DAYS} days ahead`,
  expiresAtOver: 'expiresAt must be in the future',
  expiresBeforeSending: 'expiresAt must be later than sendAt',
  clientRefTooLong: `clientRef must have 1 to ${MAX_CLIENT_REF_LENGTH} characters`,
  clientRefUnsendable: 'clientRef contains a NUL character, which cannot be stored',
  carrierOptionsWrong: `carrierOptions can have up to ${MAX_CARRIER_OPTIONS} text values of up to ${MAX_CARRIER_OPTION_LENGTH} characters, each with a name of letters and digits`,
} as const

/**
 * Returns the options to store, and the reason why the message is refused unless it is a repeat: a repeat may come
 * after its `expiresAt`. Postgres decides whether `sendAt` is in the future; an empty object costs nothing.
 *
 * @param earlier such a reason from before. A request with a fault besides is no repeat, so the first of them is
 * thrown.
 * @throws UserError 400
 */
export function readSendOptions(
  { sendAt, expiresAt, clientRef, carrierOptions }: SendOptions,
  earlier?: UserError,
): { options: SendOptions; refusal: UserError | undefined } {
  const now = Date.now()
  let refusal = earlier
  try {
    if (sendAt !== undefined) requireNear(sendAt, now)
    const isOver = expiresAt !== undefined && expiresAt.getTime() <= now
    if (isOver) refusal ??= new UserError(OPTION_REFUSALS.expiresAtOver)
    if (expiresAt !== undefined) requireInOrder(sendAt, expiresAt)
    if (carrierOptions !== undefined) requireCarrierOptions(carrierOptions)
    const readRef = clientRef === undefined ? undefined : readClientRef(clientRef)
    return { options: { sendAt, expiresAt, clientRef: readRef, carrierOptions }, refusal }
  } catch (error) {
    throw refusal ?? error
  }
}

/**
 * Returns what distinguishes a request with these options; '' without any, so that the hashes of other requests stay
 * as they were.
 */
export function optionsForHash({ sendAt, expiresAt, clientRef, carrierOptions }: SendOptions): string {
  const options = [sendAt, expiresAt, clientRef, carrierOptions]
  if (options.every((each) => each === undefined)) return ''
  return JSON.stringify({ sendAt, expiresAt, clientRef, carrierOptions })
}

function requireCarrierOptions(options: Readonly<Record<string, string>>): void {
  const entries = Object.entries(options)
  const isRight = ([name, value]: [string, string]) =>
    /^[A-Za-z][A-Za-z0-9]{0,39}$/.test(name) &&
    value.isWellFormed() &&
    !value.includes('\0') &&
    countCharacters(value) <= MAX_CARRIER_OPTION_LENGTH
  if (entries.length > MAX_CARRIER_OPTIONS || !entries.every(isRight))
    throw new UserError(OPTION_REFUSALS.carrierOptionsWrong)
}

/** @throws UserError if a message is to wait for too long */
export function requireNear(sendAt: Date, now: number): void {
  if (sendAt.getTime() > now + MAX_SEND_AHEAD_DAYS * 86_400_000)
    throw new UserError(OPTION_REFUSALS.sendAtTooFar)
}

/** @throws UserError if a message would expire before it is sent */
export function requireInOrder(sendAt: Date | undefined, expiresAt: Date): void {
  if (sendAt !== undefined && expiresAt <= sendAt) throw new UserError(OPTION_REFUSALS.expiresBeforeSending)
}

function readClientRef(written: string): string {
  const clientRef = written.toWellFormed()
  if (!isClientRef(clientRef)) throw new UserError(OPTION_REFUSALS.clientRefTooLong)
  if (clientRef.includes('\0')) throw new UserError(OPTION_REFUSALS.clientRefUnsendable)
  return clientRef
}

/** True if a text is short enough for a `clientRef`; an emoji counts as one character, as it does in JSON Schema. */
export function isClientRef(text: string): boolean {
  return text !== '' && countCharacters(text) <= MAX_CLIENT_REF_LENGTH
}
