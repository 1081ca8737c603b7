import type { Notice } from '../../../database/operating/notices.js'
import type { Cure } from '../overview/cure.js'
import { isNoticeKind, NOTICE_KINDS } from './kinds.js'

export interface NoticeInWords {
  mood: 'bad' | 'waiting' | 'good'
  /** Names in it stand between U+2068 and U+2069. */
  title: string
  text: string
  /** undefined: nobody knows any more. */
  cure: Cure | undefined
}

type Told = Pick<Notice, 'kind' | 'details'>

/** The words of a page. A kind of a later release has none yet. */
export function noticeInWords({ kind, details }: Told): NoticeInWords {
  if (!isNoticeKind(kind)) return { mood: 'waiting', title: kind, text: '', cure: undefined }
  const { mood, title, text, cure } = NOTICE_KINDS[kind]
  // What is in the row was written by the kind that reads it here.
  const own = details as never
  return { mood, title: title(own), text: text(own), cure: cure(own) }
}

/** The kinds that are told in this mood. */
export function kindsOfMood(mood: NoticeInWords['mood']): string[] {
  return Object.entries(NOTICE_KINDS)
    .filter(([, kind]) => kind.mood === mood)
    .map(([name]) => name)
}

/** The words for mails and programs, which would show the marks around names. */
export function noticeInPlainWords(notice: Told): Pick<NoticeInWords, 'title' | 'text'> {
  const { title, text } = noticeInWords(notice)
  return { title: title.replace(MARKS, ''), text: text.replaceAll('`', '') }
}

/** What the event of a notice carries: its words, and what they are made of. */
export function payloadOf(notice: Told & Pick<Notice, 'userId'>): string {
  const { title, text } = noticeInPlainWords(notice)
  return JSON.stringify({ title, text, userId: notice.userId, ...(notice.details as object) })
}

const MARKS = /[\u2068\u2069]/g
