import { hasRecentAct, listRecentSubjects } from '../database/audit-log.js'
import { storable } from '../database/text.js'
import { UserError } from '../errors.js'
import { record, recordLook } from './audit.js'
import type { Context } from './context.js'

/** Long enough to look into one complaint. */
const OPEN_MINUTES = 30
const REASON_LENGTH = { min: 5, max: 300 }

type Acting = Pick<Context, 'db' | 'actor'>

/**
 * An operator says why they look at what a user's messages say and who got them. The row of the audit log that says so is
 * also what opens them: to this session, for half an hour.
 *
 * @throws UserError naming the field
 */
export async function openLook(context: Acting, userId: string, reason: string): Promise<void> {
  const written = storable(reason).trim()
  const { min, max } = REASON_LENGTH
  if (written.length < min || written.length > max) {
    throw new UserError(
      `reason must say in ${min} to ${max} characters why you look, such as a ticket's number`,
    )
  }
  const after = { reason: written }
  await record(context, context.db, { action: 'user.messages.opened', subjectId: userId, userId, after })
}

/** Whether this session may look at the user's messages now. */
export async function mayLook({ db, actor }: Acting, userId: string): Promise<boolean> {
  return hasRecentAct(db, { ...actorOf(actor), subjectId: userId }, OPEN_MINUTES)
}

/** At whose messages this session may look now. */
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
