import { findCarrierAccount } from '../../../database/carriers/carrier-accounts.js'
import type { Database } from '../../../database/connection.js'
import { setOptOutAnswer, type NotedKeyword } from '../../../database/lines/line-peers.js'
import type { Line } from '../../../database/lines/lines.js'
import { queueMessages } from '../../../database/messages/queueing.js'
import { newId } from '../../../ids.js'
import { maySendTo, parseNumber } from '../phone-number.js'

/** Each fits one segment and says what else the person can text. */
const ANSWERS = {
  optedOut: 'You will get no more messages from this number. Text START to get them again.',
  optedIn: 'You will get messages from this number again. Text STOP to stop them.',
  help: 'Text STOP to get no more messages from this number, or START to get them again.',
}

/** An automatic message of the service to a number. */
export interface KeywordAnswer {
  id: string
  lineId: string
  number: string
  text: string
  /** True if it may go out although the number has opted out. */
  confirmsOptOut: boolean
}

/**
 * Makes the message that confirms an opt-out or opt-in, or answers HELP; at most one. There is none if the carrier
 * answers itself; none to numbers that the line may not text (a premium number would earn money from it); and none if
 * nothing changed, because two programs that answer each other would never stop.
 */
export async function answerKeyword(
  trx: Database,
  line: Line,
  number: string,
  { peer, carrierAccount }: { peer: NotedKeyword; carrierAccount: string },
): Promise<KeywordAnswer[]> {
  const text = answerTo(peer)
  if (text === undefined || line.status !== 'active' || !canBeAnswered(line, number)) return []
  const account = await findCarrierAccount(trx, { name: carrierAccount })
  if (account?.handlesOptOut === true) return []
  return [{ id: newId(), lineId: line.id, number, text, confirmsOptOut: peer.hasOptedOut }]
}

/**
 * Queues the answers as messages of their lines. If a limit is full, they get the next place (`enterWindows`).
 *
 * @returns the messages to enqueue
 */
export async function queueAnswers(
  trx: Database,
  answers: readonly KeywordAnswer[],
): Promise<{ id: string; generation: number }[]> {
  if (answers.length === 0) return []
  const requests = answers.map(({ id, lineId, number, text }) => ({
    messageId: id,
    lineId,
    source: 'service' as const,
    toNumber: number,
    text,
  }))
  await queueMessages(trx, requests, 1)
  for (const { id, lineId, number, confirmsOptOut } of answers) {
    if (confirmsOptOut) await setOptOutAnswer(trx, lineId, number, id)
  }
  return answers.map(({ id }) => ({ id, generation: 0 }))
}

/** Messages cannot be sent to a sender's name or a short code. */
function canBeAnswered(line: Line, number: string): boolean {
  const parsed = number.startsWith('+') ? parseNumber(number, null) : undefined
  return parsed?.number === number && maySendTo(line, parsed)
}

function answerTo({ hasOptedOut, hasOptedIn, wantsHelp, isOptedOut }: NotedKeyword): string | undefined {
  if (hasOptedOut) return ANSWERS.optedOut
  if (hasOptedIn) return ANSWERS.optedIn
  return wantsHelp && !isOptedOut ? ANSWERS.help : undefined
}
