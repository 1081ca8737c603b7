import { findCarrierAccount } from '../../database/carrier-accounts.js'
import type { Database } from '../../database/connection.js'
import { setOptOutAnswer, type NotedKeyword } from '../../database/line-contacts.js'
import type { Line } from '../../database/lines.js'
import { queueMessages } from '../../database/messages/queueing.js'
import { newId } from '../../ids.js'
import { maySendTo } from '../destinations.js'
import { parseNumber } from '../phone-number.js'

/** Each is one segment, and says what else can be texted. */
const ANSWERS = {
  optedOut: 'You will get no more messages from this number. Text START to get them again.',
  optedIn: 'You will get messages from this number again. Text STOP to end them.',
  help: 'Text STOP to get no more messages from this number, START to get them again.',
}

/** What the service says to a number by itself. */
export interface KeywordAnswer {
  id: string
  lineId: string
  number: string
  text: string
  /** It may go out although the number has opted out. */
  confirmsOptOut: boolean
}

/**
 * What confirms an opt-out or opt-in, or answers HELP; none or one. None when the carrier answers itself, none to where
 * the line may not send (whoever writes from a premium number would earn by it), and none for what was so before: two
 * programs would never end.
 */
export async function answerKeyword(
  trx: Database,
  line: Line,
  number: string,
  contact: NotedKeyword,
): Promise<KeywordAnswer[]> {
  const text = answerTo(contact)
  if (text === undefined || line.status !== 'active' || !canBeAnswered(line, number)) return []
  const account = await findCarrierAccount(trx, { name: line.carrier })
  if (account?.handlesOptOut === true) return []
  return [{ id: newId(), lineId: line.id, number, text, confirmsOptOut: contact.hasOptedOut }]
}

/**
 * Answers are ordinary messages of their lines, which wait for their slots.
 *
 * @returns what is to be enqueued
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

/** A sender's name, or a short code, cannot be written to. */
function canBeAnswered(line: Line, number: string): boolean {
  const parsed = number.startsWith('+') ? parseNumber(number, null) : undefined
  return parsed?.number === number && maySendTo(line, parsed)
}

function answerTo({ hasOptedOut, hasOptedIn, wantsHelp, isOptedOut }: NotedKeyword): string | undefined {
  if (hasOptedOut) return ANSWERS.optedOut
  if (hasOptedIn) return ANSWERS.optedIn
  return wantsHelp && !isOptedOut ? ANSWERS.help : undefined
}
