import type { MediaPurpose } from '../../database/media/reading.js'

/** This is enough to tell every type. A larger piece could be made so that reading it blocks the event loop. */
const BEGINNING_BYTES = 64 * 1024

export const PICTURES: [string, string][] = [
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['gif', 'image/gif'],
]

export const SOUNDS: [string, string][] = [
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
  ['amr', 'audio/amr'],
  ['m4a', 'audio/mp4'],
  ['ogg', 'audio/ogg'],
  ['oga', 'audio/ogg'],
  ['opus', 'audio/ogg'],
]

/** Phones also send these: contacts, documents, and pictures of their own formats. */
const SENT_BY_PHONES: [string, string][] = [
  ['webp', 'image/webp'],
  ['heic', 'image/heic'],
  ['pdf', 'application/pdf'],
  ['vcf', 'text/vcard'],
]

const RECEIVED: [string, string][] = [
  ...PICTURES,
  ...SENT_BY_PHONES,
  ...SOUNDS,
  ['mp4', 'video/mp4'],
  ['3gp', 'video/3gpp'],
  ['mpg', 'video/mpeg'],
  ['webm', 'video/webm'],
]

/** A recording in a video container is played as sound. */
const RECORDED: [string, string][] = [
  ['mp4', 'audio/mp4'],
  ['3gp', 'audio/3gpp'],
  ['webm', 'audio/webm'],
]

/**
 * The types that are accepted, by the extension that `file-type` gives the bytes. Lines receive more types than they
 * send.
 */
const TYPES: Record<MediaPurpose, ReadonlyMap<string, string>> = {
  outbound: new Map([...PICTURES, ['mpg', 'video/mpeg']]),
  inbound: new Map(RECEIVED),
  voicemail: new Map([...RECEIVED, ...RECORDED]),
}

/**
 * Files that a line, or a phone of the simulator, sends must be smaller than this. The interface promises "under 5
 * MB".
 */
export const TOO_MANY_BYTES = 5_000_000
/** This is five times the picture that carriers allow, or an hour and a half of a recording at 32 kbit/s. */
const MAX_RECEIVED_BYTES = 25_000_000

export const MAX_BYTES: Record<MediaPurpose, number> = {
  outbound: TOO_MANY_BYTES - 1,
  inbound: MAX_RECEIVED_BYTES,
  voicemail: MAX_RECEIVED_BYTES,
}

/** Returns the content type of bytes that are accepted for this purpose; undefined if they are not. */
export async function contentTypeOf(head: Buffer, purpose: MediaPurpose): Promise<string | undefined> {
  return TYPES[purpose].get((await extensionOf(head)) ?? '')
}

/**
 * The type is detected from the bytes, never from a name. Some bytes make the package throw; they count as no known
 * type. The package is loaded for the first file, because it takes 40 ms of the processor and 5 MB (measured).
 */
export async function extensionOf(bytes: Buffer): Promise<string | undefined> {
  const { fileTypeFromBuffer } = await import('file-type')
  try {
    return (await fileTypeFromBuffer(bytes.subarray(0, BEGINNING_BYTES)))?.ext
  } catch {
    return undefined
  }
}

/** Returns the file extension for this content type. */
export function endingOf(contentType: string): string {
  return [...RECEIVED, ...RECORDED].find(([, type]) => type === contentType)?.[0] ?? 'bin'
}
