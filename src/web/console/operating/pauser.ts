import type { Context as KoaContext } from 'koa'
import type { PauseOwner, Pauser } from '../../../domain/operating/pauses.js'
import { sessionOf } from '../people/session.js'

/** Whoever sends a form. */
export function pauserOf(ctx: KoaContext): Pauser {
  const { userId, role } = sessionOf(ctx)
  return { userId, isOperator: role === 'operator' }
}

/** Tells the owner of what is paused whose pause it is. */
export function pauserWords(by: PauseOwner): string {
  return by === 'owner' ? 'by you' : 'by an operator of this service'
}
