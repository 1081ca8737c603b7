import type { RouterMiddleware } from '@koa/router'
import type { Context as KoaContext } from 'koa'
import type { Context } from '../../domain/context.js'
import { UserError } from '../../errors.js'
import { isId } from '../../ids.js'
import { actingFor } from '../actor.js'
import { userOf } from '../middleware/authenticate.js'

/** An operation of /v1, as the route table has it. */
export type Operation = (context: Context) => RouterMiddleware

export interface OwnerRequest {
  userId: string
  /** Of the thing that the path names. Whether it is the user's is the domain's to say. */
  id: string
  ctx: KoaContext
}

/**
 * An operation on one thing, which the path names as `:lineId`, `:messageId`, …; what it gives is
 * the answer. What is no id is nobody's.
 *
 * @throws UserError 404
 */
export function onOwn(
  thing: 'line' | 'message' | 'delivery' | 'application' | 'task',
  answer: (context: Context, asked: OwnerRequest) => Promise<unknown>,
): Operation {
  return (context) => async (ctx) => {
    const id: unknown = ctx.params[`${thing}Id`]
    if (!isId(id)) throw new UserError(`no such ${thing}`, 404)
    // In the one spelling that ids have: secrets are sealed to it.
    const asked = { userId: userOf(ctx), id: id.toLowerCase(), ctx }
    ctx.body = await answer(actingFor(ctx, context), asked)
  }
}
