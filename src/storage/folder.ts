import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { StorageFailed, StoredFileMissing, type Storage } from './storage.js'

/** Files in a folder, which all processes share: one machine, or a volume that every machine has. */
export function createFolderStorage(folder: string): Storage {
  const root = resolve(folder)
  let loaded: ReturnType<typeof loadDriver> | undefined
  const driver = () => (loaded ??= loadDriver(root))

  return {
    put: async (key, bytes) => {
      // Renamed when it is whole. Flydrive's own move copies, and a reader could find the half of it.
      const unfinished = `${key}.${randomUUID()}.part`
      try {
        await (await driver()).putStream(unfinished, bytes)
        await rename(join(root, unfinished), join(root, key))
      } catch (error) {
        await rm(join(root, unfinished), { force: true }).catch(() => undefined)
        throw new StorageFailed('write a file', error)
      }
    },
    open: async (key, range) => {
      try {
        // Flydrive's streams know no range, and tell that a file is missing only when they are read.
        const file = await open(join(root, key))
        return file.createReadStream(range && { start: range.first, end: range.last })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new StoredFileMissing(key)
        throw new StorageFailed('open a file', error)
      }
    },
    remove: async (key) => {
      try {
        await (await driver()).delete(key)
      } catch (error) {
        throw new StorageFailed('remove a file', error)
      }
    },
    close: () => undefined,
  }
}

/** Flydrive is 2 MB in memory, and most processes never write a file. */
async function loadDriver(location: string) {
  const { FSDriver } = await import('flydrive/drivers/fs')
  return new FSDriver({ location, visibility: 'private' })
}
