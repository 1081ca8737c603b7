import { createHash } from 'node:crypto'
import { findUpload, insertUpload, type Upload } from '../../database/media/uploads.js'
import { UserError } from '../../errors.js'
import { newToken } from '../../secrets.js'
import type { Context } from '../context.js'
import { extensionOf, PICTURES, SOUNDS, TOO_MANY_BYTES } from './types.js'
import { uploadUrl } from './upload-url.js'

/** The kinds of files that a form can have; its fields have the same names. */
export type UploadField = 'picture' | 'recording'

/**
 * The content types, by the extension that `file-type` gives the bytes. A recording in a video file is played as
 * sound.
 */
const TYPES: Record<UploadField, Map<string, string>> = {
  picture: new Map(PICTURES),
  recording: new Map([...SOUNDS, ['webm', 'audio/webm'], ['mp4', 'audio/mp4']]),
}

const REFUSALS: Record<UploadField, string> = {
  picture: 'picture must be a png, jpg or gif file',
  recording: 'recording must be a wav, mp3, ogg, webm, m4a or amr file',
}

/**
 * Stores a file that came in a form, for as long as other media are kept: a person may resend the message. A phone of
 * the simulator has its files here too, as a real carrier hosts inbound media.
 *
 * @returns its URL, which cannot be guessed and needs no password
 * @throws UserError 400 and 413 naming the field
 */
export async function keepUpload(
  context: Context,
  field: UploadField,
  bytes: Buffer,
  token = newToken(),
): Promise<string> {
  const contentType = await typeOf(field, bytes)
  await insertUpload(context.db, { token, contentType, bytes })
  return uploadUrl(context, token)
}

/**
 * Stores the pictures of one message: all of them, or none if one is refused.
 *
 * @param key that of a form, which nobody can guess: the same pictures of the same form have the same URLs, so that a
 *   second press of its button is the same message
 * @returns their URLs, in order
 * @throws UserError as `keepUpload` does
 */
export async function keepPictures(
  context: Context,
  pictures: readonly Buffer[],
  key?: string,
): Promise<string[]> {
  for (const bytes of pictures) await typeOf('picture', bytes)
  const urls: string[] = []
  for (const [n, bytes] of pictures.entries()) {
    const token = key === undefined ? newToken() : tokenOf(`${key}:${n}`, bytes)
    urls.push(await keepUpload(context, 'picture', bytes, token))
  }
  return urls
}

function tokenOf(key: string, bytes: Buffer): string {
  return createHash('sha256').update(key).update(bytes).digest('base64url')
}

/** @throws UserError 400 and 413 naming the field */
async function typeOf(field: UploadField, bytes: Buffer): Promise<string> {
  if (bytes.length >= TOO_MANY_BYTES) throw tooLarge(field)
  const contentType = TYPES[field].get((await extensionOf(bytes)) ?? '')
  if (contentType === undefined) throw new UserError(REFUSALS[field])
  return contentType
}

/** @throws UserError 404 */
export async function openUpload({ db }: Context, token: string): Promise<Upload> {
  const media = /^[\w-]{43}$/.test(token) ? await findUpload(db, token) : undefined
  if (media === undefined) throw new UserError('No such file, or it has been deleted', 404)
  return media
}

export function tooLarge(field: string): UserError {
  return new UserError(`${field} must be smaller than 5,000,000 bytes`, 413)
}
