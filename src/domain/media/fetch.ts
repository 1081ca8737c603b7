import {
  claimMedia,
  isMediaSuspect,
  isStoredAs,
  type ClaimedMedia,
  type StoredFile,
} from '../../database/media/fetching.js'
import { asError, Unavailable } from '../../errors.js'
import { timeOfId } from '../../ids.js'
import type { MediaReason } from '../../states.js'
import { StorageFailed } from '../../storage/storage.js'
import { createTemporaryFile } from '../../storage/temporary-file.js'
import { mediaDuration, mediaFetches } from '../../telemetry/metrics.js'
import type { Context } from '../context.js'
import { MAX_CRASHES } from '../crashes.js'
import { LEASE_MS } from '../leases.js'
import { retryWrite } from '../retry-write.js'
import { CopyFailed } from './failures.js'
import { judge } from './judge.js'
import { nextMediaRetryMs } from './retry-schedule.js'
import { putOff, settleFailed, settleStored } from './settle.js'
import { readSource } from './source.js'

export type FetchOutcome =
  | { kind: 'stored'; byteCount: number }
  | { kind: 'retry'; ms: number; failure: MediaReason }
  | { kind: 'failed'; failure: MediaReason }
  /** Its worker has died repeatedly: it has to be tried in a separate process. */
  | { kind: 'suspect' }
  /** Another worker has it, it is over, or it has a newer job. */
  | { kind: 'skipped' }

/**
 * The wait after a fault on our side (storage, Postgres, an account's settings), which costs no attempt. So there may
 * be any number of such waits, and each must not be so short that copies burden a storage that is down.
 */
const OUR_FAULT_WAIT_MS = 30_000

/**
 * Makes one attempt to copy media to our storage. When the copy is made or given up, whatever waited for it continues
 * (`settle.ts`).
 *
 * @param generation that of the job: one that the row has replaced does nothing, because two jobs would use up the attempts
 *   in half of their time. If left out, it is not compared
 */
export async function fetchMedia(context: Context, id: string, generation?: number): Promise<FetchOutcome> {
  const startedAt = performance.now()
  const { db, maxLost } = context
  const media = await claimMedia(db, id, { leaseMs: LEASE_MS.media, maxLost, generation })
  if (media === undefined) {
    return { kind: (await isMediaSuspect(db, id, { maxLost, generation })) ? 'suspect' : 'skipped' }
  }
  const outcome = await context.leases.media.during(media, () => attempt(context, media))
  const { kind, ...details } = outcome
  const durationMs = Math.round(performance.now() - startedAt)
  mediaFetches.inc({ outcome: kind, reason: reasonOf(outcome) })
  mediaDuration.observe(durationMs / 1000)
  context.log.info(
    {
      mediaId: id,
      messageId: media.messageId,
      attempt: media.attempt,
      outcome: kind,
      ...details,
      durationMs,
    },
    'media.fetched',
  )
  return outcome
}

/** Returns a reason such as `timeout` or `4xx`. */
function reasonOf(outcome: FetchOutcome): string {
  if (!('failure' in outcome)) return 'none'
  return outcome.failure.replace(/^media_/, '').replace(/^http_(\d)\d\d$/, '$1xx')
}

async function attempt(context: Context, media: ClaimedMedia): Promise<FetchOutcome> {
  // This removes what an attempt whose worker died may have left behind.
  if (media.crashCount + media.lostCount > 0)
    await context.storage.remove(keyOf(media, media.attempt - 1)).catch(() => undefined)
  if (media.crashCount >= MAX_CRASHES) return fail(context, media, 'media_internal_error')
  let file: StoredFile
  try {
    file = await copy(context, media)
  } catch (error) {
    if (error instanceof CopyFailed) return afterFailure(context, media, error.failure)
    if (!(error instanceof StorageFailed || error instanceof Unavailable)) throw error
    context.log.warn({ mediaId: media.id, err: asError(error.cause ?? error) }, 'media.copy_unavailable')
    return retry(context, media, 'media_unavailable', { ms: OUR_FAULT_WAIT_MS, isCounted: false })
  }
  await retryWrite(context, () => settleStored(context, media, file))
  // The row is asked because after a lost commit answer the statement runs again and finds its work done already.
  const isKept = await isStoredAs(context.db, media.id, file.storageKey)
  if (isKept) return { kind: 'stored', byteCount: file.byteCount }
  await context.storage.remove(file.storageKey).catch(() => undefined)
  return { kind: 'skipped' }
}

/**
 * Each attempt has its own key, so an attempt that ends late cannot change what another one has stored. A folder has
 * the media of a day, and stays when they are removed.
 */
function keyOf({ id }: ClaimedMedia, attemptNumber: number): string {
  return `${timeOfId(id).toISOString().slice(0, 10)}/${id}-${attemptNumber}`
}

/** Copies to disk first, so that only whole files of an allowed type get into the storage. */
async function copy(context: Context, media: ClaimedMedia): Promise<StoredFile> {
  const file = await createTemporaryFile()
  try {
    await readSource(context, media, file)
    const judgement = await judge(file, media.purpose)
    const storageKey = keyOf(media, media.attempt)
    await context.storage.put(storageKey, file.read(), file.byteCount)
    return { storageKey, byteCount: file.byteCount, ...judgement }
  } finally {
    await file.close()
  }
}

async function afterFailure(
  context: Context,
  media: ClaimedMedia,
  failure: MediaReason,
): Promise<FetchOutcome> {
  // This process stops before the copy was complete; another one makes it.
  if (failure === 'media_aborted') return retry(context, media, failure, { ms: 0, isCounted: false })
  const { purpose, roundAttempt } = media
  const { deliveryRetryBaseMs } = context.config
  const ms = nextMediaRetryMs(failure, purpose, roundAttempt, deliveryRetryBaseMs, Math.random())
  if (ms === undefined) return fail(context, media, failure)
  return retry(context, media, failure, { ms, isCounted: true })
}

async function retry(
  context: Context,
  media: ClaimedMedia,
  failure: MediaReason,
  wait: { ms: number; isCounted: boolean },
): Promise<FetchOutcome> {
  await retryWrite(context, () => putOff(context, media, failure, wait))
  return { kind: 'retry', ms: wait.ms, failure }
}

async function fail(context: Context, media: ClaimedMedia, failure: MediaReason): Promise<FetchOutcome> {
  await retryWrite(context, () => settleFailed(context, media, failure))
  return { kind: 'failed', failure }
}
