import { createHash } from 'node:crypto'
import {
  deleteOldSimulatorMedia,
  findSimulatorMedia,
  insertSimulatorMedia,
  type SimulatorMedia,
} from '../../database/simulator/simulator-media.js'
import { UserError } from '../../errors.js'
import { newToken } from '../../secrets.js'
import type { Context } from '../context.js'
import { extensionOf, TOO_MANY_BYTES } from '../media/types.js'
import { simulatorMediaUrl } from './media-url.js'

/** The kinds of files that a phone can send; the form's fields have the same names. */
export type MediaField = 'picture' | 'recording'

/** The bytes are in the rows, so 100 rows may be 500 MB: more in one statement would hold up others for too long. */
const MEDIA_AT_ONCE = 100

/**
 * The content types, by the extension that `file-type` gives the bytes. A recording in a video file is played as
 * sound.
 */
const TYPES: Record<MediaField, Map<string, string>> = {
  picture: new Map([
    ['png', 'image/png'],
    ['jpg', 'image/jpeg'],
    ['gif', 'image/gif'],
  ]),
  recording: new Map([
    ['wav', 'audio/wav'],
    ['mp3', 'audio/mpeg'],
    ['ogg', 'audio/ogg'],
    ['oga', 'audio/ogg'],
    ['opus', 'audio/ogg'],
    ['webm', 'audio/webm'],
    ['m4a', 'audio/mp4'],
    ['mp4', 'audio/mp4'],
    ['amr', 'audio/amr'],
  ]),
}

const REFUSALS: Record<MediaField, string> = {
  picture: 'picture must be a png, jpg or gif file',
  recording: 'recording must be a wav, mp3, ogg, webm, m4a or amr file',
}

/**
 * Stores a file that a phone sends, as a real carrier hosts inbound media.
 *
 * @returns its URL, which cannot be guessed and needs no password
 * @throws UserError 400 and 413 naming the field
 */
export async function keepMedia(
  context: Context,
  field: MediaField,
  bytes: Buffer,
  token = newToken(),
): Promise<string> {
  const contentType = await typeOf(field, bytes)
  await insertSimulatorMedia(context.db, { token, contentType, bytes })
  return simulatorMediaUrl(context, token)
}

/**
 * Stores the pictures of one message: all of them, or none if one is refused.
 *
 * @param key that of a form, which nobody can guess: the same pictures of the same form have the same URLs, so that a
 *   second press of its button is the same message
 * @returns their URLs, in order
 * @throws UserError as `keepMedia` does
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
    urls.push(await keepMedia(context, 'picture', bytes, token))
  }
  return urls
}

function tokenOf(key: string, bytes: Buffer): string {
  return createHash('sha256').update(key).update(bytes).digest('base64url')
}

/** @throws UserError 400 and 413 naming the field */
async function typeOf(field: MediaField, bytes: Buffer): Promise<string> {
  if (bytes.length >= TOO_MANY_BYTES) throw tooLarge(field)
  const contentType = TYPES[field].get((await extensionOf(bytes)) ?? '')
  if (contentType === undefined) throw new UserError(REFUSALS[field])
  return contentType
}

/** @throws UserError 404 */
export async function openSimulatorMedia({ db }: Context, token: string): Promise<SimulatorMedia> {
  const media = /^[\w-]{43}$/.test(token) ? await findSimulatorMedia(db, token) : undefined
  if (media === undefined) throw new UserError('No such media, or it is older than 7 days', 404)
  return media
}

/**
 * Deletes media that are older than 7 days, as part of housekeeping.
 *
 * @returns their number
 */
export async function forgetOldSimulatorMedia({ db }: Pick<Context, 'db'>): Promise<number> {
  let count = 0
  for (let deleted = MEDIA_AT_ONCE; deleted === MEDIA_AT_ONCE; count += deleted) {
    deleted = await deleteOldSimulatorMedia(db, MEDIA_AT_ONCE)
  }
  return count
}

export function tooLarge(field: string): UserError {
  return new UserError(`${field} must be smaller than 5,000,000 bytes`, 413)
}
