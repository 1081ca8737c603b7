import { listOldMedia, markRemoved } from '../../database/media/removing.js'
import { deleteOldUploads } from '../../database/media/uploads.js'
import { StorageFailed } from '../../storage/storage.js'
import type { Context } from '../context.js'

/**
 * Files are deleted one by one. If the process ends in the middle, no more than these are deleted a second time. An
 * upload's bytes are in its row, so these may be 500 MB.
 */
const AT_ONCE = 100
/**
 * A few files that cannot be deleted do not hold up the rest; if there are more, something is wrong with the storage.
 */
const MOST_FAILURES = 10

/**
 * Deletes the files of media and the uploads that are too old, as part of housekeeping. The rows of media stay, and say
 * so. The file is deleted before the row changes: a row that says "gone" must be right, and deleting a file twice is
 * harmless.
 *
 * @returns their number
 * @throws StorageFailed after the rest is done, if a file could not be deleted
 */
export async function removeOldMedia({ db, storage, config }: Context): Promise<number> {
  const { mediaRetentionDays: days } = config
  const failures = new Map<string, StorageFailed>()
  let count = 0
  for (let listed = AT_ONCE; listed === AT_ONCE && failures.size < MOST_FAILURES;) {
    const old = await listOldMedia(db, days, AT_ONCE, [...failures.keys()])
    const removed: string[] = []
    for (const { id, storageKey } of old) {
      try {
        await storage.remove(storageKey)
        removed.push(id)
      } catch (error) {
        if (!(error instanceof StorageFailed)) throw error
        failures.set(id, error)
        if (failures.size === MOST_FAILURES) break
      }
    }
    await markRemoved(db, removed)
    listed = old.length
    count += removed.length
  }
  const removeUploads = () => deleteOldUploads(db, days, AT_ONCE)
  for (let removed = AT_ONCE; removed === AT_ONCE; count += removed) removed = await removeUploads()
  for (const failure of failures.values()) throw failure
  return count
}
