import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { hasCode } from '../errors.js'
import { StorageFailed, StoredFileMissing, type Storage } from './storage.js'

/** The pictures are private: other users of the machine may not list them. */
const OURS = 0o750

/** Files in a folder, which all processes share: one machine, or a volume that every machine has. */
export function createFolderStorage(folder: string): Storage {
  const root = resolve(folder)
  // The name contains the key, so that whatever a killed process leaves behind is removed with it.
  const unfinishedOf = (key: string) => `${join(root, key)}.part`

  return {
    put: async (key, bytes) => {
      const path = join(root, key)
      // The file is renamed when it is complete, so that no process reads half a file.
      const unfinished = unfinishedOf(key)
      // The stream may fail before it is read: without a listener that would end the process.
      bytes.on('error', () => undefined)
      let isOurs = false
      let isRenamed = false
      try {
        const isNewFolder = (await mkdir(dirname(path), { recursive: true, mode: OURS })) !== undefined
        // The file is opened before anything is read: one that is still being opened could not be removed, and would
        // be left behind. If there is one already, another process is writing it: two would mix their bytes.
        const file = await open(unfinished, 'wx')
        isOurs = true
        await pipeline(bytes, file.createWriteStream({ flush: true }))
        await rename(unfinished, path)
        isRenamed = true
        // Postgres keeps the row that says so through a power failure, so the file and its name have to outlive it too.
        await syncFolder(dirname(path))
        if (isNewFolder) await syncFolder(root)
      } catch (error) {
        // The next attempt writes a file of its own, and after the last one nothing would ever remove this one.
        if (isOurs) await rm(isRenamed ? path : unfinished, { force: true }).catch(() => undefined)
        throw new StorageFailed('write a file', error)
      }
    },
    open: async (key, range) => {
      try {
        // With a path, the stream would fail for a missing file only when it is read.
        const file = await open(join(root, key))
        return file.createReadStream(range && { start: range.first, end: range.last })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new StoredFileMissing(key)
        throw new StorageFailed('open a file', error)
      }
    },
    remove: async (key) => {
      try {
        for (const path of [unfinishedOf(key), join(root, key)]) await rm(path, { force: true })
      } catch (error) {
        throw new StorageFailed('remove a file', error)
      }
    },
    close: () => undefined,
  }
}

/** Some file systems of a network cannot sync a folder, and keep its names by themselves. Some systems cannot open one. */
async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path)
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  } catch (error) {
    if (!hasCode(error, 'EINVAL', 'ENOTSUP', 'EBADF', 'EPERM', 'EISDIR', 'EACCES')) throw error
  }
}
