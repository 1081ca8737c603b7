import { findRecentReason, hasRecentAct, listRecentSubjects } from '../../database/operating/audit-log.js'
import { storable } from '../../database/text.js'
import { UserError } from '../../errors.js'
import { record, recordLook } from '../operating/audit.js'
import type { Context } from '../context.js'

/** Long enough to look into one complaint. */
const OPEN_MINUTES = 30
const REASON_LENGTH = { min: 5, max: 300 }

type Acting = Pick<Context, 'db' | 'actor'>

/**
 * An operator says why they look at what a user's messages say and who got them. The row of the audit log that says so
 * is also what opens them: to this session, for half an hour.
 *
 * @throws UserError naming the field
 */
export async function openLook(context: Acting, userId: string, reason: string): Promise<void> {
  const after = { reason: readReason(reason) }
  await record(context, context.db, { action: 'user.messages.opened', subjectId: userId, userId, after })
}

/** Why an operator looks at what is others'. @throws UserError naming the field */
export function readReason(written: string): string {
  const reason = storable(written).trim()
  const { min, max } = REASON_LENGTH
  if (reason.length < min || reason.length > max) {
    throw new UserError(
      `reason must say in ${min} to ${max} characters why you need access, such as a ticket number`,
    )
  }
  return reason
}

/**
 * An operator says why they look for people's numbers in users' messages: for half an hour this session may. Each user
 * who has a number that is found is told, by `recordPersonFound`.
 *
 * @throws UserError naming the field
 */
export async function openNumberSearch(context: Acting, reason: string): Promise<void> {
  const after = { reason: readReason(reason) }
  await record(context, context.db, { action: 'person.search_opened', after })
}

/** Why this session may look for numbers in others' messages now; undefined: it may not. */
export function numberSearchReason({ db, actor }: Acting): Promise<string | undefined> {
  const { userId: actorId, credentialId } = actor
  return findRecentReason(db, { action: 'person.search_opened', actorId, credentialId }, OPEN_MINUTES)
}

/** Writes into the history of each user in whose messages a person's number was found: one row in ten minutes. */
export async function recordPersonFound(
  context: Acting,
  userIds: ReadonlySet<string>,
  reason: string,
): Promise<void> {
  for (const userId of userIds) await recordLook(context, 'user.person.found', userId, userId, { reason })
}

/** Writes into the history of each user whom it concerns, before it is done: the number is in no row. */
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

/** Whether this session may look at the user's messages now. */
export async function mayLook({ db, actor }: Acting, userId: string): Promise<boolean> {
  return hasRecentAct(db, { ...actorOf(actor), subjectId: userId }, OPEN_MINUTES)
}

/** The users at whose messages this session may look now. */
export async function listOpenLooks({ db, actor }: Acting): Promise<Set<string>> {
  return new Set(await listRecentSubjects(db, actorOf(actor), OPEN_MINUTES))
}

/** @param message of another user, which the page shows now */
export function recordMessageLook(context: Acting, message: { id: string; userId: string }): Promise<void> {
  return recordLook(context, 'message.viewed', message.userId, message.id)
}

function actorOf({ userId, credentialId }: Context['actor']) {
  return { action: 'user.messages.opened', actorId: userId, credentialId }
}
