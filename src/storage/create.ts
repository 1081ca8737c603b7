import type { Config } from '../config.js'
import { createFolderStorage } from './folder.js'
import { createS3Storage } from './s3.js'
import type { Storage } from './storage.js'

/** Creates the storage that the configuration names: the bucket if there is one, otherwise the folder. */
export function createStorage({ mediaFolder, mediaS3 }: Pick<Config, 'mediaFolder' | 'mediaS3'>): Storage {
  return mediaS3 === undefined ? createFolderStorage(mediaFolder) : createS3Storage(mediaS3)
}
