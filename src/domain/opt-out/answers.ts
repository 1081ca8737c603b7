import { findCarrierAccount } from '../../database/carrier-accounts.js'
import type { Database } from '../../database/connection.js'
import { setOptOutAnswer, type NotedContact } from '../../database/line-contacts.js'
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

/**
 * Confirms an opt-out or opt-in, or answers HELP: with an ordinary message of the line, which waits for its slot.
 * Nothing when the carrier answers itself, nothing to where the line may not send (whoever writes from a premium number
 * would earn by it), and nothing for what was so before: two programs would never end.
 *
 * @returns what is to be enqueued
 */
export async function answerKeyword(
  trx: Database,
  line: Line,
  number: string,
  contact: NotedContact,
): Promise<{ id: string; generation: number }[]> {
  const text = answerTo(contact)
  if (text === undefined || line.status !== 'active' || !canBeAnswered(line, number)) return []
  const account = await findCarrierAccount(trx, { name: line.carrier })
  if (account?.handlesOptOut === true) return []
  const id = newId()
  await queueMessages(trx, [{ messageId: id, lineId: line.id, source: 'service', toNumber: number, text }], 1)
  if (contact.hasOptedOut) await setOptOutAnswer(trx, line.id, number, id)
  return [{ id, generation: 0 }]
}

/** A sender's name, or a short code, cannot be written to. */
function canBeAnswered(line: Line, number: string): boolean {
  const parsed = number.startsWith('+') ? parseNumber(number, null) : undefined
  return parsed?.number === number && maySendTo(line, parsed)
}

function answerTo({ hasOptedOut, hasOptedIn, wantsHelp, isOptedOut }: NotedContact): string | undefined {
  if (hasOptedOut) return ANSWERS.optedOut
  if (hasOptedIn) return ANSWERS.optedIn
  return wantsHelp && !isOptedOut ? ANSWERS.help : undefined
}
