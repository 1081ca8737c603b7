import { TOO_MANY_BYTES } from '../../../../domain/media/types.js'
import { MAX_MEDIA } from '../../../../domain/messages/post/media.js'
import { tooLarge } from '../../../../domain/media/uploads.js'
import { multipartForm, orPlainForm } from '../../../middleware/multipart-form.js'

const WITH_PICTURES = { files: { picture: MAX_MEDIA }, maxFileBytes: TOO_MANY_BYTES - 1, tooLarge }

/**
 * Reads the form of an answer in a conversation, which has files only where the line's carrier sends media.
 *
 * @throws UserError 400
 */
export const readAnswerForm = orPlainForm(multipartForm(WITH_PICTURES))

/** Reads it without its pictures, for visitors who are not signed in. */
export const readAnswerFields = orPlainForm(multipartForm({ ...WITH_PICTURES, isWithoutFiles: true }))
