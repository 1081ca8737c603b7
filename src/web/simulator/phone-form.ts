import { MAX_MEDIA } from '../../domain/messages/post/media.js'
import { TOO_MANY_BYTES } from '../../domain/media/types.js'
import { tooLarge, type UploadField } from '../../domain/media/uploads.js'
import { multipartForm } from '../middleware/multipart-form.js'

/** A phone sends as many pictures in one message as a carrier of a line takes. */
const files: Record<UploadField, number> = { picture: MAX_MEDIA, recording: 1 }

const PHONE_FORM = { files, maxFileBytes: TOO_MANY_BYTES - 1, tooLarge }

/**
 * Reads a phone's form.
 *
 * @throws UserError 415, 400
 */
export const readPhoneForm = multipartForm(PHONE_FORM)

/** Reads a phone's form but keeps no file, for visitors who are not signed in. */
export const readPhoneFields = multipartForm({ ...PHONE_FORM, isWithoutFiles: true })
