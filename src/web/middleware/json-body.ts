import { parse } from 'node:querystring'
import { promisify } from 'node:util'
import { brotliDecompress, unzip, type InputType, type ZlibOptions } from 'node:zlib'
import type { Context as KoaContext, Middleware } from 'koa'
import bodyParser from 'koa-bodyparser'
import sjson from 'secure-json-parse'
import { UserError } from '../../errors.js'

export interface BodyRefusals {
  tooLarge: string
  notAnObject: string
}

const MAX_BYTES = 64 * 1024
const MAX_DEPTH = 32

/** koa-bodyparser reads and bounds; the bytes are ours to judge, so it is to give them as they came. */
const readBytes = bodyParser({
  enableTypes: ['text'],
  textLimit: '64kb',
  // Handed on to raw-body, where null means "no decoding"; koa-bodyparser's types do not know it.
  ...{ encoding: null },
})

type Inflate = (bytes: InputType, options: ZlibOptions) => Promise<Buffer>

const INFLATE = new Map<string, Inflate>([
  ['gzip', promisify<InputType, ZlibOptions, Buffer>(unzip)],
  ['deflate', promisify<InputType, ZlibOptions, Buffer>(unzip)],
  ['br', promisify<InputType, ZlibOptions, Buffer>(brotliDecompress)],
])

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads a JSON object of at most 64 KiB into `ctx.request.body`, whatever its Content-Type says: people paste
 * `curl -d '{…}'`. Not UTF-8, deeper than 32 or with `__proto__` counts as no JSON.
 *
 * @param isOptional no body at all is an object without fields
 * @throws UserError 413, 400
 */
export function readJsonBody(
  refusals: BodyRefusals = {
    tooLarge: 'The request body is too large: 64 KiB at most',
    notAnObject: 'The request body must be a JSON object in UTF-8',
  },
  { isOptional = false } = {},
): Middleware {
  return async (ctx, next) => {
    const bytes = await readBounded(ctx, refusals)
    ctx.request.body = isOptional && bytes.length === 0 ? {} : parseObject(bytes, refusals)
    await next()
  }
}

/**
 * Reads a JSON object or a form's fields into `ctx.request.body`, whichever it is, whatever its Content-Type says:
 * clients of the original send both (contract §6). A field that is there several times is a list.
 *
 * @throws UserError 413, 400
 */
export function readFieldsBody(): Middleware {
  return async (ctx, next) => {
    const bytes = await readBounded(ctx, FIELD_REFUSALS)
    ctx.state.bodyBytes = bytes
    const isJson = /^\s*[{[]/.test(bytes.subarray(0, 100).toString('latin1'))
    ctx.request.body = isJson ? parseObject(bytes, FIELD_REFUSALS) : parse(bytes.toString())
    await next()
  }
}

/** What `readFieldsBody` read, for signatures over it. */
export function bodyBytesOf(ctx: { state: Record<string, unknown> }): Buffer {
  const { bodyBytes } = ctx.state
  return Buffer.isBuffer(bodyBytes) ? bodyBytes : Buffer.alloc(0)
}

const FIELD_REFUSALS: BodyRefusals = {
  tooLarge: 'The request body is too large: 64 KiB at most',
  notAnObject: 'The request body must be a JSON object or the fields of a form, in UTF-8',
}

async function readBounded(ctx: KoaContext, refusals: BodyRefusals): Promise<Buffer> {
  try {
    return await readBody(ctx)
  } catch (error) {
    const { status, code } = error as { status?: number; code?: string }
    // The rest of the body is thrown away as it comes: cut off, some senders never see the answer.
    if (status === 413 || code === 'ERR_BUFFER_TOO_LARGE') throw new UserError(refusals.tooLarge, 413)
    throw new UserError(refusals.notAnObject)
  }
}

/**
 * Inflates what was read, not what is being read: koa-bodyparser's inflating stream has no listener left once the
 * limit is passed, and its next error ends the process; nor does it notice that the sender is gone.
 */
async function readBody(ctx: KoaContext): Promise<Buffer> {
  const encoding = ctx.get('Content-Encoding').toLowerCase()
  delete ctx.req.headers['content-encoding']
  ctx.req.headers['content-type'] = 'text/plain'
  await readBytes(ctx, () => Promise.resolve())
  const { body } = ctx.request
  // A request without any body is not even looked at.
  if (!Buffer.isBuffer(body)) return Buffer.alloc(0)
  if (encoding === '' || encoding === 'identity') return body
  const inflate = INFLATE.get(encoding)
  if (inflate === undefined) throw new Error(`unknown Content-Encoding ${encoding}`)
  return inflate(body, { maxOutputLength: MAX_BYTES })
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
