import type { Context as KoaContext } from 'koa'
import type { PauseOwner, Pauser } from '../../../domain/operating/pauses.js'
import { sessionOf } from '../people/session.js'

/** Returns the sender of a form. */
export function pauserOf(ctx: KoaContext): Pauser {
  const { userId, role } = sessionOf(ctx)
  return { userId, isOperator: role === 'operator' }
}

/** Tells the owner who paused it. */
export function pauserWords(by: PauseOwner): string {
  return by === 'owner' ? 'by you' : 'by an operator of this service'
}
