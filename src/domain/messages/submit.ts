import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { OpenIncomingWebhook } from '../../database/lines/incoming-webhooks.js'
import {
  countQueued,
  queueMessages,
  type QueueAnswer,
  type QueueRequest,
} from '../../database/messages/queueing.js'
import { countCharacters } from '../../kit/text/characters.js'
import { Unavailable, UserError } from '../../errors.js'
import { newId } from '../../ids.js'
import { sha256 } from '../../secrets.js'
import { addSpan, ROOT } from '../../telemetry/traces.js'
import type { Context } from '../context.js'
import { faultOfSender } from '../lines/senders.js'
import { senderKindOf } from '../../kit/text/sender-kind.js'
import { maySendTo, parseNumber, type ParsedNumber } from './phone-number.js'
import { countForCaps } from './spend-caps.js'
import { readSendOptions, optionsForHash, OPTION_REFUSALS, type SendOptions } from './later.js'
import { createLineBacklogs, FRESH_MS } from './submit/line-backlogs.js'
import { countAnswers } from './request-counts.js'

/**
 * Twilio takes no longer text (https://www.twilio.com/docs/api/errors/21617). This is already 11 segments of GSM-7.
 */
export const MAX_TEXT_LENGTH = 1600
/** The same in UTF-16 units: a longer text has more characters, however they are written. */
export const MAX_TEXT_UNITS = 2 * MAX_TEXT_LENGTH
/** Clients make keys of 36 characters (a UUID) or a few more. Keys are kept for a day, so they must not be pages. */
export const MAX_KEY_LENGTH = 255

export interface IncomingWebhookMessage extends SendOptions {
  /** The number as the caller wrote it. */
  toNumber: string
  text: string
  idempotencyKey: string | undefined
  /** Returns true if the caller is gone, so that the answer would not be read. */
  hasDisconnected?: () => boolean
}

/** Errors of an incoming webhook. `docs/http.md` lists them, and clients compare them word by word. */
export const REFUSALS = {
  tooLong: 'Text is too long',
  unsendable: 'Text contains a NUL character, which cannot be sent',
  notANumber: 'Provided toNumber phone number cannot be parsed',
  notAllowed: 'Destination is not allowed',
  nameNotTaken: 'The country of toNumber does not allow names as senders. Send from a number',
  shortCodeAbroad: 'A short code sends only within its own country',
  countryPaused: 'Sending to this country is paused',
  optedOut: 'Recipient has opted out',
  rateLimited: 'Rate limit exceeded',
  overCap: 'Daily cap of segments reached',
  /** The name of the cap and the time of its reset follow this. */
  overMonthlyCap: 'Monthly spending cap reached',
  keyTooLong: `Idempotency-Key is too long. Use at most ${MAX_KEY_LENGTH} characters`,
  keyReused: 'Idempotency-Key was used with another body. Use a new key for another message',
  keyInFlight: 'The first request with this Idempotency-Key is still being processed. Try again',
  ...OPTION_REFUSALS,
} as const

/** @throws UserError */
export function requireSendable(text: string): void {
  // Counting a text of megabytes takes seconds, and a character has at most two units.
  if (text.length > MAX_TEXT_UNITS || countCharacters(text) > MAX_TEXT_LENGTH)
    throw new UserError(REFUSALS.tooLong)
  if (text.includes('\0')) throw new UserError(REFUSALS.unsendable)
}

/**
 * Accepts a message for an incoming webhook. When this resolves with `accepted` or `replayed`, the message is
 * committed; the other answers say why it was not. `toNumber` and `line` are the two windows afterwards.
 * `webhook_changed` means that the given row is out of date, or that the token is no longer valid for the webhook.
 *
 * @param tokenHash the hash of the request's token
 * @throws UserError for the text and the number
 * @throws Unavailable if Postgres is
 */
export async function submitToIncomingWebhook(
  context: Context,
  webhook: OpenIncomingWebhook,
  message: IncomingWebhookMessage,
  tokenHash = webhook.tokenHash,
): Promise<QueueAnswer> {
  // Lone surrogates are not valid text; Postgres would refuse the whole batch for one.
  const text = message.text.toWellFormed()
  requireSendable(text)
  const destination = judgeDestination(webhook, message.toNumber)
  const toNumber = destination.number
  const key = message.idempotencyKey
  if (key !== undefined && key.length > MAX_KEY_LENGTH)
    throw destination.refusal ?? new UserError(REFUSALS.keyTooLong)
  const { options, refusal } = readSendOptions(message, destination.refusal)
  if (refusal !== undefined && key === undefined) throw refusal

  const answer = await context.batched.queueMessage({
    messageId: newId(),
    lineId: webhook.lineId,
    openedBy: { tokenHash, lineVersion: webhook.lineVersion },
    source: 'webhook',
    toNumber,
    text,
    hasDisconnected: message.hasDisconnected,
    segmentCount: await countForCaps(context, webhook, text),
    ...options,
    refusal,
    // The statement judges this after the limits, and not at all for a repeat.
    isBacklogFull: await isBacklogFull(context),
    idempotency:
      key === undefined
        ? undefined
        : {
            scopeId: webhook.lineId,
            key,
            requestHash: sha256(`${optionsForHash(options)}${toNumber}\n${text}`).toString('hex'),
          },
  })
  if (answer.outcome === 'refused' && refusal !== undefined) throw refusal
  return answer
}

/**
 * Writes the messages of one turn of the event loop, from any sender, and then enqueues a job for each. Enqueuing is
 * not awaited: the rows are committed, and the answer does not need Redis.
 */
export function createQueueing({
  db,
  queues,
  sendingQueue,
  config,
}: Pick<Context, 'db' | 'queues' | 'sendingQueue' | 'config'>) {
  const lineBacklogs = createLineBacklogs(config.maxQueuedPerLine)
  const queue = async (requests: readonly QueueRequest[]): Promise<(QueueAnswer | Error)[]> => {
    const startedAt = new Date()
    const asked = requests.map((each) => ({ ...each, isLineRoomy: lineBacklogs.isRoomy(each.lineId) }))
    const answers = await queueMessages(db, asked, config.maxQueuedPerLine)
    lineBacklogs.note(requests, answers)
    countAnswers(requests, answers)
    const accepted = requests.filter((_, n) => isAccepted(answers[n]))
    void sendingQueue.enqueue(
      // The clock of this process may differ: the row decides, and the sweep enqueues rows without a job.
      accepted.flatMap(({ messageId, lineId, media = [], sendAt }) =>
        media.length > 0 || (sendAt !== undefined && sendAt > startedAt)
          ? []
          : [{ ...firstJob(messageId), lineId }],
      ),
    )
    traceAccepted(accepted, startedAt)
    // The message itself gets its job once its media are copied.
    void queues.enqueueMedia(accepted.flatMap(({ media = [] }) => media.map(({ id }) => firstJob(id))))
    return answers
  }

  return async (requests: readonly QueueRequest[]): Promise<(QueueAnswer | Error)[]> => {
    // The event loop has to poll its sockets once more to see whether a caller has disconnected. On a busy machine a
    // request may wait to be read for longer than its caller does (measured: 893 of 1,652 were accepted although
    // their caller was gone).
    await nextTurn()
    const wanted = requests.filter(({ hasDisconnected }) => hasDisconnected?.() !== true)
    if (wanted.length === requests.length) return queue(requests)
    const answers = wanted.length === 0 ? [] : await queue(wanted)
    const byRequest = new Map(wanted.map((request, n) => [request, answers[n]]))
    return requests.map((request) => byRequest.get(request) ?? new Unavailable('The caller has disconnected'))
  }
}

function traceAccepted(accepted: readonly QueueRequest[], startedAt: Date): void {
  const durationMs = Date.now() - startedAt.getTime()
  for (const { messageId, lineId, source } of accepted) {
    const attributes = {
      'linehook.message.id': messageId,
      'linehook.line.id': lineId,
      'linehook.source': source,
    }
    addSpan({
      of: messageId,
      key: ROOT,
      name: 'accept message',
      kind: 'server',
      startedAt,
      durationMs,
      attributes,
    })
  }
}

function isAccepted(answer: QueueAnswer | Error | undefined): boolean {
  return answer !== undefined && !(answer instanceof Error) && answer.outcome === 'accepted'
}

function firstJob(id: string): { id: string; generation: number } {
  return { id, generation: 0 }
}

type SendingLine = Pick<
  OpenIncomingWebhook,
  'country' | 'allowedCountries' | 'pausedCountries' | 'lineNumber' | 'shortCodes'
>

/**
 * Returns the number that a line has to send to, in E.164.
 *
 * @throws UserError 400 if it is not a phone number, 403 if the line may not send there
 */
export function readDestination(line: SendingLine, written: string): string {
  const { number, refusal } = judgeDestination(line, written)
  if (refusal !== undefined) throw refusal
  return number
}

/**
 * Does the same, but returns the reason why the line may not send there now.
 *
 * @throws UserError 400 if it is not a phone number
 */
export function judgeDestination(
  line: SendingLine,
  written: string,
): { number: string; refusal: UserError | undefined } {
  // An operator has named them one by one: such digits could also be read as a number.
  if (line.shortCodes?.includes(written.trim()) === true)
    return { number: written.trim(), refusal: undefined }
  const parsed = parseNumber(written, line.country)
  if (parsed === undefined) throw new UserError(REFUSALS.notANumber)
  return { number: parsed.number, refusal: refusalOf(line, parsed) }
}

function refusalOf(line: SendingLine, to: ParsedNumber): UserError | undefined {
  if (!maySendTo({ ...line, number: line.lineNumber }, to)) return new UserError(REFUSALS.notAllowed, 403)
  // Finding the country takes a little time, and hardly any line has a paused one.
  if (line.pausedCountries !== null && line.pausedCountries.includes(to.country ?? '')) {
    return new UserError(REFUSALS.countryPaused, 403)
  }
  if (senderKindOf(line.lineNumber) === 'number') return undefined
  const fault = faultOfSender({ number: line.lineNumber, country: line.country }, to.country)
  return fault === undefined ? undefined : new UserError(SENDER_REFUSALS[fault], 403)
}

const SENDER_REFUSALS = {
  name_not_taken: REFUSALS.nameNotTaken,
  short_code_abroad: REFUSALS.shortCodeAbroad,
} as const

/** Each process reads the figure once a second at most: the bound is against a flood, and need not be exact. */
const readings = new WeakMap<Context['db'], { readAt: number; isFull: boolean | Promise<boolean> }>()
/** A Postgres that takes longer is busy or hangs. Callers should not have to wait until that is clear. */
const READING_MS = 200

/**
 * True if so many messages are waiting in total that new ones are refused. An accepted message should be sent soon,
 * not grow old in a queue.
 *
 * @throws Unavailable
 */
export async function isBacklogFull(context: Context, now = Date.now()): Promise<boolean> {
  const { db } = context
  let reading = readings.get(db)
  if (reading === undefined || now - reading.readAt > FRESH_MS) {
    const before = reading?.isFull === true
    const begun = { readAt: now, isFull: read(context) as boolean | Promise<boolean> }
    const isFull = Promise.race([begun.isFull, sleep(READING_MS, before, { ref: false })])
    isFull.then(
      (found) => (begun.isFull = found),
      // The next caller reads again instead of getting the same failure.
      () => readings.delete(db),
    )
    begun.isFull = isFull
    reading = begun
    readings.set(db, begun)
  }
  return reading.isFull
}

async function read({ db, config: { maxQueuedMessages } }: Context): Promise<boolean> {
  return (await countQueued(db, maxQueuedMessages)) >= maxQueuedMessages
}
