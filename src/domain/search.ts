import { within, type Database } from '../database/connection.js'
import {
  findApplications,
  findContactsByName,
  findLines,
  findMessagesByCarrierId,
  findMessagesByClientRef,
  findMessagesById,
  findMessagesByNumber,
  findUsers,
  type FoundApplication,
  type FoundContact,
  type FoundLine,
  type FoundMessage,
  type FoundUser,
  type Scope,
} from '../database/search.js'
import { storable } from '../database/text.js'
import { Unavailable, UserError } from '../errors.js'
import { isId } from '../ids.js'
import type { Context } from './context.js'
import { parseE164 } from './phone-number.js'
import type { Session } from './sessions.js'

export type {
  FoundApplication,
  FoundContact,
  FoundLine,
  FoundMessage,
  FoundUser,
} from '../database/search.js'

/** Of each kind: whoever needs more than a screen of them writes more of what they look for. */
export const MAX_FOUND = 20

/** Somebody waits for the page, and most of what they look for has an index. */
const LOOK_MS = 700

/** Fewer characters are in nearly everything. */
const MIN_LENGTH = 3
/** Longer than any id, number, name or address that is kept. */
const MAX_LENGTH = 254

export interface Found {
  messages: FoundMessage[]
  lines: FoundLine[]
  applications: FoundApplication[]
  /** The reader's own. */
  contacts: FoundContact[]
  /** Operators only. */
  users: FoundUser[]
  /** A part of a number was looked for in the newest messages only. */
  isOfNewest: boolean
  /** There was more to read for a part of a number than a statement has time for. */
  isIncomplete: boolean
}

/**
 * What has this id, number, name or address: users look through what is theirs, operators through everything. A number
 * may be a part of one; an id may be that of a message (ours, the carrier's, or the sender's `clientRef`), an event (the `webhook-id`), a delivery,
 * a line, an application or a user.
 *
 * @throws UserError 400
 */
export async function search(
  { db }: Context,
  { userId, role }: Pick<Session, 'userId' | 'role'>,
  written: string,
): Promise<Found> {
  const words = storable(written).trim()
  if (Array.from(words).length < MIN_LENGTH) throw new UserError(`write at least ${MIN_LENGTH} characters`)
  if (words.length > MAX_LENGTH) throw new UserError(`write at most ${MAX_LENGTH} characters`)
  const isOperator = role === 'operator'
  const scope = isOperator ? {} : { userId }
  const id = isId(words) ? words.toLowerCase() : null
  const digits = digitsOf(words)
  const [byId, byCarrierId, byClientRef, byNumber, lines, applications, contacts, users] = await Promise.all([
    id === null ? [] : findMessagesById(db, scope, id),
    id !== null || /\s/.test(words) ? [] : findMessagesByCarrierId(db, scope, words),
    within(db, LOOK_MS, (trx) => findMessagesByClientRef(trx, scope, words, MAX_FOUND)).catch(ifTooSlow),
    digits === ''
      ? { messages: [], isOfNewest: false }
      : within(db, LOOK_MS, (trx) => findByNumber(trx, scope, digits)).catch(ifTooSlow),
    findLines(db, scope, { id, words, digits }, MAX_FOUND),
    findApplications(db, scope, { id, words }, MAX_FOUND),
    findContactsByName(db, userId, words, MAX_FOUND),
    isOperator ? findUsers(db, { id, words }, MAX_FOUND) : [],
  ])
  const messages = new Map(
    [...byId, ...byCarrierId, ...(byClientRef ?? []), ...(byNumber?.messages ?? [])].map((each) => [
      each.id,
      each,
    ]),
  )
  return {
    messages: [...messages.values()].slice(0, MAX_FOUND),
    lines,
    applications,
    contacts,
    users,
    isOfNewest: byNumber?.isOfNewest === true,
    isIncomplete: byNumber === undefined || byClientRef === undefined,
  }
}

/** '' for what is no number and no part of one. */
function digitsOf(words: string): string {
  if (!/^\+?[\d\s().-]+$/.test(words)) return ''
  const digits = words.replace(/\D/g, '')
  return digits.length < MIN_LENGTH ? '' : digits
}

/** The index has whole numbers, so that way comes first; many parts of numbers could be whole ones. */
async function findByNumber(
  db: Database,
  scope: Scope,
  digits: string,
): Promise<{ messages: FoundMessage[]; isOfNewest: boolean }> {
  const isPossible = parseE164(`+${digits}`) !== undefined
  const whole = isPossible ? await findMessagesByNumber(db, scope, { digits, isWhole: true }, MAX_FOUND) : []
  if (whole.length > 0) return { messages: whole, isOfNewest: false }
  const messages = await findMessagesByNumber(db, scope, { digits, isWhole: false }, MAX_FOUND)
  return { messages, isOfNewest: true }
}

function ifTooSlow(error: unknown): undefined {
  if (!(error instanceof Unavailable)) throw error
}
