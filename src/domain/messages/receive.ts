import { EVENT_TYPES, type MessageEventType } from '../../event-types.js'
import type { ReceivedContent } from '../../carriers/records.js'
import type { AccountVersion } from '../../database/carriers/carrier-accounts.js'
import { repeatable, transaction, type Database } from '../../database/connection.js'
import { lockLines } from '../../database/lines/lines.js'
import {
  receiveMessages,
  type ReceiveAnswer,
  type Received,
  type ReceivedMedia,
  type ToldBy,
} from '../../database/messages/receiving.js'
import { requeueHeads, type Conversation } from '../../database/messages/requeueing.js'
import { indexable, storable } from '../../database/text.js'
import { asError, UserError } from '../../errors.js'
import { newId } from '../../ids.js'
import { newToken } from '../../secrets.js'
import { inboundMessages } from '../../telemetry/metrics.js'
import { idOf, logPlain, word } from '../../telemetry/plain-line.js'
import { addSpan, ROOT } from '../../telemetry/traces.js'
import type { Inbound } from '../batched.js'
import type { Context } from '../context.js'
import { hostedUrl } from '../media/hosting.js'
import { applyKeywords, readKeyword, type KeywordResults, type Keyword } from './opt-out/keywords.js'
import { inForce } from './phone-number.js'
import { numberWindowKey } from './windows.js'

export interface InboundMessage {
  carrierAccount: string
  /**
   * The remembered account whose signature let it in; if left out, the caller has checked that the line is at
   * `carrierAccount`.
   */
  account?: AccountVersion
  carrierMessageId: string
  /** Both are E.164; `toNumber` is the line's. */
  fromNumber: string
  toNumber: string
  /** Our copy of media is what everybody else gets. */
  content: ReceivedContent
  /** The keyword that the carrier recognized in the text, and has already answered. */
  carrierKeyword?: Keyword
  /** The time when the carrier got it, if it comes late; the default is now. */
  receivedAt?: Date
}

export type ReceiveOutcome =
  /** `deliveryCount` is 0 for media, whose deliveries are made when they are copied. */
  | { kind: 'received'; messageId: string; deliveryCount: number }
  /** The carrier has delivered this message before: nothing was done this time. */
  | Extract<ReceiveAnswer, { kind: 'repeat' }>

/**
 * The account whose signature let a request in has been changed or removed since it was looked up. Nothing was done.
 */
export class AccountChanged extends Error {
  override name = 'AccountChanged'
}

export function noLineOf(carrier: string): UserError {
  return new UserError(`No line of ${carrier} has this number. See \`linehook line list\``, 404)
}

/**
 * Receives a message from a carrier: one transaction writes the message, the event and a delivery for each endpoint
 * (for media, the copy for which the deliveries wait), and the answer comes after it. Calls of one turn of the event
 * loop share a transaction (`receiveBatch`). The number's window starts anew, and its first waiting message gets its
 * turn, unless two programs seem to answer each other.
 *
 * @param toldBy how a repeat is recognized; by default the carrier's id
 * @throws UserError 404 if no line has the number, AccountChanged
 */
export async function receiveMessage(
  context: Context,
  message: InboundMessage,
  toldBy?: ToldBy,
): Promise<ReceiveOutcome> {
  const { batched, log } = context
  const startedAt = new Date()
  const inbound = { ...readInbound(context, message), toldBy }
  const { messageId } = inbound
  const { type } = message.content
  const answer = await batched.receiveMessage(inbound)
  inboundMessages.inc({ type, outcome: answer.kind })
  if (answer.kind === 'account_changed') throw new AccountChanged()
  if (answer.kind === 'no_line') throw noLineOf(message.carrierAccount)
  if (answer.kind === 'repeat') return answer
  const { lineId, hasPaused } = answer
  const deliveryCount = answer.deliveries.length
  if (hasPaused) log.warn({ messageId, lineId }, 'conversation.paused')
  const ids = { messageId: idOf(messageId), lineId: idOf(lineId) }
  logPlain(log, { ...ids, type: word(type), deliveryCount }, 'message.received')
  for (const [eventId, eventType] of eventsOf(inbound)) {
    addSpan({
      ...{ of: eventId, key: ROOT, name: 'receive message', kind: 'server', startedAt },
      durationMs: Date.now() - startedAt.getTime(),
      attributes: {
        'linehook.message.id': messageId,
        'linehook.event.id': eventId,
        'linehook.line.id': lineId,
        'linehook.carrier': message.carrierAccount,
        'linehook.type': eventType,
      },
    })
  }
  return { kind: 'received', messageId, deliveryCount }
}

function readInbound(context: Context, message: InboundMessage): Inbound {
  const { content, carrierKeyword, receivedAt } = message
  const text = textOf(content)
  const keyword = carrierKeyword ?? (text === null ? undefined : readKeyword(text))
  return {
    messageId: newId(),
    eventId: newId(),
    deliveryId: newId(),
    carrierAccount: message.carrierAccount,
    account: message.account,
    carrierMessageId: indexable(message.carrierMessageId),
    fromNumber: indexable(inForce(message.fromNumber)),
    toNumber: inForce(message.toNumber),
    type: EVENT_TYPES[content.type].messageType,
    // The text of a picture is an event like any other text.
    eventType: text === null ? undefined : 'inboundText',
    text,
    media: urlsOf(content).map((url) => newCopy(context, content.type, url)),
    said: keyword && { keyword, isAnswered: carrierKeyword !== undefined, receivedAt },
  }
}

/** null if there is none. Blanks alone count as a text, but not together with media. */
function textOf(content: ReceivedContent): string | null {
  if (content.type === 'inboundText') return storable(content.text)
  return content.type === 'voiceMail' || !content.text ? null : storable(content.text)
}

function eventsOf({ eventId, eventType, media }: Inbound): (readonly [id: string, type: MessageEventType])[] {
  const ofMedia = media.map((each) => [each.eventId, each.eventType] as const)
  return eventType === undefined ? ofMedia : [[eventId, eventType], ...ofMedia]
}

function urlsOf(content: ReceivedContent): readonly string[] {
  if (content.type === 'inboundText') return []
  return content.type === 'inboundMedia' ? content.urls : [content.url]
}

function newCopy(context: Context, eventType: MessageEventType, url: string): ReceivedMedia {
  const token = newToken()
  return {
    id: newId(),
    eventId: newId(),
    eventType,
    token,
    url: hostedUrl(context, token),
    sourceUrl: storable(url),
    purpose: eventType === 'voiceMail' ? 'voicemail' : 'inbound',
  }
}

type Tools = Pick<Context, 'db' | 'queues' | 'windows' | 'log'>

/**
 * Receives a batch, however it was delivered, and then enqueues what follows from it. The enqueuing is not awaited: the
 * rows are committed, and the answer does not need Redis.
 */
export async function receiveBatch(tools: Tools, batch: readonly Inbound[]): Promise<ReceiveAnswer[]> {
  const { db, queues } = tools
  const { answers, heard } = await takeIn(db, batch)
  const received = batch.flatMap((inbound, n) => {
    const answer = answers[n]
    return answer?.kind === 'received' ? [{ inbound, answer }] : []
  })
  void queues.enqueueDeliveries([...received.flatMap(({ answer }) => answer.deliveries), ...heard.deliveries])
  void queues.enqueueMessages(heard.answers)
  void queues.enqueueMedia(
    received.flatMap(({ inbound: { media } }) => media.map(({ id }) => ({ id, generation: 0 }))),
  )
  void giveTurns(tools, received)
  return answers
}

/** This needs one statement, and a transaction only if a message is STOP, START or HELP. */
async function takeIn(
  db: Database,
  batch: readonly Inbound[],
): Promise<{ answers: ReceiveAnswer[]; heard: KeywordResults }> {
  const saying = batch.filter(({ said }) => said !== undefined)
  if (saying.length === 0) {
    const answers = await repeatable(() => receiveMessages(db, batch))
    return { answers, heard: { answers: [], deliveries: [] } }
  }
  return transaction(db, async (trx) => {
    // These locks come first: a caller that queues messages holds them while it waits for rows that are locked here
    // later.
    const numbers = saying.map(({ toNumber }) => toNumber)
    await lockLines(trx, numbers)
    const answers = await receiveMessages(trx, batch)
    const messages = batch.flatMap(({ messageId: id, fromNumber, carrierAccount, said }, n) => {
      const answer = answers[n]
      if (said === undefined || answer?.kind !== 'received') return []
      return [{ id, lineId: answer.lineId, fromNumber, carrierAccount, ...said }]
    })
    return { answers, heard: await applyKeywords(trx, messages) }
  })
}

/**
 * Empties the sending windows of the senders' numbers, even if nothing was sent to them: that is cheaper than finding
 * out. Then the first message that waits for each number gets a new job, which finds a place. The order matters,
 * because it also gives a job to a message that has to wait in between. If either step fails, messages wait up to a
 * minute longer.
 */
async function giveTurns(
  { db, queues, windows, log }: Tools,
  received: readonly { inbound: Inbound; answer: Received }[],
): Promise<void> {
  const free = received.filter(({ answer }) => !answer.isPaused)
  const conversations = free.map(({ inbound, answer }) => ({
    lineId: answer.lineId,
    toNumber: inbound.fromNumber,
    isWaitedFor: answer.isWaitedFor,
  }))
  const waiting: Conversation[] = conversations.filter(({ isWaitedFor }) => isWaitedFor)
  const keys = new Set(conversations.map(({ lineId, toNumber }) => numberWindowKey(lineId, toNumber)))
  try {
    if (keys.size > 0) await windows.clear(keys)
    if (waiting.length > 0) await queues.enqueueMessages(await requeueHeads(db, waiting))
  } catch (error) {
    log.warn({ count: keys.size, err: asError(error) }, 'window.clear_failed')
  }
}
