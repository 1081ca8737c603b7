import type { Context as KoaContext, Middleware } from 'koa'
import type { ErrorOut } from 'oidc-provider'
import type { Context } from '../../domain/context.js'
import { Unavailable, UserError } from '../../errors.js'
import { answerErrorPage } from '../console/error-page.js'
import { explainError } from '../middleware/errors.js'

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
      answerErrorPage(
        ctx,
        context,
        'This authorization cannot continue',
        `${sentence.replace(/\.$/, '')} (${error})`,
      )
    } else {
      ctx.body = { error, ...(description === undefined ? {} : { error_description: description }) }
    }
    ctx.status = status
  }
}

/** Runs before the endpoints for programs, and gives our own refusals the form of RFC 6749 §5.2. */
export function answerInOAuthsWords({ log }: Context): Middleware {
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      if (!(error instanceof UserError || error instanceof Unavailable)) throw error
      const { status, detail, retryAfterSeconds } = explainError(log, error)
      ctx.status = status
      if (retryAfterSeconds !== undefined) ctx.set('Retry-After', String(retryAfterSeconds))
      const name = error instanceof UserError ? 'invalid_request' : 'temporarily_unavailable'
      ctx.body = { error: name, error_description: detail }
    }
  }
}
