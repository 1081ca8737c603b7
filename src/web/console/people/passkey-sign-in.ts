import type { Context as KoaContext, Middleware } from 'koa'
import type { Context } from '../../../domain/context.js'
import { confirmByPasskey } from '../../../domain/people/sessions.js'
import { signInByPasskey } from '../../../domain/people/second-step.js'
import { askForPasskey } from '../../../domain/people/second-factors/passkeys.js'
import { UserError } from '../../../errors.js'
import { networkOf } from '../../../network.js'
import { actingFor } from '../../actor.js'
import { nextOf } from '../form-values.js'
import { pageAfterSignIn } from '../home.js'
import type { Act } from '../page.js'
import { pageAfterConfirm } from './confirm.js'
import { credentialOf } from './second-factor/passkey-form.js'
import { halfOpenOf, showSecondStep } from './second-step.js'
import { browserOf, noteConfirmation, sessionOf, takeSession, type SessionState } from './session.js'
import { showSignIn } from './sign-in.js'

/** This is far more than people behind one address begin. Each is a row that waits five minutes. */
const PER_MINUTE = 60

/** Answers the script. */
export function postSignInOptions(context: Context): Act {
  return async (ctx) => {
    const { throttle } = context
    const key = `passkeys:{${networkOf(ctx.ip)}}`
    const waitMs = await throttle.take({ key, limit: PER_MINUTE, lengthMs: 60_000 })
    if (waitMs > 0) {
      ctx.set('Retry-After', String(Math.ceil(waitMs / 1000)))
      throw new UserError('Too many passkey sign-ins from your address. Wait a minute', 429)
    }
    const halfOpen = await halfOpenOf(ctx, context)
    ctx.body = await askForPasskey(context, halfOpen?.userId, browserOf(ctx))
    return undefined
  }
}

/** A passkey is two factors in itself: the device, and the finger or PIN that it asks for. */
export function postPasskeySignIn(context: Context) {
  return async (ctx: KoaContext): Promise<string> => {
    const acting = actingFor(ctx, context)
    const { token } = await signInByPasskey(acting, {
      halfOpen: await halfOpenOf(ctx, context),
      browserToken: browserOf(ctx),
      written: credentialOf(ctx),
      userAgent: ctx.get('User-Agent'),
    })
    await takeSession(ctx, acting, token)
    return pageAfterSignIn((ctx.state as SessionState).session, nextOf(ctx))
  }
}

/** Shows the page from which the passkey was used. */
export function showPasskeySignIn(context: Context): Middleware {
  const [first, second] = [showSignIn(context), showSecondStep(context)]
  return async (ctx, next) => {
    await ((await halfOpenOf(ctx, context)) === undefined ? first : second)(ctx, next)
  }
}

export function postConfirmOptions(context: Context): Act {
  return async (ctx) => {
    ctx.body = await askForPasskey(context, sessionOf(ctx).userId, browserOf(ctx))
    return undefined
  }
}

export function postConfirmByPasskey(context: Context) {
  return async (ctx: KoaContext): Promise<string> => {
    const proof = { browserToken: browserOf(ctx), written: credentialOf(ctx) }
    noteConfirmation(ctx, context, await confirmByPasskey(context, sessionOf(ctx), proof))
    return pageAfterConfirm(ctx)
  }
}
