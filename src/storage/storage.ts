import type { Readable } from 'node:stream'

/** The first and the last byte, both included. */
export interface ByteRange {
  first: number
  last: number
}

/**
 * Where copies of media are: a folder, or a bucket. Keys are ours (`{month}/{id}-{attempt}`), never made of what
 * somebody gave us.
 */
export interface Storage {
  /**
   * Stores a file. Nobody can open it before all of it is there. The same key again replaces it.
   *
   * @param byteCount of the stream, exactly
   * @throws StorageFailed
   */
  put(key: string, bytes: Readable, byteCount: number): Promise<void>
  /** @param range within the file; left out: all of it @throws StoredFileMissing, StorageFailed */
  open(key: string, range?: ByteRange): Promise<Readable>
  /** A file that is not there is removed already. @throws StorageFailed */
  remove(key: string): Promise<void>
  close(): void
}

/** There is no such file. */
export class StoredFileMissing extends Error {
  override name = 'StoredFileMissing'

  constructor(key: string) {
    super(`There is no file ${key} in the storage`)
  }
}

/** The folder or the bucket does not work now: no space, no permission, no connection. Worth trying again. */
export class StorageFailed extends Error {
  override name = 'StorageFailed'

  constructor(what: string, cause: unknown) {
    super(`The storage could not ${what}`, { cause })
  }
}
