import { createHash } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import { Unavailable } from './errors.js'

/** The bytes that are read at a time; a line has about fifty. */
const BLOCK_BYTES = 4096
const HASH_LENGTH = 40

/**
 * True if one of the passwords is in a file of breached passwords. Each line of the file has a password's SHA-1 in
 * hex, which may be followed by `:` and how often it was seen; the lines are sorted by hash. The list of Have I Been
 * Pwned is such a file: it has 40 GB, of which this reads about twenty blocks.
 *
 * @throws Unavailable if the file cannot be read: an operator who asked for the check would not want it left out
 */
export async function isBreached(path: string, passwords: readonly string[]): Promise<boolean> {
  try {
    const file = await open(path)
    try {
      const { size } = await file.stat()
      for (const password of passwords) {
        const hash = createHash('sha1').update(password).digest('hex').toUpperCase()
        if (await isListed(file, size, hash)) return true
      }
      return false
    } finally {
      await file.close()
    }
  } catch (error) {
    throw new Unavailable(
      'Passwords cannot be set right now, because the list of breached passwords cannot be read. Try again later',
      60,
      {
        cause: error,
      },
    )
  }
}

/** Searches for the hash among the lines that begin in `[low, high)`; `low` is the beginning of a line. */
async function isListed(file: FileHandle, size: number, hash: string): Promise<boolean> {
  let low = 0
  let high = size
  while (high - low > BLOCK_BYTES) {
    const middle = low + Math.floor((high - low) / 2)
    const text = await readAt(file, middle)
    const begin = text.indexOf('\n') + 1
    const found = text.slice(begin, begin + HASH_LENGTH).toUpperCase()
    if (begin === 0 || found.length < HASH_LENGTH || found > hash) high = middle + 1
    else if (found === hash) return true
    else low = middle + begin
  }
  const rest = await readAt(file, low)
  return rest.split('\n').some((line) => line.slice(0, HASH_LENGTH).toUpperCase() === hash)
}

/** Reads a block, and the rest of the line in which it ends. */
async function readAt(file: FileHandle, position: number): Promise<string> {
  const buffer = Buffer.alloc(BLOCK_BYTES + HASH_LENGTH)
  const { bytesRead } = await file.read(buffer, 0, buffer.length, position)
  return buffer.toString('latin1', 0, bytesRead)
}
