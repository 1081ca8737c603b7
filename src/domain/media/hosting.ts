import type { Readable } from 'node:stream'
import { findHostedMedia } from '../../database/media/reading.js'
import { Unavailable, UserError } from '../../errors.js'
import { newId } from '../../ids.js'
import { newToken } from '../../secrets.js'
import { StorageFailed, StoredFileMissing, type ByteRange } from '../../storage/storage.js'
import type { Context } from '../context.js'

export interface MediaFile {
  contentType: string
  byteCount: number
  /**
   * @param range a range within the file; the default is all of it
   * @throws UserError 404 if the storage has lost the file; Unavailable
   */
  open: (range?: ByteRange) => Promise<Readable>
}

const PATH = '/media/'
const TOKEN = /^[\w-]{43}$/

/** Returns the URL of our copy once it exists. Anyone who has the URL can read it. */
export function hostedUrl({ config }: Pick<Context, 'config'>, token: string): string {
  return config.publicUrl + hostedPath(token)
}

export function hostedPath(token: string): string {
  return PATH + token
}

/** @returns undefined if the URL is not one of ours */
export function hostedTokenOf(context: Pick<Context, 'config'>, url: string): string | undefined {
  const prefix = hostedUrl(context, '')
  return url.startsWith(prefix) ? url.slice(prefix.length) : undefined
}

/** @throws UserError 404, also while it is not copied yet; 410 if it was deleted */
export async function getHostedMedia(context: Context, token: string): Promise<MediaFile> {
  const { db } = context
  const media = TOKEN.test(token) ? await findHostedMedia(db, token) : undefined
  if (media === undefined) throw new UserError('No such media', 404)
  const { contentType, byteCount, storageKey, isRemoved } = media
  if (isRemoved) throw new UserError('These media were deleted. Copies are kept for a limited time only', 410)
  return { contentType, byteCount, open: (range) => openStored(context, storageKey, range) }
}

async function openStored({ storage, log }: Context, key: string, range?: ByteRange): Promise<Readable> {
  try {
    return await storage.open(key, range)
  } catch (error) {
    if (error instanceof StorageFailed)
      throw new Unavailable(error.message, undefined, { cause: error.cause })
    if (!(error instanceof StoredFileMissing)) throw error
    log.warn({ storageKey: key }, 'media.file_missing')
    throw new UserError('The file of these media is missing', 404)
  }
}

/** Makes the copy that a message waits for. `url` is the sender's, and `token` is part of the copy's own URL. */
export function outboundMedia(url: string): { id: string; url: string; token: string } {
  return { id: newId(), url, token: newToken() }
}
