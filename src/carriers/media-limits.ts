import type { MediaToSend } from './carrier.js'

/** What an MMS of a carrier may have: by its documentation, not by what networks behind it take. */
export interface MediaLimits {
  count: number
  /** Of each; left out: ours, which is under 5 MB. */
  bytesEach?: number
  bytesInTotal?: number
  /** Left out: all that lines may send. */
  types?: readonly string[]
}

/** Why a message with so many media cannot go by a carrier of this kind, in words; undefined: it can. */
export function faultOfCount(
  { title, media }: { title: string; media?: MediaLimits },
  count: number,
): string | undefined {
  if (count === 0) return undefined
  if (media === undefined) return `${title} cannot send media`
  if (count <= media.count) return undefined
  return media.count === 1
    ? `${title} sends one file in a message`
    : `${title} sends at most ${media.count} files in a message`
}

/** The same, by what is known of them once they are copied. */
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
