import { listOldMedia, markRemoved } from '../../database/media/removing.js'
import { deleteOldUploads } from '../../database/media/uploads.js'
import type { Context } from '../context.js'

/**
 * The files go one by one. If the process ends in the middle, no more than these are deleted a second time. An upload's
 * bytes are in its row, so these may be 500 MB.
 */
const AT_ONCE = 100

/**
 * Deletes the files of media and the uploads that are too old, as part of housekeeping. The rows of media stay, and
 * say so. The file is deleted before the row is changed: a row that says "gone" must be right, and deleting a file
 * twice is harmless.
 *
 * @returns their number
 */
export async function removeOldMedia({ db, storage, config }: Context): Promise<number> {
  let count = 0
  for (let removed = AT_ONCE; removed === AT_ONCE; count += removed) {
    const old = await listOldMedia(db, config.mediaRetentionDays, AT_ONCE)
    for (const { storageKey } of old) await storage.remove(storageKey)
    const ids = old.map(({ id }) => id)
    await markRemoved(db, ids)
    removed = old.length
  }
  const removeUploads = () => deleteOldUploads(db, config.mediaRetentionDays, AT_ONCE)
  for (let removed = AT_ONCE; removed === AT_ONCE; count += removed) removed = await removeUploads()
  return count
}
