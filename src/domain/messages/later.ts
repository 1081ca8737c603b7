import type { Message } from '../../database/messages/message.js'
import {
  failCancelled,
  failExpired,
  releaseScheduled,
  reschedule,
} from '../../database/messages/scheduling.js'
import { countCharacters } from '../../kit/text/characters.js'
import { UserError } from '../../errors.js'
import { record } from '../operating/audit.js'
import type { Context } from '../context.js'
import { getMessage } from './get-message.js'
import { countOutcome } from './send/send-outcome.js'

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

/** A part of the refusals in `submit.ts`. */
export const OPTION_REFUSALS = {
  sendAtTooFar: `sendAt can be at most ${MAX_SEND_AHEAD_DAYS} days ahead`,
  expiresAtOver: 'expiresAt must be in the future',
  expiresBeforeSending: 'expiresAt must be later than sendAt',
  clientRefTooLong: `clientRef must have 1 to ${MAX_CLIENT_REF_LENGTH} characters`,
  clientRefUnsendable: 'clientRef contains a NUL character, which cannot be stored',
  carrierOptionsWrong: `carrierOptions can have up to ${MAX_CARRIER_OPTIONS} text values of up to ${MAX_CARRIER_OPTION_LENGTH} characters, each with a name of letters and digits`,
} as const

/**
 * Returns the options to keep, and the reason why the message is refused unless it is a repeat: a repeat may come after
 * its `expiresAt`. Postgres decides if `sendAt` is in the future; an empty object costs nothing.
 *
 * @param earlier such a reason from before. A request with a fault besides is no repeat, so the first of them is thrown.
 * @throws UserError 400
 */
export function readSendOptions(
  { sendAt, expiresAt, clientRef, carrierOptions }: SendOptions,
  earlier?: UserError,
  now = Date.now(),
): { options: SendOptions; refusal: UserError | undefined } {
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

function requireNear(sendAt: Date, now: number): void {
  if (sendAt.getTime() > now + MAX_SEND_AHEAD_DAYS * 86_400_000)
    throw new UserError(OPTION_REFUSALS.sendAtTooFar)
}

function requireInOrder(sendAt: Date | undefined, expiresAt: Date): void {
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

/**
 * Ends a message that waits for its time or its turn. One that was cancelled before stays cancelled.
 *
 * @throws UserError 404, 409 if it no longer waits
 */
export async function cancelMessage(context: Context, userId: string, id: string): Promise<Message> {
  const message = await getMessage(context, userId, id)
  if (message.error === 'cancelled') return message
  const ended = await failCancelled(context.db, { userId, id: message.id }, (trx) =>
    record(context, trx, { action: 'message.cancelled', subjectId: message.id, userId }),
  )
  if (ended === undefined) throw await explain(context, userId, id, 'cancelled')
  countOutcome({ kind: 'failed', error: 'cancelled' })
  void context.queues.enqueueMessages(ended.requeued)
  void context.queues.enqueueDeliveries(ended.deliveries)
  return getMessage(context, userId, id)
}

/**
 * Gives a message another time, while no carrier was asked to send it; a time in the past means immediately.
 *
 * @throws UserError 400, 404, 409 if it is too late
 */
export async function rescheduleMessage(
  context: Context,
  userId: string,
  id: string,
  sendAt: Date,
  now = Date.now(),
): Promise<Message> {
  requireNear(sendAt, now)
  const before = await getMessage(context, userId, id)
  if (before.expiresAt !== null) requireInOrder(sendAt, before.expiresAt)
  const requeued = await reschedule(context.db, { userId, id: before.id, sendAt }, (trx) =>
    record(context, trx, {
      action: 'message.rescheduled',
      subjectId: before.id,
      userId,
      before: { sendAt: before.sendAt?.toISOString() ?? null },
      after: { sendAt: sendAt.toISOString() },
    }),
  )
  if (requeued === undefined) throw await explain(context, userId, id, 'rescheduled')
  void context.queues.enqueueMessages(requeued)
  return getMessage(context, userId, id)
}

/** Explains the refusal by the message's current state. */
async function explain(context: Context, userId: string, id: string, what: string): Promise<UserError> {
  const { direction, status } = await getMessage(context, userId, id)
  if (direction === 'inbound') return new UserError(`A received message cannot be ${what}`, 409)
  return new UserError(
    status === 'queued'
      ? `This message cannot be ${what} now. It is being sent, or its line has too many scheduled messages`
      : `Only a scheduled or queued message can be ${what}. This one is ${status}`,
    409,
  )
}

/** Each batch is a transaction that locks the lines of its messages, and other messages on them wait meanwhile. */
const BATCH = 500

/**
 * Queues due messages, and ends expired ones. There is no job for a message that is scheduled, so there is none that
 * Redis could lose; and while Redis is away nothing is queued, since nothing could be sent.
 *
 * @returns the number of messages queued
 */
export async function releaseDue(context: Context): Promise<number> {
  const { db, queues, log, redis } = context
  await inBatches(async () => {
    const { failed, ...settled } = await failExpired(db, BATCH)
    tellFailed(context, failed, 'expired')
    void queues.enqueueMessages(settled.requeued)
    void queues.enqueueDeliveries(settled.deliveries)
    return failed.length
  })
  if (redis.status !== 'ready') return 0
  let count = 0
  await inBatches(async () => {
    const { requeued, deliveries, failed, looked } = await releaseScheduled(db, BATCH)
    tellFailed(context, failed, 'disconnected')
    await queues.enqueueMessages(requeued)
    await queues.enqueueDeliveries(deliveries)
    count += requeued.length
    return looked
  })
  if (count > 0) log.info({ count }, 'message.released')
  return count
}

async function inBatches(doBatch: () => Promise<number>): Promise<void> {
  while ((await doBatch()) === BATCH);
}

function tellFailed({ log }: Context, ids: readonly string[], error: 'expired' | 'disconnected'): void {
  for (const messageId of ids) {
    countOutcome({ kind: 'failed', error })
    log.info({ messageId, error }, 'message.failed')
  }
}
