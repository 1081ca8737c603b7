import type { Context as KoaContext } from 'koa'
import type { PauseOwner, Pauser } from '../../domain/pauses.js'
import { sessionOf } from './session.js'

/** Whoever sends a form. */
export function pauserOf(ctx: KoaContext): Pauser {
  const { userId, role } = sessionOf(ctx)
  return { userId, isOperator: role === 'operator' }
}

/** Whose pause it is, to the owner of what is paused. */
export function pauserWords(by: PauseOwner): string {
  return by === 'owner' ? 'by you' : 'by an operator of this service'
}
