import type { Readable } from 'node:stream'
import { asError } from '../errors.js'

/** The first and the last byte, both included. */
export interface ByteRange {
  first: number
  last: number
}

/**
 * Stores copies of media in a folder or a bucket. Keys are ours (`{day}/{id}-{attempt}`), never made from anything that
 * others gave us.
 */
export interface Storage {
  /**
   * Stores a file. It cannot be opened before it is complete. The same key again replaces it, but not while it is being
   * written.
   *
   * @param byteCount the exact length of the stream
   * @throws StorageFailed
   */
  put(key: string, bytes: Readable, byteCount: number): Promise<void>
  /**
   * @param range a range within the file; the default is all of it
   * @throws StoredFileMissing, StorageFailed
   */
  open(key: string, range?: ByteRange): Promise<Readable>
  /**
   * Removes a file, and what a process that was killed has written of it. It is not an error if there is none.
   *
   * @throws StorageFailed
   */
  remove(key: string): Promise<void>
  close(): void
}

export class StoredFileMissing extends Error {
  override name = 'StoredFileMissing'

  constructor(key: string) {
    super(`There is no file ${key} in storage`)
  }
}

/** The folder or the bucket does not work now: no space, no permission, no connection. It is worth trying again. */
export class StorageFailed extends Error {
  override name = 'StorageFailed'

  constructor(what: string, cause: unknown) {
    super(`Storage could not ${what}`, { cause })
  }

  /** The error's code or name, such as ENOSPC or NoSuchBucket. A DOMException has a number as its code. */
  get reason(): string {
    const { code, name } = asError(this.cause) as Error & { code?: unknown }
    return typeof code === 'string' ? code : name
  }
}
