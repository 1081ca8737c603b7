import { stat, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { hasCode } from '../../../errors.js'

/** A disk of this machine that stores data of ours. */
export interface Disk {
  /** The data on it, such as `media`. */
  of: string
  folder: string
  freeBytes: number
  totalBytes: number
  /** The free share of the bytes or of the files that it can hold, whichever is less. */
  freeShare: number
}

export interface Folder {
  of: string
  folder: string
  /** True if it is created when needed; until then, the next folder above counts. */
  isMadeLater?: boolean
}

/** Lists each disk once. A folder that this machine does not have, or that may not be seen, is left out. */
export async function readDisks(folders: readonly Folder[]): Promise<Disk[]> {
  const disks = new Map<number, Disk>()
  for (const { of, folder, isMadeLater = false } of folders) {
    const found = await find(resolve(folder), isMadeLater)
    if (found === undefined) continue
    const { path, device } = found
    const known = disks.get(device)
    const disk = known === undefined ? await measure(of, path) : { ...known, of: `${known.of} and ${of}` }
    disks.set(device, disk)
  }
  return [...disks.values()]
}

const SCARCE = { share: 0.1, bytes: 2e9 }
const FULL = { share: 0.02, bytes: 2e8 }

/** Judges a large disk by its share, a small one by its bytes; undefined if there is room. */
export function moodOfDisk({ freeBytes, freeShare }: Disk): 'waiting' | 'bad' | undefined {
  const isBelow = ({ share, bytes }: typeof FULL) => freeBytes < bytes || freeShare < share
  if (isBelow(FULL)) return 'bad'
  return isBelow(SCARCE) ? 'waiting' : undefined
}

async function measure(of: string, folder: string): Promise<Disk> {
  const { bavail, blocks, bsize, ffree, files } = await statfs(folder)
  // Some file systems have no fixed number of files.
  const freeFiles = files === 0 ? 1 : ffree / files
  const freeBlocks = blocks === 0 ? 1 : bavail / blocks
  const bytes = { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
  return { of, folder, ...bytes, freeShare: Math.min(freeBlocks, freeFiles) }
}

async function find(path: string, orAbove: boolean): Promise<{ path: string; device: number } | undefined> {
  try {
    return { path, device: (await stat(path)).dev }
  } catch (error) {
    // A folder above it may be closed to this process, or be a file.
    if (!hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES')) throw error
    return orAbove && dirname(path) !== path ? find(dirname(path), orAbove) : undefined
  }
}
