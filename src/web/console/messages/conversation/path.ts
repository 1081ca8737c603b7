import type { Context as KoaContext } from 'koa'
import { MAX_NUMBER_LENGTH } from '../../../../domain/messages/phone-number.js'
import { UserError } from '../../../../errors.js'
import { tabPath } from '../../lines/line/section.js'

export function conversationsPath(lineId: string): string {
  return tabPath(lineId, 'conversations')
}

/** The number has the form that messages have, which may be a short code or a name. */
export function conversationPath(lineId: string, number: string): string {
  return `${conversationsPath(lineId)}/${encodeURIComponent(number)}`
}

/**
 * Returns the number that a path names.
 *
 * @throws UserError 404
 */
export function numberOf(ctx: KoaContext): string {
  const { number = '' } = (ctx as { params?: Record<string, string> }).params ?? {}
  if (number === '' || number.length > MAX_NUMBER_LENGTH || /\p{Cc}/u.test(number)) {
    throw new UserError('Nothing was found at this path', 404)
  }
  return number
}
