import {
  dropPartition,
  hasOldStrayRows,
  listOldMonths,
  TABLES_OF,
  type OldMonth,
  type RetainedKind,
} from '../../../database/operating/retention/months.js'
import {
  deleteCarrierIds,
  deleteMedia,
  deleteSilentPeers,
  deleteSimulatedMessages,
  deleteUploadsOfMonth,
  listCarriersWithIds,
  listMediaOfMonth,
  moveUnreadMarks,
  type PeerKey,
} from '../../../database/operating/retention/leftovers.js'
import { countUnderWay } from '../../../database/operating/retention/under-way.js'
import type { Context } from '../../context.js'
import { FIRST_ID } from '../../../ids.js'
import { StorageFailed } from '../../../storage/storage.js'

/** The result for a month, real or planned. */
export interface MonthOutcome {
  kind: RetainedKind
  /** A month such as `2026-01`; null for rows that are in no month's partition. */
  month: string | null
  outcome: 'dropped' | 'would_drop' | 'kept'
  /** The reasons why it is kept: the number of each, 1000 at most. */
  why: Partial<Record<WhyKept, number>>
  /** The bytes that are freed on the disk, and about how many rows. */
  byteCount: number
  rowCount: number
}

/**
 * `messages` … `media` are under way. `busy` counts tables that could not get a short lock. `storage` means that a file
 * could not be deleted. `stray` means that there are rows without a partition of their month.
 */
type WhyKept = 'messages' | 'deliveries' | 'heldDeliveries' | 'media' | 'busy' | 'storage' | 'stray'

/**
 * The files of media are deleted one by one. An upload's bytes are in its row, so 100 rows may be 500 MB: more in one
 * statement would hold up others for too long.
 */
const MEDIA_AT_ONCE = 100
const ROWS_AT_ONCE = 1000

/**
 * Drops the months of a kind that are older than this many days, the oldest first. A month in which something is
 * under way, or one of whose files cannot be deleted, stays, but other months do not. If the process ends in the middle
 * of a month, the next run finishes it.
 */
export async function dropOldMonths(
  context: Context,
  kind: RetainedKind,
  days: number,
  { isDryRun }: { isDryRun: boolean },
): Promise<MonthOutcome[]> {
  if (days === 0) return []
  const outcomes: MonthOutcome[] = []
  for (const month of await listOldMonths(context.db, kind, days)) {
    const why = kind === 'messages' ? await whatIsUnderWay(context, month) : {}
    const isKept = Object.keys(why).length > 0
    outcomes.push({
      kind,
      month: month.month,
      ...(isKept || isDryRun
        ? { outcome: isKept ? ('kept' as const) : ('would_drop' as const), why }
        : await dropMonth(context, kind, month)),
      byteCount: month.byteCount,
      rowCount: month.rowCount,
    })
  }
  if (await hasOldStrayRows(context.db, kind, days)) {
    outcomes.push({ kind, month: null, outcome: 'kept', why: { stray: 1 }, byteCount: 0, rowCount: 0 })
  }
  return outcomes
}

async function whatIsUnderWay({ db }: Context, month: OldMonth): Promise<MonthOutcome['why']> {
  const found = Object.entries(await countUnderWay(db, month))
  return Object.fromEntries(found.filter(([, count]) => count > 0))
}

async function dropMonth(
  context: Context,
  kind: RetainedKind,
  month: OldMonth,
): Promise<Pick<MonthOutcome, 'outcome' | 'why'>> {
  for (const table of TABLES_OF[kind]) {
    const partition = month.partitions.find((each) => each.table === table)
    if (partition === undefined) continue
    if (table === 'messages') {
      try {
        await forgetLeftovers(context, month, partition.name)
      } catch (error) {
        if (!(error instanceof StorageFailed)) throw error
        context.log.error({ kind, month: month.month, err: error }, 'retention.failed')
        return { outcome: 'kept', why: { storage: 1 } }
      }
    }
    const outcome = await dropPartition(context.db, partition)
    if (outcome === 'busy') return { outcome: 'kept', why: { busy: 1 } }
    // Since the previous check, a user has resent a delivery: one of this month, or a later one of an event of this
    // month.
    const why = kind === 'messages' && table !== 'messages' ? await whatIsUnderWay(context, month) : {}
    if (outcome === 'kept' || Object.keys(why).length > 0) return { outcome: 'kept', why }
  }
  return { outcome: 'dropped', why: {} }
}

/**
 * Deletes what belongs to the messages of a month and is in no partition. A file is deleted before its row, so that
 * none is left over.
 */
async function forgetLeftovers({ db, storage }: Context, month: OldMonth, partition: string): Promise<void> {
  for (;;) {
    const media = await listMediaOfMonth(db, month, MEDIA_AT_ONCE)
    for (const { storageKey } of media) if (storageKey !== null) await storage.remove(storageKey)
    await deleteMedia(
      db,
      media.map(({ id }) => id),
    )
    if (media.length < MEDIA_AT_ONCE) break
  }
  const carriers = await listCarriersWithIds(db)
  for (let last: string | undefined = FIRST_ID; last !== undefined;) {
    last = await deleteCarrierIds(db, partition, carriers, last, ROWS_AT_ONCE)
  }
  while ((await moveUnreadMarks(db, month, ROWS_AT_ONCE)) === ROWS_AT_ONCE);
  let peer: PeerKey | undefined
  do peer = await deleteSilentPeers(db, month, peer, ROWS_AT_ONCE)
  while (peer !== undefined)
  while ((await deleteSimulatedMessages(db, month, ROWS_AT_ONCE)) === ROWS_AT_ONCE);
  while ((await deleteUploadsOfMonth(db, month, MEDIA_AT_ONCE)) === MEDIA_AT_ONCE);
}
