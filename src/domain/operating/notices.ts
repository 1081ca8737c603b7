import {
  countUnreadNotices,
  findReading,
  listNotices as listRows,
  NOTICE_MAILS,
  setNoticeMails as writeNoticeMails,
  setReadNotice,
  type Notice,
  type NoticeFilter,
  type NoticeMails,
  type NoticeReader,
} from '../../database/operating/notices.js'
import type { Page } from '../../database/lists.js'
import { UserError } from '../../errors.js'
import { isId } from '../../ids.js'
import type { Context } from '../context.js'

export type { Notice, NoticeMails } from '../../database/operating/notices.js'

/** Counting stops here. */
export const MAX_UNREAD = 100

/** Lists the newest first. */
export function listNotices(
  { db }: Context,
  reader: NoticeReader,
  page: Page,
  filter?: NoticeFilter,
): Promise<Notice[]> {
  return listRows(db, reader, page, filter)
}

/** The count stops at MAX_UNREAD. */
export function countUnread({ db }: Context, reader: NoticeReader): Promise<number> {
  return countUnreadNotices(db, reader, MAX_UNREAD)
}

/** Returns the last notification that a user has read, and the mails that they get. */
export async function getReading({ db }: Context, userId: string) {
  return (await findReading(db, userId)) ?? { readId: null, mails: 'all' as const }
}

/**
 * Marks everything up to this notification as read.
 *
 * @throws UserError 400
 */
export async function markRead({ db }: Context, userId: string, noticeId: string): Promise<void> {
  if (!isId(noticeId)) throw new UserError('noticeId must be the ID of a notification. Reload the page')
  await setReadNotice(db, userId, noticeId)
}

/** @throws UserError 400 */
export async function setNoticeMails({ db }: Context, userId: string, written: string): Promise<void> {
  const mails = NOTICE_MAILS.find((each) => each === written)
  if (mails === undefined) throw new UserError(`mails must be one of ${NOTICE_MAILS.join(', ')}`)
  await writeNoticeMails(db, userId, mails satisfies NoticeMails)
}
