import { stat, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** A disk of this machine that something of ours is on. */
export interface Disk {
  /** What is on it, such as `Media`. */
  of: string
  freeBytes: number
  totalBytes: number
}

interface Folder {
  of: string
  folder: string
  /** It is made when it is needed: until then it is the next folder above that counts. */
  isMadeLater?: boolean
}

/** Each disk once. A folder that this machine does not have is left out. */
export async function lookAtDisks(folders: readonly Folder[]): Promise<Disk[]> {
  const disks = new Map<number, Disk>()
  for (const { of, folder, isMadeLater = false } of folders) {
    const found = await find(resolve(folder), isMadeLater)
    if (found === undefined) continue
    const known = disks.get(found.device)
    const { bavail, blocks, bsize } = await statfs(found.path)
    disks.set(
      found.device,
      known === undefined
        ? { of, freeBytes: bavail * bsize, totalBytes: blocks * bsize }
        : { ...known, of: `${known.of} and ${of}` },
    )
  }
  return [...disks.values()]
}

async function find(path: string, orAbove: boolean): Promise<{ path: string; device: number } | undefined> {
  try {
    return { path, device: (await stat(path)).dev }
  } catch {
    return orAbove && dirname(path) !== path ? find(dirname(path), orAbove) : undefined
  }
}
