import multer from '@koa/multer'
import type { Context as KoaContext, Middleware } from 'koa'
import { MulterError } from 'multer'
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
    ...(isWithoutFiles
      ? {
          fileFilter: (_request, _file, answer) => {
            answer(null, false)
          },
        }
      : {}),
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
  if (error instanceof MulterError && error.field !== undefined) {
    if (error.code === 'LIMIT_FILE_SIZE') return tooLarge(error.field)
    if (error.code === 'LIMIT_UNEXPECTED_FILE' && (files[error.field] ?? 0) > 1)
      return new UserError(`${error.field} takes at most ${files[error.field] ?? 0} files`)
    if (error.code === 'LIMIT_FIELD_VALUE') return new UserError(`${error.field} is too long`, 413)
  }
  throw new UserError('The form could not be read')
}
