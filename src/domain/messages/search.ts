import { within, type Database } from '../../database/connection.js'
import {
  findApplications,
  findContactsByName,
  findEndpoints,
  findLines,
  findMessagesByCarrierId,
  findMessagesByClientRef,
  findMessagesById,
  findMessagesByNumber,
  findMessagesByText,
  findUsers,
  MAX_FOUND,
  type FoundApplication,
  type FoundContact,
  type FoundEndpoint,
  type FoundLine,
  type FoundMessage,
  type FoundUser,
  type Scope,
} from '../../database/messages/search.js'
import { storable } from '../../database/text.js'
import { Unavailable, UserError } from '../../errors.js'
import { isId } from '../../ids.js'
import type { Context } from '../context.js'
import { parseE164 } from './phone-number.js'
import { numberSearchReason, recordPersonFound } from '../people/private-access.js'
import type { Session } from '../people/sessions.js'

export { MAX_FOUND, type FoundMessage } from '../../database/messages/search.js'

/** A user waits for the page, and most searches have an index. */
const LOOK_MS = 700

/** Fewer characters would match nearly everything. */
const MIN_LENGTH = 3
/** This is longer than any id, number, name or address that is kept. */
const MAX_LENGTH = 254

export interface Found {
  messages: FoundMessage[]
  lines: FoundLine[]
  applications: FoundApplication[]
  /** Only the reader's own. */
  contacts: FoundContact[]
  /** Only the reader's own. */
  endpoints: FoundEndpoint[]
  /** Only for operators. */
  users: FoundUser[]
  /** True if only the newest messages were searched, as for texts and parts of a number. */
  isOfNewest: boolean
  /** For an operator's search by number: `searched` if others' messages were searched, otherwise what that needs. */
  others: 'searched' | 'whole number' | 'reason' | undefined
  /** True if there was more to read than a statement has time for. */
  isIncomplete: boolean
}

/**
 * Finds everything with this id, number, name, address or text. Users search their own data, operators all data except
 * texts and the URLs of endpoints, which are searched in the reader's own. In the reader's own data a part of a number
 * is enough. In others' messages operators find only a whole number, once they have given a reason
 * (`openNumberSearch`), and the users whose messages have it see that in their history: with partial numbers, they
 * could find out any person's number digit by digit. An id may be that of a message (ours, the carrier's, or the
 * sender's `clientRef`), an event (the `webhook-id`), a delivery, a line, an application or a user.
 *
 * @throws UserError 400
 */
export async function search(
  context: Context,
  { userId, role }: Pick<Session, 'userId' | 'role'>,
  written: string,
): Promise<Found> {
  const { db } = context
  const words = storable(written).trim()
  if (Array.from(words).length < MIN_LENGTH) throw new UserError(`Enter at least ${MIN_LENGTH} characters`)
  if (words.length > MAX_LENGTH) throw new UserError(`Enter at most ${MAX_LENGTH} characters`)
  const isOperator = role === 'operator'
  const scope = isOperator ? {} : { userId }
  // Japanese keyboards also write digits and letters in full width.
  const narrow = words.normalize('NFKC')
  const id = isId(narrow) ? narrow.toLowerCase() : null
  const digits = digitsOf(narrow)
  const [byId, byCarrierId, byClientRef, byNumber, byText, lines, applications, contacts, endpoints, users] =
    await Promise.all([
      id === null ? [] : findMessagesById(db, scope, id),
      id !== null || /\s/.test(words) ? [] : findMessagesByCarrierId(db, scope, words),
      within(db, LOOK_MS, (trx) => findMessagesByClientRef(trx, scope, words)).catch(ifTooSlow),
      digits === ''
        ? { messages: [], isOfNewest: false }
        : within(db, LOOK_MS, (trx) => findByNumber(trx, { userId }, digits)).catch(ifTooSlow),
      id !== null
        ? []
        : within(db, LOOK_MS, (trx) => findMessagesByText(trx, userId, words)).catch(ifTooSlow),
      findLines(db, scope, { id, words, digits }),
      findApplications(db, scope, { id, words }),
      findContactsByName(db, userId, words),
      findEndpoints(db, userId, { id, words }),
      isOperator ? findUsers(db, { id, words }) : [],
    ])
  const isOfOthers = isOperator && digits !== ''
  const theirs = isOfOthers ? await findOthersByNumber(context, userId, digits) : undefined
  const withNumber = [...(byNumber?.messages ?? []), ...(theirs?.messages ?? [])]
  const messages = new Map(
    [
      ...byId,
      ...byCarrierId,
      ...(byClientRef ?? []),
      ...[...withNumber, ...(byText ?? [])].toSorted(newestFirst),
    ].map((each) => [each.id, each]),
  )
  return {
    messages: [...messages.values()].slice(0, MAX_FOUND),
    lines,
    applications,
    contacts,
    endpoints,
    users,
    isOfNewest: byNumber?.isOfNewest === true || id === null,
    others: theirs?.others,
    isIncomplete: [byNumber, byClientRef, byText].includes(undefined) || (isOfOthers && theirs === undefined),
  }
}

/** Returns '' if it is not a number or a part of one. */
function digitsOf(words: string): string {
  if (!/^\+?[\d\s().-]+$/.test(words)) return ''
  const digits = words.replace(/\D/g, '')
  return digits.length < MIN_LENGTH ? '' : digits
}

/** The index has whole numbers, so it is tried first; many parts of numbers could be whole ones. */
async function findByNumber(
  db: Database,
  scope: Scope,
  digits: string,
): Promise<{ messages: FoundMessage[]; isOfNewest: boolean }> {
  const isPossible = parseE164(`+${digits}`) !== undefined
  const whole = isPossible ? await findMessagesByNumber(db, scope, { digits, isWhole: true }) : []
  if (whole.length > 0) return { messages: whole, isOfNewest: false }
  const messages = await findMessagesByNumber(db, scope, { digits, isWhole: false })
  return { messages, isOfNewest: true }
}

/** Searches other users' messages. The users whose messages are found see it in their history. */
async function findOthersByNumber(
  context: Context,
  userId: string,
  digits: string,
): Promise<{ messages: FoundMessage[]; others: Found['others'] } | undefined> {
  if (parseE164(`+${digits}`) === undefined) return { messages: [], others: 'whole number' }
  const reason = await numberSearchReason(context)
  if (reason === undefined) return { messages: [], others: 'reason' }
  const whole = { digits, isWhole: true }
  const found = await within(context.db, LOOK_MS, (trx) => findMessagesByNumber(trx, {}, whole)).catch(
    ifTooSlow,
  )
  if (found === undefined) return undefined
  const messages = found.filter((message) => message.userId !== userId)
  await recordPersonFound(context, new Set(messages.map((message) => message.userId)), reason)
  return { messages, others: 'searched' }
}

function newestFirst(one: FoundMessage, other: FoundMessage): number {
  return one.id < other.id ? 1 : -1
}

function ifTooSlow(error: unknown): undefined {
  if (!(error instanceof Unavailable)) throw error
}
