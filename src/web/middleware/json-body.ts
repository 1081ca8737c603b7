import type { Middleware } from 'koa'
import sjson from 'secure-json-parse'
import { UserError } from '../../errors.js'
import { parseFormFields } from '../input/form-fields.js'
import { readBodyText } from '../input/utf8.js'
import { readBodyBytes, type BodyBound, type BodyRefusals } from './body-bytes.js'

/**
 * No request needs more than a few levels of nesting. Code that walks a value is recursive, and must not overflow the
 * stack.
 */
const MAX_DEPTH = 32

/**
 * Reads a JSON object of at most 64 KiB, or of another bound, into `ctx.request.body`, whatever its Content-Type
 * says: people paste `curl -d '{…}'`. A body with more than 32 levels does not count as JSON.
 *
 * @param isOptional true to read a missing body as an object without fields
 * @throws UserError 413, 415, 400
 */
export function readJsonBody(
  refusals: BodyRefusals = JSON_REFUSALS,
  { isOptional = false, bound = undefined as BodyBound | undefined } = {},
): Middleware {
  return async (ctx, next) => {
    const bytes = await readBodyBytes(ctx, refusals, bound)
    ctx.request.body = isOptional && bytes.length === 0 ? {} : parseObject(bytes, refusals)
    await next()
  }
}

/**
 * Reads a JSON object or a form's fields into `ctx.request.body`, whatever its Content-Type says, because clients
 * send both. A repeated field is a list.
 *
 * @throws UserError 413, 415, 400
 */
export function readFieldsBody(): Middleware {
  return async (ctx, next) => {
    const isMultipart = Boolean(ctx.is('multipart'))
    const bytes = await readBodyBytes(ctx, FIELD_REFUSALS)
    // Some programs begin with a byte order mark.
    const isJson = /^(?:\xef\xbb\xbf)?[\t\n\r ]*[{[]/.test(bytes.toString('latin1'))
    if (!isJson && isMultipart) throw new UserError(NOT_MULTIPART)
    ctx.state.isForm = !isJson
    ctx.request.body = isJson ? parseObject(bytes, FIELD_REFUSALS) : parseFormFields(bytes, readBodyText)
    await next()
  }
}

/** True if `readFieldsBody` has read a form's fields, rather than JSON. */
export function isForm(ctx: { state: Record<string, unknown> }): boolean {
  return ctx.state.isForm === true
}

export const JSON_REFUSALS: BodyRefusals = {
  tooLarge: 'The request body is too large. It can have at most 64 KiB',
  unreadable: 'The request body must be a JSON object in UTF-8',
  dangerousName:
    'A field of the request body is named __proto__, or constructor with a field prototype. Remove it',
}

const FIELD_REFUSALS: BodyRefusals = {
  ...JSON_REFUSALS,
  unreadable: 'The request body must be a JSON object or the fields of a form, in UTF-8',
}

const NOT_MULTIPART =
  'A multipart/form-data body is not accepted. Send a JSON object, or a form as application/x-www-form-urlencoded'

function parseObject(
  bytes: Buffer,
  { unreadable, dangerousName = unreadable }: BodyRefusals,
): Record<string, unknown> {
  const text = readBodyText(bytes).replace(/^\uFEFF/, '')
  let value: unknown
  try {
    value = sjson.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new UserError(error.message.includes('forbidden prototype') ? dangerousName : unreadable)
  }
  if (!isRecord(value) || isTooDeep(value)) throw new UserError(unreadable)
  return value
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** True if a value has more levels than any request needs. */
export function isTooDeep(value: object): boolean {
  return isDeeperThan(value, MAX_DEPTH)
}

function isDeeperThan(value: object, depth: number): boolean {
  if (depth === 0) return true
  return Object.values(value).some(
    (inner: unknown) => typeof inner === 'object' && inner !== null && isDeeperThan(inner, depth - 1),
  )
}
