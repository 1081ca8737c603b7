import type { Notice } from '../../../database/operating/notices.js'
import type { Cure } from '../overview/cure.js'
import { isNoticeKind, NOTICE_KINDS } from './kinds.js'

export interface NoticeDescription {
  mood: 'bad' | 'waiting' | 'good'
  /** The names in it are between U+2068 and U+2069. */
  title: string
  text: string
  /** undefined if it is no longer known. */
  cure: Cure | undefined
}

type Told = Pick<Notice, 'kind' | 'details'>

/** Returns the words for a page. A kind of a later release has none yet. */
export function describeNotice({ kind, details }: Told): NoticeDescription {
  if (!isNoticeKind(kind)) return { mood: 'waiting', title: kind, text: '', cure: undefined }
  const { mood, title, text, cure } = NOTICE_KINDS[kind]
  // The row was written by the kind that reads it here.
  const own = details as never
  return { mood, title: title(own), text: text(own), cure: cure(own) }
}

export function kindsOfMood(mood: NoticeDescription['mood']): string[] {
  return Object.entries(NOTICE_KINDS)
    .filter(([, kind]) => kind.mood === mood)
    .map(([name]) => name)
}

/** Returns the words for mails and programs, which would show the marks around names. */
export function describeNoticeInText(notice: Told): Pick<NoticeDescription, 'title' | 'text'> {
  const { title, text } = describeNotice(notice)
  return { title: title.replace(MARKS, ''), text: text.replaceAll('`', '') }
}

/** Makes the payload of a notification's event: its words, and the values in them. */
export function payloadOf(notice: Told & Pick<Notice, 'userId'>): string {
  const { title, text } = describeNoticeInText(notice)
  return JSON.stringify({ title, text, userId: notice.userId, ...(notice.details as object) })
}

const MARKS = /[\u2068\u2069]/g
