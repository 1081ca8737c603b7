import type { Config } from '../config.js'
import { createFolderStorage } from './folder.js'
import type { Storage } from './storage.js'

/** The storage that the configuration names: a bucket where there is one, else the folder. */
export function createStorage({ mediaFolder, mediaS3 }: Pick<Config, 'mediaFolder' | 'mediaS3'>): Storage {
  if (mediaS3 === undefined) return createFolderStorage(mediaFolder)
  // Loaded when it is first used: the AWS SDK takes a third of a second, and most processes never touch media.
  let made: Promise<Storage> | undefined
  const bucket = () => (made ??= import('./s3.js').then(({ createS3Storage }) => createS3Storage(mediaS3)))
  return {
    put: async (...file) => (await bucket()).put(...file),
    open: async (...file) => (await bucket()).open(...file),
    remove: async (key) => (await bucket()).remove(key),
    close: () => {
      void made?.then((storage) => {
        storage.close()
      })
    },
  }
}
