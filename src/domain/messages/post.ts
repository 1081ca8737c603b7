import type { Message } from '../../database/messages/message.js'
import type { OutboundSource, QueueAnswer, QueueRequest } from '../../database/messages/queueing.js'
import { isKeyKnown } from '../../database/messages/idempotency-keys.js'
import type { OwnLine } from '../../database/lines/lines.js'
import { asError, OutcomeUnknown, Unavailable, UserError } from '../../errors.js'
import { idFrom, newId } from '../../ids.js'
import { sha256 } from '../../secrets.js'
import { createSemaphore } from '../../kit/process/semaphore.js'
import type { Context } from '../context.js'
import { getOwnLine } from '../lines/lines.js'
import { outboundMedia } from '../media/hosting.js'
import { capRefusal, countForCaps } from './spending/spend-caps.js'
import { monthlyCapRefusal } from './spending/monthly-caps.js'
import { getMessage } from './get-message.js'
import { readSendOptions, optionsForHash, type SendOptions } from './send-options.js'
import { readMediaUrls, refusalOfMedia } from './post/media.js'
import { countRefusal, namesOfRefusals } from './request-counts.js'
import { isBacklogFull } from './submit/backlog.js'
import { judgeDestination } from './submit/destination.js'
import { LINE_DISABLED, REFUSALS, refusalOfKey, requireSendable } from './submit/refusals.js'

const REFUSAL_NAMES = namesOfRefusals(REFUSALS)

export interface NewMessage extends SendOptions {
  /** The id of its row; the default is a new one. */
  id?: string
  userId: string
  /** The application that sends it; undefined if the user does, with a program or by hand. */
  applicationId: string | undefined
  /** True if a user sends it by hand. */
  isFromConsole?: boolean
  lineId: string
  /** The number as the caller wrote it. */
  toNumber: string
  text: string | undefined
  /** Either of the two: one, or several in order. */
  mediaUrl?: string | undefined
  mediaUrls?: readonly string[] | undefined
  idempotencyKey: string | undefined
  /** Returns true if the caller is gone, so that the answer would not be read. */
  hasDisconnected?: () => boolean
}

/**
 * Sends a message from one of the user's lines; an application may use only lines that are connected to it. When this
 * resolves, the message is committed, and a worker sends it. Each application, and each user, has separate
 * idempotency keys for each line.
 *
 * @throws UserError 400 for a field, 403 if the line may not send it, 404 for the line, 409 and 422 for the key, 429
 *   if too many of the line's messages wait
 * @throws Unavailable if Postgres is, or too many messages wait in all
 */
export async function postMessage(context: Context, message: NewMessage): Promise<Message> {
  const request = await toRequest(context, message, (lineId) => getOwnLine(context, message.userId, lineId))
  return queueAndRead(context, request, message.userId)
}

/**
 * Queues one message, and returns it as it is then.
 *
 * @throws UserError 403, 409 and 422 for the key, 429
 * @throws Unavailable if it was not queued, OutcomeUnknown if it may be
 */
export async function queueAndRead(
  context: Context,
  request: QueueRequest,
  userId: string,
): Promise<Message> {
  const id = await queue(context, request, userId)
  try {
    return await getMessage(context, userId, id)
  } catch (error) {
    // It is committed, so it would be wrong to say that the request can be repeated.
    throw error instanceof Unavailable ? new OutcomeUnknown(error) : error
  }
}

/** The lines and media URLs of a batch that are checked at a time. */
const LOOKS_AT_ONCE = 8
/** One statement takes no more (`src/kit/process/batch.ts`). */
const QUEUED_AT_ONCE = 200

/**
 * Does the same as `postMessage` for many messages: a fault in one does not affect the others. They are accepted in
 * their order, in as few statements as possible.
 *
 * @returns for each, in order, its id, or the reason why there is none
 */
export async function postMessages(
  context: Context,
  messages: readonly NewMessage[],
): Promise<(string | Error)[]> {
  const limited = createSemaphore({ atOnce: LOOKS_AT_ONCE, maxWaiting: messages.length, busy: 'a batch' })
  const lines = new Map<string, Promise<OwnLine>>()
  const findLine = ({ userId, lineId }: NewMessage) => {
    const line = lines.get(lineId) ?? getOwnLine(context, userId, lineId)
    lines.set(lineId, line)
    return line
  }
  const requests = await Promise.all(
    messages.map((message) =>
      limited(() => toRequest(context, message, () => findLine(message))).catch(asError),
    ),
  )
  const answers: (string | Error)[] = []
  for (let from = 0; from < requests.length; from += QUEUED_AT_ONCE) {
    const part = requests.slice(from, from + QUEUED_AT_ONCE)
    answers.push(
      ...(await Promise.all(
        part.map(async (each, n) =>
          each instanceof Error
            ? each
            : queue(context, each, messages[from + n]?.userId ?? '').catch(asError),
        ),
      )),
    )
  }
  return answers
}

/** @returns the id of the committed message */
async function queue(context: Context, request: QueueRequest, userId: string): Promise<string> {
  const answer = await context.batched.queueMessage(request).catch((error: unknown) => {
    countRefusal(request.source, error, REFUSAL_NAMES)
    throw error
  })
  if (answer.outcome === 'refused' && request.refusal !== undefined) {
    countRefusal(request.source, request.refusal, REFUSAL_NAMES)
    throw request.refusal
  }
  if (answer.outcome === 'over_monthly_cap') {
    throw await monthlyCapRefusal(context, { id: request.lineId, userId }, OVER_MONTHLY_CAP)
  }
  if (answer.outcome === 'line_full' && request.isBacklogFull === true) throw backlogFull()
  return requireAccepted(answer)
}

type FindLine = (lineId: string) => Promise<OwnLine>

/** @throws the errors of `postMessage` about the message's contents */
async function toRequest(context: Context, message: NewMessage, findLine: FindLine): Promise<QueueRequest> {
  try {
    return await readRequest(context, message, findLine)
  } catch (error) {
    countRefusal(sourceOf(message), error, REFUSAL_NAMES)
    throw error
  }
}

async function readRequest(context: Context, message: NewMessage, findLine: FindLine): Promise<QueueRequest> {
  const { userId, applicationId, idempotencyKey: key } = message
  const source = sourceOf(message)
  const text = readText(message)
  const media = readMediaUrls(message)
  const ofKey = refusalOfKey(key)
  if (ofKey !== undefined) throw ofKey
  const { options, refusal: refusalOfOptions } = readSendOptions(message)

  const line = await findLine(message.lineId)
  const destination = judgeDestination({ ...line, lineNumber: line.number }, message.toNumber)
  const toNumber = destination.number
  // Not the line alone: that is the scope of its incoming webhook. And not the application alone: its users know
  // nothing of each other, and one may use a key that another's message will have.
  const scopeId = idFrom(applicationId ?? userId, line.id)
  // A repeat gets the answer to the first request, wherever its media are by now.
  const isRepeat = media.urls.length > 0 && key !== undefined && (await isKeyKnown(context.db, scopeId, key))
  const refusal =
    (isRepeat ? undefined : await refusalOfMedia(context, line, media)) ??
    refusalOfOptions ??
    refusalOfLine(line) ??
    destination.refusal
  const isFull = await isBacklogFull(context)
  // With a key it may be a repeat, which only the statement knows.
  if (key === undefined && refusal !== undefined) throw refusal
  if (key === undefined && isFull) throw backlogFull()

  return {
    messageId: message.id ?? newId(),
    lineId: line.id,
    source,
    applicationId,
    toNumber,
    text,
    hasDisconnected: message.hasDisconnected,
    segmentCount: await countForCaps(context, line, text),
    ...options,
    refusal,
    isBacklogFull: isFull,
    media: media.urls.map(outboundMedia),
    idempotency:
      key === undefined
        ? undefined
        : {
            scopeId,
            key,
            requestHash: sha256(
              JSON.stringify([line.id, toNumber, text, ...media.urls]) + optionsForHash(options),
            ).toString('hex'),
          },
  }
}

function refusalOfLine({ status }: OwnLine): UserError | undefined {
  return status === 'active' ? undefined : new UserError(LINE_DISABLED, 403)
}

function sourceOf({ applicationId, isFromConsole = false }: NewMessage): OutboundSource {
  if (applicationId !== undefined) return 'application'
  return isFromConsole ? 'console' : 'api'
}

/** With media the text may be empty. */
function readText({ text: written = '', mediaUrl, mediaUrls = [] }: NewMessage): string | null {
  const text = written.toWellFormed()
  if (text.trim() === '') {
    if (mediaUrl === undefined && mediaUrls.length === 0) throw new UserError('Give text, mediaUrl or both')
    return null
  }
  requireSendable(text)
  return text
}

const OVER_CAP =
  'The daily segment cap of this line or its owner is reached. Try again tomorrow (UTC), or ask your operator ' +
  'for a higher cap'

const OVER_MONTHLY_CAP = 'The monthly spending cap is reached'

/** A full line sends several messages in this time. */
const FULL_WAIT_SECONDS = 10

const LINE_FULL = 'Too many messages from this line are waiting. Try again when some have been sent'

/** Messages of all lines wait, so it is not this caller's fault. */
function backlogFull(): Unavailable {
  return new Unavailable('Too many messages are waiting', FULL_WAIT_SECONDS)
}

/** True if it was refused only because too many messages wait on its line. */
export function isLineFull(answer: unknown): boolean {
  return answer instanceof UserError && answer.message === LINE_FULL
}

function requireAccepted({ outcome, messageId }: QueueAnswer): string {
  switch (outcome) {
    case 'accepted':
    case 'replayed':
      return messageId ?? ''
    case 'not_connected':
      throw new UserError('This line is not connected to the application. Its owner can connect it', 403)
    case 'opted_out':
      throw new UserError(REFUSALS.optedOut, 403)
    case 'over_cap':
      throw capRefusal(OVER_CAP)
    case 'line_full':
      throw new UserError(LINE_FULL, 429, FULL_WAIT_SECONDS)
    case 'key_reused':
      throw new UserError(REFUSALS.keyReused, 422)
    case 'key_in_flight':
      throw new UserError(REFUSALS.keyInFlight, 409)
    case 'over_monthly_cap':
    case 'rate_limited':
    case 'refused':
    case 'webhook_changed':
      throw new Error(`unexpected outcome ${outcome}`)
  }
}
