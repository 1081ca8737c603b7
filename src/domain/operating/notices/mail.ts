import type { Notice } from '../../../database/operating/notices.js'
import { shorten } from '../../../kit/text/characters.js'
import { inUtc } from '../../../kit/text/moments.js'
import type { Mail } from '../../../mail.js'
import { describeNoticeInText } from './describe.js'

/** The facts that every mail has. */
export interface Letterhead {
  /** The service's name in mails. */
  service: string
  publicUrl: string
  supportUrl: string | undefined
}

type Content = Pick<Mail, 'subject' | 'text'>

/**
 * Makes one mail of all notifications that a person gets at this time. It has links to the console, which asks for a
 * sign-in first.
 */
export function noticesMail(notices: readonly Notice[], letterhead: Letterhead): Content {
  const { service, publicUrl } = letterhead
  const written = notices.map((notice) => {
    const { title, text } = describeNoticeInText(notice)
    return {
      title,
      body: `${title}.\n\n${text}\n\nWhen: ${inUtc(notice.at)}\nMore: ${publicUrl}/console/notices#${notice.id}`,
    }
  })
  const [first] = written
  const others = written.length === 1 ? '' : `, and ${written.length - 1} more`
  return {
    subject: subjectOf(service, first?.title ?? '', others),
    text:
      `${written.map(({ body }) => body).join(SEPARATOR)}\n\n` +
      `-- \nYou get this because you have an account at ${publicUrl}.\n` +
      `Choose which emails you get: ${publicUrl}/console/settings#mails\n${supportLine(letterhead)}`,
  }
}

/** @param url the URL where the password can be set, once */
export function resetMail({ url }: { url: string }, letterhead: Letterhead): Content {
  const { service, publicUrl } = letterhead
  return {
    subject: subjectOf(service, 'Set a new password'),
    text:
      `Someone, probably you, asked to reset the password of your account at ${publicUrl}. Set a new one here:\n\n` +
      `${url}\n\n` +
      'The link works once and expires in one hour. If you did not ask for it, ignore this email. Your password stays the same.\n' +
      (letterhead.supportUrl === undefined ? '' : `\n-- \n${supportLine(letterhead)}`),
  }
}

function supportLine({ supportUrl }: Letterhead): string {
  return supportUrl === undefined ? '' : `Get help: ${supportUrl.replace(/^mailto:/, '')}\n`
}

const SEPARATOR = `\n\n${'-'.repeat(40)}\n\n`

const MAX_SUBJECT_LENGTH = 150

/** Names of lines and applications are users' texts. */
function subjectOf(service: string, title: string, ending = ''): string {
  const text = `[${service}] ${title}`.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim()
  return shorten(text, MAX_SUBJECT_LENGTH - ending.length) + ending
}
