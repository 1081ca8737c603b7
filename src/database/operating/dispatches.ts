import { newId } from '../../ids.js'
import { fromNow, writeAttempts, type Attempt } from '../claims.js'
import type { Database } from '../connection.js'
import { countOf } from '../lists.js'

/** A mail to one person: a notification, or a link to set a password. */
export interface Dispatch extends Attempt {
  /** null for a link to set a password. */
  noticeId: string | null
}

export interface Recipient {
  userId: string
  email: string
}

export type DispatchKind = 'mail' | 'reset_link'

/**
 * A process has this long to send a mail that it has claimed; after that, another may take it. No attempt takes this
 * long.
 */
const LEASE = `interval '1 minute'`
/** A person gets no more than one mail in this time: further notifications go into the next one. */
const MAIL_PAUSE = `interval '1 minute'`

const CLAIMED = `d.id, d.notice_id as "noticeId", d.attempt_count as attempt`
const CLAIM = `update dispatches d set due_at = clock_timestamp() + ${LEASE}, attempt_count = d.attempt_count + 1`

/**
 * Adds a mail for the owner, if there is one, and one for each operator, if they want it. No person gets two, and
 * disabled users get none.
 *
 * @param goesToAll true for mails about what others do with an account, which people get whatever their settings
 */
export async function insertMails(
  trx: Database,
  noticeIds: readonly string[],
  goesToAll: boolean,
): Promise<void> {
  await trx.raw(
    `insert into dispatches (id, kind, notice_id, user_id)
     select new_id(), 'mail', n.id, u.id
     from notices n join users u on (u.id = n.user_id and (:goesToAll or u.notice_mails <> 'none'))
       or (u.role = 'operator' and (:goesToAll or u.notice_mails = 'all'))
     where n.id = any (:noticeIds) and u.disabled_at is null order by n.id, u.id`,
    { noticeIds: [...noticeIds], goesToAll },
  )
}

/** A link ends the one before it, so one that still waits is no longer sent: it would end the new one. */
export async function insertResetLink(trx: Database, userId: string): Promise<void> {
  await endWaiting(trx, { user_id: userId, kind: 'reset_link' }, 'replaced')
  await trx('dispatches').insert({ id: newId(), kind: 'reset_link', user_id: userId })
}

/** Mails may wait for half a day for a mail server. A user who is disabled meanwhile no longer gets them. */
export async function endMailsOf(trx: Database, userId: string): Promise<void> {
  await endWaiting(trx, { user_id: userId }, 'user_disabled')
}

/**
 * Ends mails that are due and have waited for this long, in hours. One that another process is sending is not due.
 *
 * @returns their number
 */
export async function endOldMails(db: Database, maxHours: number, failure: string): Promise<number> {
  return db('dispatches')
    .where({ status: 'waiting' })
    .whereRaw('due_at <= clock_timestamp() and id < lowest_id_at(now() - make_interval(hours => ?))', [
      maxHours,
    ])
    .update({ status: 'failed', last_failure: failure, settled_at: db.raw('clock_timestamp()') })
}

async function endWaiting(
  trx: Database,
  which: { user_id: string; kind?: DispatchKind },
  failure: string,
): Promise<void> {
  await trx('dispatches')
    .where({ ...which, status: 'waiting' })
    .update({ status: 'failed', last_failure: failure, settled_at: trx.raw('clock_timestamp()') })
}

/** Counts the links that were requested in the last hour. */
export async function countRecentResetLinks(trx: Database, userId: string): Promise<number> {
  const recent = `dispatches where user_id = ? and kind = 'reset_link' and id >= lowest_id_at(now() - interval '1 hour')`
  return countOf(trx, recent, [userId])
}

/** Claims all notifications that are due to the person who has waited longest, as far as they fit into one mail. */
export async function claimOfOne(
  db: Database,
  limit: number,
): Promise<{ to: Recipient; dispatches: Dispatch[] } | undefined> {
  const { rows } = await db.raw<{ rows: (Dispatch & Recipient)[] }>(
    `with next as (
       select d.user_id from dispatches d
       where d.kind = 'mail' and d.status = 'waiting' and d.due_at <= clock_timestamp()
         and not exists (select from dispatches s where s.user_id = d.user_id and s.kind = 'mail'
           and s.status = 'sent' and s.settled_at > clock_timestamp() - ${MAIL_PAUSE})
       order by d.due_at limit 1
     ), due as (
       select d.id from dispatches d
       where d.user_id = (select user_id from next) and d.kind = 'mail' and d.status = 'waiting'
         and d.due_at <= clock_timestamp()
       order by d.id limit :limit for update skip locked
     )
     ${CLAIM} from due, users u where d.id = due.id and u.id = d.user_id
     returning ${CLAIMED}, u.id as "userId", u.email`,
    { limit },
  )
  const [first] = rows
  if (first === undefined) return undefined
  return { to: { userId: first.userId, email: first.email }, dispatches: rows }
}

/** Claims the one that has waited longest. */
export async function claimResetLink(db: Database): Promise<(Dispatch & Recipient) | undefined> {
  const { rows } = await db.raw<{ rows: (Dispatch & Recipient)[] }>(
    `${CLAIM}
     from (select w.id, u.email from dispatches w join users u on u.id = w.user_id
       where w.kind = 'reset_link' and w.status = 'waiting' and w.due_at <= clock_timestamp()
       order by w.due_at limit 1 for update of w skip locked) due
     where d.id = due.id
     returning ${CLAIMED}, d.user_id as "userId", due.email`,
  )
  return rows[0]
}

/** Ends mails that went out, or that will not be retried. */
export async function endDispatches(
  db: Database,
  dispatches: readonly Attempt[],
  end: { status: 'sent' | 'failed'; failure?: string },
): Promise<void> {
  await writeAttempts(db, 'dispatches', dispatches, {
    status: end.status,
    last_failure: end.failure ?? null,
    settled_at: db.raw('clock_timestamp()'),
  })
}

export async function putOffDispatches(
  db: Database,
  dispatches: readonly Attempt[],
  { failure, ms }: { failure: string; ms: number },
): Promise<void> {
  await writeAttempts(db, 'dispatches', dispatches, { last_failure: failure, due_at: fromNow(db, ms) })
}

/** Deletes links that were mailed, or could not be, a week ago. The mails of a notification are deleted with it. */
export async function deleteOldResetLinks(db: Database): Promise<number> {
  return db('dispatches')
    .where({ kind: 'reset_link' })
    .whereRaw(`settled_at < now() - interval '7 days'`)
    .delete()
}
