import { clearExcerpts, countExcerpts } from '../../../database/operating/retention/excerpts.js'
import { listOldMedia } from '../../../database/media/removing.js'
import { record } from '../audit.js'
import type { Context } from '../../context.js'
import { removeOldMedia } from '../../media/retention.js'
import { dropOldMonths, type MonthOutcome } from './months.js'

export type { MonthOutcome } from './months.js'

/** The deleted data, or in a dry run those that would be deleted. */
export interface Retained {
  isDryRun: boolean
  months: MonthOutcome[]
  /** The number of endpoints' answers. */
  excerptCount: number
  /** The number of copies of media older than MEDIA_RETENTION_DAYS. */
  mediaCount: number
  /**
   * True if there are more than a single run handles: more excerpts, and in a dry run more media, than were counted.
   */
  hasMore: boolean
}

const EXCERPTS_AT_ONCE = 1000
/** This takes a few minutes; a first run may find years of data. */
const EXCERPTS_PER_RUN = 500_000
/** A dry run stops counting here: it would have to read them all. */
const COUNTED_AT_MOST = 10_000

/** Deletes what has exceeded its retention. Running it twice, or twice concurrently, is harmless. */
export async function applyRetention(context: Context): Promise<Retained> {
  const { config } = context
  const months = await dropAllOldMonths(context, { isDryRun: false })
  const excerpts = await clearOldExcerpts(context)
  const dropped = months.filter(({ outcome }) => outcome === 'dropped')
  if (dropped.length > 0 || excerpts.excerptCount > 0) {
    await record(context, context.db, {
      action: 'retention.carried_out',
      after: {
        months: dropped.map(({ kind, month }) => `${kind} ${month ?? ''}`),
        excerptCount: excerpts.excerptCount,
        messageRetentionDays: config.messageRetentionDays,
        excerptRetentionDays: config.excerptRetentionDays,
        auditRetentionDays: config.auditRetentionDays,
      },
    })
  }
  // This comes last, because it fails if a file could not be deleted.
  return { isDryRun: false, months, ...excerpts, mediaCount: await removeOldMedia(context) }
}

/** Returns what `applyRetention` would delete now. Changes nothing. */
export async function tryRetention(context: Context): Promise<Retained> {
  const { db, config } = context
  const { excerptRetentionDays: days } = config
  const excerptCount = days === 0 ? 0 : await countExcerpts(db, days, COUNTED_AT_MOST)
  const { length: mediaCount } = await listOldMedia(db, config.mediaRetentionDays, COUNTED_AT_MOST)
  return {
    isDryRun: true,
    months: await dropAllOldMonths(context, { isDryRun: true }),
    excerptCount,
    mediaCount,
    hasMore: excerptCount >= COUNTED_AT_MOST || mediaCount >= COUNTED_AT_MOST,
  }
}

async function dropAllOldMonths(context: Context, options: { isDryRun: boolean }): Promise<MonthOutcome[]> {
  const { messageRetentionDays, auditRetentionDays } = context.config
  return [
    ...(await dropOldMonths(context, 'messages', messageRetentionDays, options)),
    ...(await dropOldMonths(context, 'audit', auditRetentionDays, options)),
  ]
}

async function clearOldExcerpts({
  db,
  config,
}: Context): Promise<Pick<Retained, 'excerptCount' | 'hasMore'>> {
  const { excerptRetentionDays: days } = config
  if (days === 0) return { excerptCount: 0, hasMore: false }
  let excerptCount = 0
  for (let looked = 0; looked < EXCERPTS_PER_RUN; looked += EXCERPTS_AT_ONCE) {
    const { lookedCount, clearedCount } = await clearExcerpts(db, days, EXCERPTS_AT_ONCE)
    excerptCount += clearedCount
    if (lookedCount < EXCERPTS_AT_ONCE) return { excerptCount, hasMore: false }
  }
  return { excerptCount, hasMore: true }
}
