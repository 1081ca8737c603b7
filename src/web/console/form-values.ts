import type { Context as KoaContext } from 'koa'
import { UserError } from '../../errors.js'
import { isId } from '../../ids.js'

/** Returns a form's field as text; empty if it is missing, or repeated. */
export function fieldOf(ctx: KoaContext, name: string): string {
  const [value, ...others] = valuesOf(ctx, name)
  return value === undefined || others.length > 0 ? '' : value
}

/** Returns every value of a field that may be repeated, such as ticked boxes. */
export function valuesOf(ctx: KoaContext, name: string): string[] {
  const body = ctx.request.body as Record<string, unknown> | undefined
  const value = body === undefined || !Object.hasOwn(body, name) ? [] : [body[name]].flat()
  return value.filter((each) => typeof each === 'string')
}

/**
 * Returns the moment that a form was made for (`Seen`); null if it was made when there was none, and undefined if it
 * does not say.
 */
export function seenOf(ctx: KoaContext): Date | null | undefined {
  const seen = fieldOf(ctx, 'seen')
  if (seen === '') return undefined
  return seen === NEVER ? null : new Date(seen)
}

/** The form's field has this value if there was no such moment. */
export const NEVER = 'never'

/** The field in which a question between a form and its act carries the names of the fields that it cannot keep. */
export const UNKEPT = 'confirm-unkept'

/** Returns the names of the fields that were sent. */
export function fieldNames(ctx: KoaContext): string[] {
  return Object.keys(ctx.request.body ?? {})
}

/** Returns a parameter of the query as text; empty if it is missing, or repeated. */
export function queryOf(ctx: Pick<KoaContext, 'query'>, name: string): string {
  const value = ctx.query[name]
  return typeof value === 'string' ? value : ''
}

/**
 * Returns the id that a path names, in its one spelling, to which secrets are sealed.
 *
 * @throws UserError 404 also if it is not an id
 */
export function idOf(ctx: KoaContext, name: string): string {
  const { params } = ctx as { params?: Record<string, string> }
  const id = params?.[name]
  if (!isId(id)) throw new UserError('Nothing was found at this path', 404)
  return id.toLowerCase()
}

/**
 * Returns the page to go to afterwards, which the form names, or the link that led here. It is always one of ours,
 * whatever a link contains.
 */
export function nextOf(ctx: KoaContext): string {
  const value = fieldOf(ctx, 'next') || queryOf(ctx, 'next')
  const isOurs = /^\/(console|simulator|oauth\/consent)(?=[/?]|$)/.test(value) && !/[\\\p{Cc}]/u.test(value)
  return isOurs ? value : '/console'
}

/** Returns the cursor of the page of a list that is asked for, or that a form was sent from. */
export function cursorOf(ctx: KoaContext): string | undefined {
  const before = queryOf(ctx, 'before') || fieldOf(ctx, 'before')
  return isId(before) ? before : undefined
}

/** Returns the page of ours that a form asks to return to. */
export function backOf(ctx: KoaContext): string | undefined {
  const back = fieldOf(ctx, 'back')
  return /^\/console(?:[/?][\w/?=&%+*.:-]*)?$/.test(back) ? back : undefined
}
