import { randomUUID } from 'node:crypto'
import { open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { StorageFailed } from './storage.js'

/**
 * Bytes on their way to the storage, on disk rather than in memory: many media may be under way at once. A disk that is
 * full is like a storage that is: each of these throws StorageFailed.
 */
export interface TemporaryFile {
  readonly byteCount: number
  append(bytes: Uint8Array): Promise<void>
  /** Reads this many bytes from the beginning, or fewer. */
  head(length: number): Promise<Buffer>
  /** Reads this many bytes from the end, or fewer. */
  tail(length: number): Promise<Buffer>
  /** Reads all of it, from the beginning. */
  read(): Readable
  close(): Promise<void>
}

/** The file is unlinked immediately and used without a name, so nothing is left of it if the process is killed. */
export async function createTemporaryFile(): Promise<TemporaryFile> {
  const file = await onDisk('make a temporary file', async () => {
    const path = join(tmpdir(), `linehook-${randomUUID()}`)
    const opened = await open(path, 'wx+', 0o600)
    await unlink(path)
    return opened
  })
  let byteCount = 0

  const slice = (from: number, length: number) =>
    onDisk('read a temporary file', async () => {
      const bytes = Buffer.alloc(Math.min(length, byteCount - from))
      const { bytesRead } = await file.read(bytes, 0, bytes.length, from)
      return bytes.subarray(0, bytesRead)
    })
  return {
    get byteCount() {
      return byteCount
    },
    append: (bytes) =>
      onDisk('write a temporary file', async () => {
        // `write` may write fewer bytes than it was given.
        for (let written = 0; written < bytes.length;) {
          const { bytesWritten } = await file.write(bytes, written, bytes.length - written, byteCount)
          written += bytesWritten
          byteCount += bytesWritten
        }
      }),
    head: (length) => slice(0, length),
    tail: (length) => slice(Math.max(0, byteCount - length), length),
    read: () => file.createReadStream({ start: 0, autoClose: false }),
    close: () => file.close(),
  }
}

async function onDisk<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new StorageFailed(what, error)
  }
}
