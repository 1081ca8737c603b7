import { GIF } from 'image-size/types/gif'
import { JPG } from 'image-size/types/jpg'
import { PNG } from 'image-size/types/png'
import type { MediaPurpose } from '../../database/media/reading.js'
import type { TemporaryFile } from '../../storage/temporary-file.js'
import { CopyFailed } from './failures.js'
import { contentTypeOf } from './types.js'

/** How many bytes are searched for a picture's size: a photograph may have a lot of other data before it. */
const HEAD_BYTES = 256 * 1024
/** A PNG ends with IEND. This much other data may follow it, because programs append some. */
const TAIL_BYTES = 64 * 1024

/** We choose the reader by type, because the package would also try formats that we do not take. */
const READERS = new Map([
  ['image/png', PNG],
  ['image/jpeg', JPG],
  ['image/gif', GIF],
])

export interface Judgement {
  contentType: string
  /** The size of a picture, if its header contains it. */
  width: number | null
  height: number | null
}

/**
 * Finds out what the bytes are. A line may not send a picture that ends early. A received picture is stored as it came.
 *
 * @throws CopyFailed `media_type`, `media_truncated`
 */
export async function judge(file: TemporaryFile, purpose: MediaPurpose): Promise<Judgement> {
  const head = await file.head(HEAD_BYTES)
  const contentType = await contentTypeOf(head, purpose)
  if (contentType === undefined) throw new CopyFailed('media_type')
  const size = sizeOf(head, contentType)
  if (purpose === 'outbound' && (await endsEarly(file, contentType, size))) {
    throw new CopyFailed('media_truncated')
  }
  return { contentType, width: size?.width ?? null, height: size?.height ?? null }
}

/** Reads only the picture's header; undefined if there is none, or it cannot be read. */
function sizeOf(head: Buffer, contentType: string): { width: number; height: number } | undefined {
  try {
    const size = READERS.get(contentType)?.calculate(head)
    return size && size.width > 0 && size.height > 0 ? size : undefined
  } catch (error) {
    if (isOfThePicture(error)) return undefined
    throw error
  }
}

/**
 * True for what image-size 2 throws if the bytes are not a picture, or not a whole one (found with a million of
 * them).
 */
function isOfThePicture(error: unknown): boolean {
  return (
    error instanceof RangeError || (error instanceof TypeError && /^(Invalid|Corrupt) /.test(error.message))
  )
}

async function endsEarly(
  file: TemporaryFile,
  contentType: string,
  size: object | undefined,
): Promise<boolean> {
  const isPicture = READERS.has(contentType)
  if (isPicture && size === undefined && file.byteCount <= HEAD_BYTES) return true
  // Only PNG is checked: in the other formats programs add data after the end.
  return contentType === 'image/png' && !(await file.tail(TAIL_BYTES)).includes('IEND')
}
