import type { Context as KoaContext, Middleware } from 'koa'
import type { Context } from '../../domain/context.js'
import { mustSetUpSecondFactor } from '../../domain/people/second-factors.js'
import { UserError } from '../../errors.js'
import { networkOf } from '../../network.js'
import { isSameSecret } from '../../secrets.js'
import { readSession, type SessionState } from '../console/people/session.js'

/**
 * The wrong passwords allowed in 15 minutes from one address, and in all. A person who forgot it does not need ten. An
 * attacker with many addresses gets 9,600 guesses a day, which is nothing against a long password.
 */
const GUESSES = { perAddress: 10, inAll: 100 }
const GUESSES_MS = 15 * 60_000

/**
 * Lets operators into the dashboard: with a session in the console or, read-only, through HTTP Basic with the
 * configured password, even while Postgres is unavailable. That is one factor without a name, so changes need a
 * session. After too many guesses no password opens it from there; a session still does.
 *
 * @throws UserError 401; 403 if only the console would open it, or allow it; 429 after too many guesses
 */
export function requireOperator(context: Context): Middleware {
  const read = readSession(context)
  return async (ctx, next) => {
    const waitMs = await provePassword(context, ctx)
    if (waitMs !== 0 || !isLook(ctx)) {
      await read(ctx, () => Promise.resolve())
      const { session } = ctx.state as SessionState
      if (session?.role !== 'operator') throw refusal(context, ctx, waitMs)
      if (mustSetUpSecondFactor(context, session)) {
        throw new UserError('Set up a second factor in the console to open the dashboard', 403)
      }
    }
    await next()
  }
}

/**
 * @returns 0 if the password is right, undefined if it is not, otherwise the time for which no password is compared
 *   any more
 */
async function provePassword({ config, throttle }: Context, ctx: KoaContext): Promise<number | undefined> {
  const given = readBasic(ctx.get('Authorization'))
  const { queuesPassword: expected } = config
  // A request without a password is not a guess: browsers first ask without one.
  if (expected === undefined || given?.name !== 'operator' || given.pass === '') return undefined
  const isFree = isSameSecret(given.pass, expected)
  for (const [who, limit] of [
    [networkOf(ctx.ip), GUESSES.perAddress],
    ['everybody', GUESSES.inAll],
  ] as const) {
    const key = `queues-password:{${who}}`
    const waitMs = await throttle.take({ key, limit, lengthMs: GUESSES_MS }, { isFree })
    if (waitMs > 0) return waitMs
  }
  return isFree ? 0 : undefined
}

/** Reads the credentials of RFC 7617; undefined if there are none. */
function readBasic(header: string): { name: string; pass: string } | undefined {
  const [, encoded] = /^basic +([\w+/]+=*) *$/i.exec(header) ?? []
  const [, name, pass] = /^([^:]*):([^]*)$/.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? []
  return name === undefined || pass === undefined ? undefined : { name, pass }
}

function isLook({ method }: KoaContext): boolean {
  return ['GET', 'HEAD', 'OPTIONS'].includes(method)
}

function refusal({ config }: Context, ctx: KoaContext, waitMs: number | undefined): UserError {
  if (waitMs === 0) {
    return new UserError(
      'QUEUES_PASSWORD is read-only. To change a queue, sign in to the console as an operator',
      403,
    )
  }
  if (config.queuesPassword === undefined) {
    return new UserError(
      'To open the dashboard, sign in to the console as an operator, or set QUEUES_PASSWORD',
      403,
    )
  }
  if (waitMs !== undefined) {
    ctx.set('Retry-After', String(Math.ceil(waitMs / 1000)))
    return new UserError(
      'Too many wrong passwords. Wait 15 minutes, or sign in to the console as an operator',
      429,
    )
  }
  ctx.set('WWW-Authenticate', 'Basic realm="Linehook queues", charset="UTF-8"')
  return new UserError('Sign in as operator with QUEUES_PASSWORD', 401)
}
