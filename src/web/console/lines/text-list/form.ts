import type { Context as KoaContext, Middleware } from 'koa'
import { MAX_FILE_BYTES, readListFile } from '../../../../domain/messages/text-list/read-file.js'
import type { AskedList } from '../../../../domain/messages/text-list/plan.js'
import { UserError } from '../../../../errors.js'
import { utf8Of } from '../../../input/utf8.js'
import {
  fileOf,
  multipartForm,
  orPlainForm,
  requireReadableForm,
} from '../../../middleware/multipart-form.js'
import { fieldOf } from '../../form-values.js'

const FORM = {
  files: { file: 1 },
  maxFileBytes: MAX_FILE_BYTES,
  tooLarge: () => new UserError('The file is larger than 1 MiB', 413),
}

/** The second form has the file in a field, where each line break became CRLF. */
const withList = multipartForm({ ...FORM, maxFieldBytes: 2 * MAX_FILE_BYTES })
const withoutList = multipartForm({ ...FORM, isWithoutFiles: true })

/**
 * Reads the form of a list.
 *
 * @throws UserError 413, 400
 */
export const readListForm: Middleware = orPlainForm(withList)

/** Reads it without its file, for visitors who are not signed in. */
export const readListFields: Middleware = orPlainForm(withoutList)

const fileText = utf8Of('The file', 'Save it as “CSV UTF-8”, and choose it again')

/**
 * Reads the user's request, and the file's text, which the next form contains again.
 *
 * @throws UserError
 */
export function readAskedList(ctx: KoaContext): { asked: AskedList; csv: string } {
  requireReadableForm(ctx)
  const file = fileOf(ctx, 'file')
  // An empty file was chosen too: the recipients of the one before must not get the text instead.
  const csv = file === undefined ? fieldOf(ctx, 'csv') : fileText(file)
  if (file === undefined && csv === '') throw new UserError('Choose a file')
  const asked = { file: readListFile(csv), text: fieldOf(ctx, 'text'), column: fieldOf(ctx, 'column') }
  return { asked, csv }
}
