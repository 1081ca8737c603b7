import multer from '@koa/multer'
import type { Context as KoaContext, Middleware } from 'koa'
import { MulterError, type StorageEngine } from 'multer'
import { UserError } from '../../errors.js'
import { readBodyText } from '../input/utf8.js'
import { requirePlain } from './body-bytes.js'
import { readFormBody } from './form-body.js'

/**
 * A form with files. All of it is kept in memory, so that a stranger's file is never on our disk: bounds are small.
 */
interface FormWithFiles {
  /** The fields with files, and the most that each takes. */
  files: Readonly<Record<string, number>>
  maxFileBytes: number
  /** The error for a larger file. */
  tooLarge: (field: string) => UserError
  /** The bound on a field without a file. */
  maxFieldBytes?: number
  /** True to discard files, for visitors who are not signed in. */
  isWithoutFiles?: boolean
}

/** The largest form of ours has half as many; the rest is room for what browsers add. */
const MAX_FIELDS = 10

/** The files of one form together: room for two of the largest, and for many that are as large as carriers take. */
const MAX_TOGETHER_BYTES = 10_000_000

class TooLargeTogether extends Error {}

/** The package would put U+FFFD into a field that is not UTF-8. */
const defCharset = 'latin1'

interface FormState {
  refusal?: UserError
}

/**
 * Reads such a form: its fields into `ctx.request.body`, its files into memory. A part over a limit is read to its
 * end and discarded; `requireReadableForm` shows the error at the form, with the typed fields still there.
 *
 * @throws UserError 415, 400
 */
export function multipartForm(form: FormWithFiles): Middleware {
  const { files, maxFileBytes, maxFieldBytes = 16 * 1024, isWithoutFiles = false } = form
  const fileCount = Object.values(files).reduce((one, other) => one + other, 0)
  const read = multer({
    storage: inMemory(MAX_TOGETHER_BYTES),
    limits: {
      fileSize: maxFileBytes,
      files: fileCount,
      fields: MAX_FIELDS,
      parts: MAX_FIELDS + fileCount,
      fieldSize: maxFieldBytes,
      fieldNameSize: 100,
      headerPairs: 20,
      fieldNestingDepth: 0,
    },
    defCharset,
    fileFilter: (_request, _file, answer) => {
      answer(null, !isWithoutFiles)
    },
  }).fields(Object.entries(files).map(([name, maxCount]) => ({ name, maxCount })))

  return async (ctx, next) => {
    if (!ctx.is('multipart/form-data')) throw new UserError('Send the form as multipart/form-data', 415)
    requirePlain(ctx)
    try {
      await read(ctx, () => Promise.resolve())
    } catch (error) {
      ;(ctx.state as FormState).refusal = refusalOf(error, form)
      // These are the fields before the one that was too large, including the form's token, which comes first.
      ctx.request.body = (ctx.req as { body?: unknown }).body
    }
    ctx.request.body = decodeFields(ctx.request.body)
    await next()
  }
}

/** Keeps the files of a form in memory until they are too large together. The rest is read and discarded. */
function inMemory(maxBytes: number): StorageEngine {
  const byteCounts = new WeakMap<object, number>()
  return {
    _handleFile: (request, { stream }, done) => {
      const chunks: Buffer[] = []
      const isTooLarge = () => (byteCounts.get(request) ?? 0) > maxBytes
      stream.on('data', (chunk: Buffer) => {
        byteCounts.set(request, (byteCounts.get(request) ?? 0) + chunk.length)
        if (!isTooLarge()) chunks.push(chunk)
      })
      stream.on('end', () => {
        if (isTooLarge()) done(new TooLargeTogether())
        else done(null, { buffer: Buffer.concat(chunks) })
      })
    },
    _removeFile: (_request, _file, done) => {
      done(null)
    },
  }
}

/** A form without a file may also have the encoding of other forms. */
export function orPlainForm(multipart: Middleware): Middleware {
  return async (ctx, next) => {
    await (ctx.is('multipart/form-data') ? multipart : readFormBody)(ctx, next)
  }
}

/** Fields come with one character for each byte, and are text only if that is UTF-8. */
function decodeFields(fields: unknown): unknown {
  if (typeof fields === 'string') return readBodyText(Buffer.from(fields, 'latin1'))
  if (Array.isArray(fields)) return fields.map(decodeFields)
  if (typeof fields !== 'object' || fields === null) return fields
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, decodeFields(value)]))
}

/** @throws UserError 413 naming the field */
export function requireReadableForm(ctx: KoaContext): void {
  const { refusal } = ctx.state as FormState
  if (refusal !== undefined) throw refusal
}

/** Returns the file of a field; undefined if none was chosen. */
export function fileOf(ctx: KoaContext, field: string): Buffer | undefined {
  return filesOf(ctx, field)[0]
}

/** Returns the files of a field that takes several, in their order. */
export function filesOf(ctx: KoaContext, field: string): Buffer[] {
  const { files } = ctx.request as { files?: Partial<Record<string, Express.Multer.File[]>> }
  return (files?.[field] ?? []).map(({ buffer }) => buffer)
}

/** @throws UserError 400 for a form whose beginning or end is missing */
function refusalOf(error: unknown, { files, tooLarge }: FormWithFiles): UserError {
  if (error instanceof TooLargeTogether)
    return new UserError(
      `The files must be smaller than ${(MAX_TOGETHER_BYTES / 1e6).toFixed(0)} MB together`,
      413,
    )
  if (error instanceof MulterError && error.field !== undefined) {
    if (error.code === 'LIMIT_FILE_SIZE') return tooLarge(error.field)
    if (error.code === 'LIMIT_UNEXPECTED_FILE' && (files[error.field] ?? 0) > 1)
      return new UserError(`${error.field} accepts at most ${files[error.field] ?? 0} files`)
    if (error.code === 'LIMIT_FIELD_VALUE') return new UserError(`${error.field} is too long`, 413)
  }
  throw new UserError('The form could not be read')
}
