import { faultOfCount } from '../../../carriers/media-limits.js'
import { listKindsOf } from '../../../database/carriers/carrier-accounts.js'
import type { OwnLine } from '../../../database/lines/lines.js'
import { UserError } from '../../../errors.js'
import { MAX_URL_LENGTH } from '../../../safe-fetch.js'
import type { Context } from '../../context.js'
import { isHostedHere } from '../../media/source.js'

/** The most files that any carrier accepts. */
export const MAX_MEDIA = 10

/** The URLs, and the field that they came in. */
export interface GivenMedia {
  field: 'mediaUrl' | 'mediaUrls'
  urls: readonly string[]
}

/**
 * Reads the URLs by their spelling only, which a repeat of the request has too.
 *
 * @throws UserError
 */
export function readMediaUrls({
  mediaUrl,
  mediaUrls,
}: {
  mediaUrl?: string | undefined
  mediaUrls?: readonly string[] | undefined
}): GivenMedia {
  if (mediaUrl === undefined) {
    const written = mediaUrls ?? []
    if (written.length > MAX_MEDIA) throw new UserError(`mediaUrls must have at most ${MAX_MEDIA} URLs`)
    return { field: 'mediaUrls', urls: written.map((each, n) => readMediaUrl(each, `mediaUrls[${n}]`)) }
  }
  if (mediaUrls !== undefined) throw new UserError('Give mediaUrl or mediaUrls, not both')
  return { field: 'mediaUrl', urls: [readMediaUrl(mediaUrl, 'mediaUrl')] }
}

function readMediaUrl(written: string, field: string): string {
  const url = URL.canParse(written) ? new URL(written) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || written.length > MAX_URL_LENGTH) {
    throw new UserError(`${field} must be an http:// or https:// URL of at most ${MAX_URL_LENGTH} characters`)
  }
  return url.href
}

/**
 * Checks where the URLs lead, and what the line's carriers accept. The files themselves are checked only when they are
 * copied.
 *
 * @returns undefined if there is no fault
 */
export async function refusalOfMedia(
  context: Context,
  line: OwnLine,
  media: GivenMedia,
): Promise<UserError | undefined> {
  if (media.urls.length === 0) return undefined
  const faults = await Promise.all(
    media.urls.map(async (url) =>
      isHostedHere(context, url) ? undefined : context.safeFetch.explainUrl(url),
    ),
  )
  const first = faults.findIndex((fault) => fault !== undefined)
  if (first === -1) return refusalOfCarriers(context, line, media)
  return new UserError(`${media.field}${media.field === 'mediaUrls' ? `[${first}]` : ''}: ${faults[first]}`)
}

/**
 * One of the accounts that the line sends by must take so many. Which of them a message goes by is known, and how large its
 * media are, only when it is handed over.
 */
async function refusalOfCarriers(context: Context, line: OwnLine, { field, urls }: GivenMedia) {
  const faults = (await findKinds(context, line)).map((kind) => faultOfCount(kind, urls.length))
  const [fault] = faults
  if (fault === undefined || faults.includes(undefined)) return undefined
  return new UserError(`${field}: ${fault}. Send fewer files, or a link in the text`)
}

async function findKinds(context: Context, { carrierAccount, routes }: OwnLine) {
  const accounts = [carrierAccount, ...routes.map(({ carrier }) => carrier)]
  const kinds = await listKindsOf(context.db, accounts)
  return kinds.flatMap((name) => context.carriers.kinds.get(name) ?? [])
}

/** Returns the most files that a message of the line can have; 0 if no carrier of it sends media. */
export async function findMediaLimit(context: Context, line: OwnLine): Promise<number> {
  return Math.max(0, ...(await findKinds(context, line)).map(({ media }) => media?.count ?? 0))
}
