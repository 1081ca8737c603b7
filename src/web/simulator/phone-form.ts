import { TOO_MANY_BYTES } from '../../domain/media/types.js'
import { tooLarge, type MediaField } from '../../domain/simulator/media.js'
import { multipartForm } from '../middleware/multipart-form.js'

const files: MediaField[] = ['picture', 'recording']

const PHONE_FORM = { files, maxFileBytes: TOO_MANY_BYTES - 1, tooLarge }

/**
 * Reads a phone's form.
 *
 * @throws UserError 415, 400
 */
export const readPhoneForm = multipartForm(PHONE_FORM)

/** Reads a phone's form but keeps no file, for visitors who are not signed in. */
export const readPhoneFields = multipartForm({ ...PHONE_FORM, isWithoutFiles: true })
