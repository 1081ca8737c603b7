import type { MediaToSend } from './carrier.js'

/**
 * The limits of an MMS at a carrier. They come from its documentation, or are ours if it states none. The networks
 * behind it may accept less.
 */
export interface MediaLimits {
  count: number
  /** The limit of each file. Defaults to ours, which is just under 5 MB. */
  bytesEach?: number
  bytesInTotal?: number
  /** Content types. Defaults to all that lines may send. */
  types?: readonly string[]
}

/** @returns why a carrier of this kind cannot send a message with this many files, or undefined if it can */
export function faultOfCount(
  { title, media }: { title: string; media?: MediaLimits },
  count: number,
): string | undefined {
  if (count === 0) return undefined
  if (media === undefined) return `${title} cannot send media`
  if (count <= media.count) return undefined
  return media.count === 1
    ? `${title} sends one file per message`
    : `${title} sends at most ${media.count} files per message`
}

/** @returns the same for files that have been copied, so that their sizes and types are known */
export function faultOfMedia(
  kind: { title: string; media?: MediaLimits },
  list: readonly MediaToSend[],
): string | undefined {
  const { title, media = { count: 0 } } = kind
  const { bytesEach = Infinity, bytesInTotal = Infinity, types } = media
  const strange = list.find(({ contentType }) => types?.includes(contentType) === false)
  if (strange !== undefined)
    return `${title} cannot send ${strange.contentType}. Send ${types?.join(', ') ?? ''}`
  if (list.some(({ byteCount }) => byteCount > bytesEach))
    return `${title} accepts files of up to ${inMegabytes(bytesEach)}. Send smaller ones`
  const total = list.reduce((sum, { byteCount }) => sum + byteCount, 0)
  if (total > bytesInTotal)
    return `${title} accepts up to ${inMegabytes(bytesInTotal)} per message. Send fewer or smaller files`
  return faultOfCount(kind, list.length)
}

function inMegabytes(bytes: number): string {
  return `${bytes / 1_000_000} MB`
}
