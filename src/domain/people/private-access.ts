import { findRecentReason, hasRecentAct, listRecentSubjects } from '../../database/operating/audit-log.js'
import { storable } from '../../database/text.js'
import { UserError } from '../../errors.js'
import { countCharacters } from '../../kit/text/characters.js'
import { record, recordView } from '../operating/audit.js'
import type { Context } from '../context.js'

/** This is long enough to look into one complaint. */
const OPEN_MINUTES = 30
const REASON_LENGTH = { min: 5, max: 300 }

type Acting = Pick<Context, 'db' | 'actor'>

/**
 * Records an operator's reason for reading a user's messages and their numbers. The row of the audit log also opens
 * them to this session, for half an hour.
 *
 * @throws UserError naming the field
 */
export async function openPrivateAccess(context: Acting, userId: string, reason: string): Promise<void> {
  const after = { reason: readReason(reason) }
  await record(context, context.db, { action: 'user.messages.opened', subjectId: userId, userId, after })
}

/**
 * Reads an operator's reason for what they do to another user or person.
 *
 * @param what what the reason must say
 * @throws UserError naming the field
 */
export function readReason(written: string, what = 'why you need access, such as a ticket number'): string {
  const reason = storable(written).trim()
  const { min, max } = REASON_LENGTH
  const count = countCharacters(reason)
  if (count < min || count > max) {
    throw new UserError(`reason must say in ${min} to ${max} characters ${what}`)
  }
  return reason
}

/**
 * Records an operator's reason for searching users' messages for people's numbers, which this session may do for half
 * an hour. Each user in whose messages a number is found can see it, by `recordPersonFound`.
 *
 * @throws UserError naming the field
 */
export async function openNumberSearch(context: Acting, reason: string): Promise<void> {
  const after = { reason: readReason(reason) }
  await record(context, context.db, { action: 'person.search_opened', after })
}

/** Finds the reason for which this session may search others' messages for numbers now; undefined if it may not. */
export function numberSearchReason({ db, actor }: Acting): Promise<string | undefined> {
  const { userId: actorId, credentialId } = actor
  return findRecentReason(db, { action: 'person.search_opened', actorId, credentialId }, OPEN_MINUTES)
}

/** Records in the history of each user in whose messages a person's number was found, with one row in ten minutes. */
export async function recordPersonFound(
  context: Acting,
  userIds: ReadonlySet<string>,
  reason: string,
): Promise<void> {
  for (const userId of userIds) await recordView(context, 'user.person.found', userId, userId, { reason })
}

/** Records an action in the history of each user concerned, before it happens, without the number. */
export async function recordForUsers(
  context: Acting,
  action: 'user.person.exported' | 'user.person.forgotten',
  userIds: ReadonlySet<string>,
  reason: string,
): Promise<void> {
  for (const userId of userIds) {
    await record(context, context.db, { action, subjectId: userId, userId, after: { reason } })
  }
}

/** True if this session may look at the user's messages now. */
export async function hasPrivateAccess({ db, actor }: Acting, userId: string): Promise<boolean> {
  return hasRecentAct(db, { ...actorOf(actor), subjectId: userId }, OPEN_MINUTES)
}

/** Lists the users whose messages this session may look at now. */
export async function listPrivateAccess({ db, actor }: Acting): Promise<Set<string>> {
  return new Set(await listRecentSubjects(db, actorOf(actor), OPEN_MINUTES))
}

/** @param message the message of another user that the page shows now */
export function recordMessageView(context: Acting, message: { id: string; userId: string }): Promise<void> {
  return recordView(context, 'message.viewed', message.userId, message.id)
}

function actorOf({ userId, credentialId }: Context['actor']) {
  return { action: 'user.messages.opened', actorId: userId, credentialId }
}
