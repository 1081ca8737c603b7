import type { Context as KoaContext } from 'koa'
import { queryOf } from '../../form-values.js'
import type { AskedAttempt } from './opened-attempt.js'

export function messagePath(messageId: string): string {
  return `/console/messages/${messageId}`
}

/** Returns the attempt to show in full, by the page's query. */
export function askedAttempt(ctx: KoaContext): AskedAttempt {
  return { attempt: queryOf(ctx, 'attempt'), view: queryOf(ctx, 'view') }
}
