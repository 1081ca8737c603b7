import type { Context as KoaContext } from 'koa'
import { UserError } from '../../errors.js'
import { isId } from '../../ids.js'

/** A form's field as text; empty when it is missing, or there several times. */
export function fieldOf(ctx: KoaContext, name: string): string {
  const [value, ...others] = valuesOf(ctx, name)
  return value === undefined || others.length > 0 ? '' : value
}

/** Every value of a field that may be there several times, such as the boxes that were ticked. */
export function valuesOf(ctx: KoaContext, name: string): string[] {
  const body = ctx.request.body as Record<string, unknown> | undefined
  const value = body === undefined || !Object.hasOwn(body, name) ? [] : [body[name]].flat()
  return value.filter((each) => typeof each === 'string')
}

/** The names of the fields that were sent. */
export function fieldNames(ctx: KoaContext): string[] {
  return Object.keys(ctx.request.body ?? {})
}

/** A parameter of the query as text; empty when it is missing, or there several times. */
export function queryOf(ctx: KoaContext, name: string): string {
  const value = ctx.query[name]
  return typeof value === 'string' ? value : ''
}

/**
 * The id that a path names, in its one spelling: secrets are sealed to it.
 *
 * @throws UserError 404: what is no id is nobody's
 */
export function idOf(ctx: KoaContext, name: string): string {
  const { params } = ctx as { params?: Record<string, string> }
  const id = params?.[name]
  if (!isId(id)) throw new UserError('There is nothing at this path', 404)
  return id.toLowerCase()
}

/** The page to go to afterwards, which the form names, or else the link that led here. */
export function nextOf(ctx: KoaContext): string {
  return readNext(fieldOf(ctx, 'next') || queryOf(ctx, 'next'))
}

/** The page to go back to, which is one of ours, whatever somebody has put into a link. */
export function readNext(value: string, fallback = '/console'): string {
  const isOurs = /^\/(console|simulator|oauth\/consent)(?=[/?]|$)/.test(value) && !/[\\\p{Cc}]/u.test(value)
  return isOurs ? value : fallback
}

/** The page of ours that a form asks to come back to. */
export function backOf(ctx: KoaContext): string | undefined {
  const back = fieldOf(ctx, 'back')
  return /^\/console(?:[/?][\w/?=&%+.:-]*)?$/.test(back) ? back : undefined
}
