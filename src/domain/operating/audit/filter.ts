import type { AuditFilter } from '../../../database/operating/audit-log.js'
import { findLineByNumber } from '../../../database/lines/lines.js'
import { storable } from '../../../database/text.js'
import { findUserByEmail } from '../../../database/people/users.js'
import { UserError } from '../../../errors.js'
import { isId } from '../../../ids.js'
import type { Context } from '../../context.js'
import { asSender } from '../../lines/senders.js'
import { groupOf, isAction, listActions } from './actions.js'

/** The filter as people write it. */
export interface WrittenAuditFilter {
  /** An email address or a user's id. */
  actor?: string | undefined
  /** One action, or the first word of several. */
  action?: string | undefined
  /** An id, the number of a line, or the email address of a user. */
  subject?: string | undefined
  /** The email address or the id of the user who owns the data. */
  user?: string | undefined
  from?: Date | undefined
  until?: Date | undefined
}

/** @throws UserError 400, which names the field */
export async function readAuditFilter(context: Context, written: WrittenAuditFilter): Promise<AuditFilter> {
  const { actor, action, subject, user, from, until } = written
  return {
    actorId: actor === undefined ? undefined : await findUserId(context, 'actor', actor),
    actions: action === undefined ? undefined : readActions(action),
    subjectId: subject === undefined ? undefined : await findSubjectId(context, subject),
    userId: user === undefined ? undefined : await findUserId(context, 'user', user),
    from,
    until,
  }
}

function readActions(written: string): string[] {
  const name = written.trim()
  if (isAction(name)) return [name]
  const ofGroup = listActions().filter((action) => groupOf(action) === name)
  if (ofGroup.length > 0) return ofGroup
  throw new UserError(
    'action must be the name of an action, such as line.renamed, or of a group, such as line',
  )
}

async function findUserId(context: Context, field: 'actor' | 'user', written: string): Promise<string> {
  const id = isId(written.trim()) ? written.trim() : await findIdOfEmail(context, written)
  if (id === undefined) throw new UserError(`${field} must be a user's email address or ID`)
  return id
}

async function findSubjectId(context: Context, written: string): Promise<string> {
  const id = isId(written.trim())
    ? written.trim()
    : ((await findLineByNumber(context.db, storable(asSender(written))))?.id ??
      (await findIdOfEmail(context, written)))
  if (id !== undefined) return id
  throw new UserError("subject must be an ID, a line's number or a user's email address")
}

async function findIdOfEmail({ db }: Context, written: string): Promise<string | undefined> {
  return (await findUserByEmail(db, storable(written).trim()))?.id
}
