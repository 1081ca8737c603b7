import type { Context as KoaContext, Middleware } from 'koa'
import type { ErrorOut } from 'oidc-provider'
import type { Context } from '../../domain/context.js'
import { Unavailable, UserError } from '../../errors.js'
import { answerErrorPage } from '../console/error-page.js'

/**
 * The sentences for a person who came from an application. There is no link back, because that address was not
 * checked.
 */
const SENTENCES: Record<string, string> = {
  invalid_client: 'The application that sent you here is not registered. Its client_id is unknown.',
  invalid_redirect_uri:
    'The application that sent you here uses a return address (redirect_uri) that it has not registered.',
}

/**
 * Answers an error that cannot be sent to the application by redirect: with a page for people, and with RFC 6749's
 * JSON for programs.
 */
export function answerAuthorizationError(context: Context) {
  return (ctx: KoaContext, { error, error_description: description }: ErrorOut): void => {
    const { status } = ctx
    if (ctx.get('Accept').includes('text/html')) {
      const sentence = SENTENCES[error] ?? description ?? error
      answerErrorPage(ctx, context, 'This authorization cannot continue', `${sentence} (${error})`)
    } else {
      ctx.body = { error, ...(description === undefined ? {} : { error_description: description }) }
    }
    ctx.status = status
  }
}

/** Runs before the endpoints for programs, and gives our own refusals the form of RFC 6749 §5.2. */
export const answerInOAuthsWords: Middleware = async (ctx, next) => {
  try {
    await next()
  } catch (error) {
    if (error instanceof UserError) {
      ctx.status = error.status
      ctx.body = { error: 'invalid_request', error_description: error.message }
    } else if (error instanceof Unavailable) {
      ctx.status = 503
      ctx.set('Retry-After', String(Math.ceil(error.retryAfterSeconds)))
      ctx.body = { error: 'temporarily_unavailable', error_description: 'Service is temporarily unavailable' }
    } else {
      throw error
    }
  }
}
