import type { OwnLine } from '../../database/lines/lines.js'
import { listConversation, listLatestContacts } from '../../database/messages/conversations/conversations.js'
import { UserError } from '../../errors.js'
import type { Context } from '../context.js'
import { listOwnLines } from '../lines/lines.js'
import { readNumber, SIMULATOR } from './simulator.js'

export type { ConversationMessage } from '../../database/messages/conversations/conversations.js'

/** A phone scrolls, but is redrawn whenever a message comes. */
const MAX_SHOWN = 50
/** This many fit side by side on a typical screen. */
const MAX_SUGGESTED = 3
/** Each keeps itself up to date by a separate stream, and a user has ten (`src/web/console/live.ts`). */
const MAX_PHONES = 8
/** The number is not assigned, and the simulator does not misbehave for it. */
const FIRST_PHONE = '+15005550199'

/** The user's lines that the simulator's phones can write to, oldest first. */
export async function listSimulatorLines(context: Context, userId: string): Promise<OwnLine[]> {
  const lines = await listOwnLines(context, userId)
  return lines.filter(({ carrierAccount }) => carrierAccount === SIMULATOR)
}

/**
 * Returns the messages that a phone shows: its messages to the user's lines, and theirs to it, oldest first, the
 * newest 50.
 *
 * @param number E.164
 */
export async function findConversation(
  { db }: Context,
  userId: string,
  number: string,
  { limit = MAX_SHOWN } = {},
) {
  const newestFirst = await listConversation(db, userId, { carrier: SIMULATOR, number, limit })
  // The ids contain the time of acceptance, but the phone gets a message when it is sent.
  return newestFirst.toReversed().sort((a, b) => a.at.getTime() - b.at.getTime())
}

/**
 * Suggests phones to start with: the numbers that were last in touch with the user's lines, otherwise one that is free.
 */
export async function suggestPhones({ db }: Context, userId: string): Promise<string[]> {
  const latest = await listLatestContacts(db, userId, { carrier: SIMULATOR, limit: MAX_SUGGESTED })
  return latest.length === 0 ? [FIRST_PHONE] : latest
}

/**
 * Reads the phones for the screen: E.164, each once.
 *
 * @throws UserError naming `phone`
 */
export function readPhones(written: readonly string[]): string[] {
  const phones = [...new Set(written.map((number) => readNumber('phone', number)))]
  if (phones.length > MAX_PHONES) throw new UserError(`phone can be given at most ${MAX_PHONES} times`)
  return phones
}
