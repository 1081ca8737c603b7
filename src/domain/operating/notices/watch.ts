import { transaction, type Database } from '../../../database/connection.js'
import {
  endCauses,
  listOpenCauses,
  lockNotices,
  openCauses,
  takeCauses,
  takeMoment,
  type OpenCause,
} from '../../../database/operating/notice-causes.js'
import type { NewDelivery } from '../../../database/endpoints/deliveries/creating.js'
import { asError, Unavailable } from '../../../errors.js'
import { newId } from '../../../ids.js'
import { noticesTold } from '../../../telemetry/metrics.js'
import type { Context } from '../../context.js'
import { watchCaps, watchMonthlyCaps } from './caps.js'
import { watchCountries } from './countries.js'
import { watchEndpoints } from './endpoints.js'
import { watchMessages } from './messages.js'
import { watchCarriers, watchPhones, watchQueues } from './parts.js'
import { insertWithDispatches, type KnownNotice } from './insert.js'
import type { Found, Trouble, Watched } from './troubles.js'

/** If a thousand endpoints fail together, the rest are reported in the next runs. */
const MAX_NOTICES_AT_ONCE = 200

const WATCHED = [
  watchEndpoints,
  watchMessages,
  watchCaps,
  watchMonthlyCaps,
  watchCountries,
  watchCarriers,
  watchPhones,
  watchQueues,
]

/**
 * Checks the rows, as the overview does, and notifies people of troubles, and of their end. Any number of processes may
 * do so: `notice_causes` has the time of each cause's last notification, and none is reported twice within an hour. The
 * notifications and their mails and events are committed together with that.
 *
 * If one part cannot be checked, the others still are.
 *
 * @returns the number of notifications made
 */
export async function notifyOfTroubles(context: Context): Promise<number> {
  let count = 0
  for (const watch of WATCHED) count += await runWatch(context, watch(context))
  return count
}

async function runWatch(context: Context, { kinds, findTroubles }: Watched): Promise<number> {
  const { db, log } = context
  try {
    const open = await listOpenCauses(db, kinds)
    const found = await findTroubles(open)
    if (found.troubles.length === 0 && open.length === 0) return 0
    const { told, deliveries } = await transaction(db, (trx) => insertNotices(context, trx, open, found))
    void context.queues.enqueueDeliveries(deliveries)
    for (const { id: noticeId, kind, subject, userId } of told) {
      noticesTold.inc({ kind })
      log.info({ noticeId, kind, subject, userId }, 'notice.told')
    }
    return told.length
  } catch (error) {
    const level = error instanceof Unavailable ? 'warn' : 'error'
    log[level]({ kinds, err: asError(error) }, 'notices.failed')
    return 0
  }
}

/** @param open the causes that were open when the look began: any others have just been seen by another process */
async function insertNotices(
  context: Context,
  trx: Database,
  open: readonly OpenCause[],
  { troubles, endOf }: Found,
): Promise<{ told: KnownNotice[]; deliveries: NewDelivery[] }> {
  if (!(await lockNotices(trx))) return { told: [], deliveries: [] }
  const told = [
    ...(await takeTroubles(trx, troubles)),
    ...(await takeRecoveries(trx, withoutTroubles(open, troubles), endOf)),
  ]
  const deliveries = told.length > 0 ? await insertWithDispatches(context, trx, told) : []
  return { told, deliveries }
}

async function takeTroubles(trx: Database, troubles: readonly Trouble[]): Promise<KnownNotice[]> {
  const byKey = new Map(troubles.map((trouble) => [keyOf(trouble), trouble]))
  await openCauses(trx, troubles)
  const taken = await takeCauses(trx, troubles, MAX_NOTICES_AT_ONCE)
  return taken.flatMap((cause) => byKey.get(keyOf(cause)) ?? []).map(noticeOf)
}

async function takeRecoveries(
  trx: Database,
  causes: readonly OpenCause[],
  endOf: Found['endOf'],
): Promise<KnownNotice[]> {
  const notices: KnownNotice[] = []
  const ended: OpenCause[] = []
  for (const cause of causes) {
    const end = cause.isTold ? endOf(cause) : ({ kind: 'over' } as const)
    if (end.kind === 'unclear') continue
    if (end.kind === 'recovered') {
      const { subject } = cause
      // If this was reported within the hour, it is reported again after the hour: until then the cause stays open.
      if (!(await takeMoment(trx, end.as, subject))) continue
      notices.push(noticeOf({ ...end, kind: end.as, subject }))
    }
    ended.push(cause)
  }
  if (ended.length > 0) await endCauses(trx, ended)
  return notices
}

function withoutTroubles(open: readonly OpenCause[], troubles: readonly Trouble[]): OpenCause[] {
  const wrong = new Set(troubles.map(keyOf))
  return open.filter((cause) => !wrong.has(keyOf(cause)))
}

function noticeOf({ kind, subject, userId, details }: Omit<KnownNotice, 'id'>): KnownNotice {
  return { id: newId(), kind, subject, userId, details }
}

function keyOf({ kind, subject }: { kind: string; subject: string }): string {
  return `${kind} ${subject}`
}
