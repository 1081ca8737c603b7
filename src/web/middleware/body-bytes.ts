import { promisify } from 'node:util'
import { brotliDecompress, unzip, type InputType, type ZlibOptions } from 'node:zlib'
import type { Context as KoaContext } from 'koa'
import bodyParser from 'koa-bodyparser'
import { UserError } from '../../errors.js'

/**
 * The longest text takes 19,200 bytes if each character is escaped. Every body is kept in memory, so the limit is not
 * much higher.
 */
const MAX_BYTES = 64 * 1024

export interface BodyRefusals {
  tooLarge: string
  /** The error also for a body that cannot be unpacked. */
  unreadable: string
  /** The error for a name that could change other objects; `unreadable` by default. */
  dangerousName?: string
}

type Inflate = (bytes: InputType, options: ZlibOptions) => Promise<Buffer>

const gunzip = promisify<InputType, ZlibOptions, Buffer>(unzip)

const INFLATE: ReadonlyMap<string, Inflate> = new Map([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', gunzip],
  ['br', promisify<InputType, ZlibOptions, Buffer>(brotliDecompress)],
])

/** The encodings of packed bodies; x-gzip is another word for gzip (RFC 9110 §8.4.1.3). */
const ENCODINGS = 'gzip, deflate, br'

/** koa-bodyparser reads the body and bounds it; we judge the bytes, so it must return them unchanged. */
const readerOf = (maxBytes: number) =>
  bodyParser({
    enableTypes: ['text'],
    textLimit: String(maxBytes),
    // This is passed on to raw-body, where null means "no decoding"; koa-bodyparser's types do not have it.
    ...{ encoding: null },
  })

/** A larger bound than 64 KiB, for a route that takes many items in one request. */
export interface BodyBound {
  maxBytes: number
  readBytes: ReturnType<typeof bodyParser>
}

export function bodyBound(maxBytes: number): BodyBound {
  return { maxBytes, readBytes: readerOf(maxBytes) }
}

const USUAL_BOUND: BodyBound = bodyBound(MAX_BYTES)

/**
 * Reads a body of at most 64 KiB, or of another bound, packed or not; empty if there is none.
 *
 * @throws UserError 413, 415, 400
 */
export async function readBodyBytes(
  ctx: KoaContext,
  refusals: BodyRefusals,
  bound = USUAL_BOUND,
): Promise<Buffer> {
  const encoding = encodingOf(ctx)
  const inflate = INFLATE.get(encoding)
  if (encoding !== '' && inflate === undefined) refuseEncoding(ctx, ENCODINGS)
  return bounded(refusals, async () => {
    const bytes = await readWhole(ctx, bound)
    return inflate === undefined || bytes.length === 0
      ? bytes
      : inflate(bytes, { maxOutputLength: bound.maxBytes })
  })
}

/**
 * Reads a form's body, which no browser packs.
 *
 * @throws UserError 413, 415, 400
 */
export async function readPlainBytes(ctx: KoaContext, refusals: BodyRefusals): Promise<Buffer> {
  requirePlain(ctx)
  return bounded(refusals, () => readWhole(ctx, USUAL_BOUND))
}

/** @throws UserError 415 if the body is packed */
export function requirePlain(ctx: KoaContext): void {
  if (encodingOf(ctx) !== '') refuseEncoding(ctx, 'identity')
}

function encodingOf(ctx: KoaContext): string {
  const encoding = ctx.get('Content-Encoding').trim().toLowerCase()
  return encoding === 'identity' ? '' : encoding
}

/** By RFC 9110 §15.5.16 the header says which encodings are accepted. */
function refuseEncoding(ctx: KoaContext, accepted: string): never {
  ctx.set('Accept-Encoding', accepted)
  throw new UserError('Content-Encoding is not supported', 415)
}

/**
 * Reads the whole body before it is inflated. koa-bodyparser would inflate while it reads: past the limit its stream
 * has no listener left, so its next error ends the process; nor does it notice that the sender is gone.
 */
async function readWhole(ctx: KoaContext, bound: BodyBound): Promise<Buffer> {
  delete ctx.req.headers['content-encoding']
  ctx.req.headers['content-type'] = 'text/plain'
  await bound.readBytes(ctx, () => Promise.resolve())
  const { body } = ctx.request
  // The package does not even look at a request without a body.
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0)
}

async function bounded({ tooLarge, unreadable }: BodyRefusals, read: () => Promise<Buffer>): Promise<Buffer> {
  try {
    return await read()
  } catch (error) {
    const { status, code } = error as { status?: number; code?: string }
    // The rest of the body is read and thrown away, because senders that are cut off may never see the response.
    if (status === 413 || code === 'ERR_BUFFER_TOO_LARGE') throw new UserError(tooLarge, 413)
    // Errors of raw-body, zlib and sockets have a status or a code. An error with neither is a bug of ours.
    if (status === undefined && code === undefined) throw error
    throw new UserError(unreadable)
  }
}
