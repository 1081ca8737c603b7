import type { Middleware } from 'koa'
import bodyParser from 'koa-bodyparser'
import sjson from 'secure-json-parse'
import { UserError } from '../../errors.js'

export interface BodyRefusals {
  tooLarge: string
  notAnObject: string
}

const MAX_DEPTH = 32

/** koa-bodyparser reads, inflates and bounds; the bytes are ours to judge, so it is to give them as they came. */
const readBytes = bodyParser({
  enableTypes: ['text'],
  textLimit: '64kb',
  // Handed on to raw-body, where null means "no decoding"; koa-bodyparser's types do not know it.
  ...{ encoding: null },
})

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads a JSON object of at most 64 KiB into `ctx.request.body`, whatever its Content-Type says: people paste
 * `curl -d '{…}'`. Not UTF-8, deeper than 32 or with `__proto__` counts as no JSON.
 *
 * @throws UserError 413, 400
 */
export function readJsonBody(
  refusals: BodyRefusals = {
    tooLarge: 'The request body is too large: 64 KiB at most',
    notAnObject: 'The request body must be a JSON object in UTF-8',
  },
): Middleware {
  return async (ctx, next) => {
    ctx.req.headers['content-type'] = 'text/plain'
    try {
      await readBytes(ctx, () => Promise.resolve())
    } catch (error) {
      const { status } = error as { status?: number }
      if (status !== 413) throw new UserError(refusals.notAnObject)
      // The rest of the body is not worth reading.
      ctx.set('Connection', 'close')
      throw new UserError(refusals.tooLarge, 413)
    }
    ctx.request.body = parseObject(ctx.request.body as Buffer, refusals)
    await next()
  }
}

function parseObject(bytes: Buffer, { notAnObject }: BodyRefusals): Record<string, unknown> {
  let value: unknown
  try {
    value = sjson.parse(utf8.decode(bytes))
  } catch {
    throw new UserError(notAnObject)
  }
  if (!isRecord(value) || isDeeperThan(value, MAX_DEPTH)) throw new UserError(notAnObject)
  return value
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isDeeperThan(value: object, depth: number): boolean {
  if (depth === 0) return true
  return Object.values(value).some(
    (inner: unknown) => typeof inner === 'object' && inner !== null && isDeeperThan(inner, depth - 1),
  )
}
