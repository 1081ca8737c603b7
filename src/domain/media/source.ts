import type { Readable } from 'node:stream'
import type { ClaimedMedia } from '../../database/media/fetching.js'
import { findUpload } from '../../database/media/uploads.js'
import { UserError } from '../../errors.js'
import { FetchFailed, type BodySink, type StreamedResponse } from '../../safe-fetch.js'
import { StorageFailed } from '../../storage/storage.js'
import type { TemporaryFile } from '../../storage/temporary-file.js'
import { findCarrierClient } from '../carriers/carrier-clients.js'
import type { Context } from '../context.js'
import { userAgentOf } from '../user-agent.js'
import { CopyFailed } from './failures.js'
import { getHostedMedia, hostedTokenOf } from './hosting.js'
import { MAX_BYTES } from './types.js'
import { uploadTokenOf } from './upload-url.js'

/**
 * Carriers redirect to where they keep their files. More than a few redirects are a loop, and each costs a look-up
 * and a connection.
 */
const MAX_REDIRECTS = 5

/**
 * Writes the bytes of the source to the file.
 *
 * @throws CopyFailed, StorageFailed
 */
export async function readSource(context: Context, media: ClaimedMedia, file: TemporaryFile): Promise<void> {
  const take = limitedBy(MAX_BYTES[media.purpose], file)
  if (!(await readOwn(context, media.sourceUrl, take))) await download(context, media, take)
}

/** True if a URL names something that we host ourselves. Such a URL is not called. */
export function isHostedHere(context: Context, url: string): boolean {
  return (uploadTokenOf(context, url) ?? hostedTokenOf(context, url)) !== undefined
}

type Take = (piece: Buffer) => Promise<boolean>

function limitedBy(maxBytes: number, file: TemporaryFile): Take {
  return async (piece) => {
    if (file.byteCount + piece.length > maxBytes) return false
    await file.append(piece)
    return true
  }
}

/**
 * Reads our own files from the storage, not over HTTP: PUBLIC_URL may be an address that `safe-fetch` refuses, or that
 * this machine cannot reach. Media that came inside a carrier's request are in a `data:` URL (RFC 2397).
 *
 * @returns false if the URL is not ours
 */
async function readOwn(context: Context, url: string, take: Take): Promise<boolean> {
  if (/^data:/i.test(url)) {
    if (!(await take(Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'))))
      throw new CopyFailed('media_too_large')
    return true
  }
  const uploadToken = uploadTokenOf(context, url)
  const hostedToken = hostedTokenOf(context, url)
  if (uploadToken !== undefined) {
    const media = await findUpload(context.db, uploadToken)
    if (media === undefined) throw new CopyFailed('media_gone')
    if (!(await take(media.bytes))) throw new CopyFailed('media_too_large')
  } else if (hostedToken !== undefined) {
    const hosted = getHostedMedia(context, hostedToken).then(({ open }) => open())
    const bytes = await hosted.catch((error: unknown) => {
      throw error instanceof UserError ? new CopyFailed('media_gone') : error
    })
    for await (const piece of piecesOf(bytes)) {
      if (!(await take(piece))) throw new CopyFailed('media_too_large')
    }
  } else {
    return false
  }
  return true
}

/** Yields what the storage gives. It may break off after it has begun. */
async function* piecesOf(stored: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const piece of stored) yield piece as Buffer
  } catch (error) {
    throw new StorageFailed('read a file', error)
  }
}

/** Follows redirects one by one, so that each new URL is checked, and gets headers, like the first. */
async function download(context: Context, media: ClaimedMedia, take: Take): Promise<void> {
  const carrier = media.account === null ? undefined : await findCarrierClient(context, media.account)
  const endsAt = performance.now() + context.config.mediaTimeoutMs
  let url = media.sourceUrl
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const headers = (URL.canParse(url) && carrier?.mediaHeaders?.(new URL(url))) || {}
    const timeoutMs = Math.max(1, Math.ceil(endsAt - performance.now()))
    const next = await get(context, url, { headers, timeoutMs }, take)
    if (next === undefined) return
    url = next
  }
  throw new CopyFailed('media_redirect')
}

/** @returns the target of a redirect; undefined if the body is in the file */
async function get(
  context: Context,
  url: string,
  { headers, timeoutMs }: { headers: Record<string, string>; timeoutMs: number },
  take: Take,
): Promise<string | undefined> {
  const sink: BodySink = { begin: ({ status }) => status === 200, take }
  let answer: StreamedResponse
  try {
    answer = await context.safeFetch.stream(url, sink, {
      headers: { 'user-agent': userAgentOf(context), 'accept-encoding': 'identity', ...headers },
      timeoutMs,
    })
  } catch (error) {
    if (!(error instanceof FetchFailed)) throw error
    // This `too_large` is about headers, since our own sink bounds the body.
    const failure = error.failure === 'too_large' ? 'bad_response' : error.failure
    throw new CopyFailed(`media_${failure}`, { cause: error })
  }
  const { status, truncated } = answer
  if ([301, 302, 303, 307, 308].includes(status)) return redirectedTo(url, answer.headers.location)
  if (status !== 200) throw new CopyFailed(`media_http_${status}`)
  if (truncated) throw new CopyFailed('media_too_large')
  return undefined
}

function redirectedTo(url: string, location = ''): string {
  if (location === '' || !URL.canParse(location, url)) throw new CopyFailed('media_redirect')
  return new URL(location, url).href
}
