import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A small disk, which can be filled. */
export interface Disk {
  /** Takes all of its space that is left. */
  fill(): void
  free(): void
  remove(): void
}

const SIZE_MB = 200
const FILLER = 'filler'
const PIECE_BYTES = 64 * 1024

/** Mounts a disk in memory at the folder. */
export function mountDisk(folder: string): Promise<Disk> {
  mkdirSync(folder, { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'chaos', folder])
  const filler = join(folder, FILLER)
  return Promise.resolve({
    fill: () => {
      const file = openSync(filler, 'w')
      const piece = Buffer.alloc(PIECE_BYTES)
      try {
        while (writeSync(file, piece) === piece.length);
      } catch (error) {
        if ((error as { code?: string }).code !== 'ENOSPC') throw error
      } finally {
        closeSync(file)
      }
    },
    free: () => {
      rmSync(filler, { force: true })
    },
    remove: () => {
      execFileSync('umount', [folder])
    },
  })
}

/** @returns why no disk can be mounted here; undefined: one can */
export function whyNoDisk(): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root, to mount a small disk'
  const folder = mkdtempSync(join(tmpdir(), 'chaos-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'chaos', folder], { stdio: 'pipe' })
    execFileSync('umount', [folder])
    return undefined
  } catch {
    return 'this machine lets nobody mount a small disk'
  } finally {
    rmSync(folder, { recursive: true })
  }
}
