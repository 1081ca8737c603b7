import type { EventType } from '../../../event-types.js'
import { countReplayable, type ReplayOutcome } from '../../../database/endpoints/replaying.js'
import { UserError } from '../../../errors.js'
import { FIRST_ID } from '../../../ids.js'
import { maskUrl } from '../../operating/audit.js'
import type { Context } from '../../context.js'
import { addTask, type Task } from '../../operating/tasks.js'
import { getEndpoint } from '../get-endpoint.js'
import {
  findSource,
  MAX_COUNTED,
  type AskedReplay,
  type ReplayOf,
  type ReplaySource,
} from './replay-source.js'

export { REPLAY_OUTCOMES } from '../../../database/endpoints/replaying.js'
export { MAX_COUNTED, type ReplayOf } from './replay-source.js'

export interface ReplayRequest {
  from: Date
  /** The default is now. */
  until?: Date | undefined
  /** The default is every type. */
  types?: readonly EventType[] | undefined
  /** The default is `any`. */
  outcome?: ReplayOutcome | undefined
  /** The default is DEFAULT_RATE. */
  perSecond?: number | undefined
  /** A URL that gets the events instead of the endpoints. */
  url?: string | undefined
}

export const DEFAULT_RATE = 10
export const MAX_RATE = 100

/**
 * Starts a replay: the events of a time range go out again, oldest first and at a limited rate, with the `webhook-id`
 * that they had and the header `webhook-replay: true`. Without a URL each delivery that is over, or that waits after a
 * failure, gets a new round of attempts. With one each event is POSTed there, signed with the endpoint's secret, and
 * nothing else changes.
 *
 * @param id the id of the task, which the form made: if it is sent twice, the second finds the task of the first
 * @throws UserError 400, 404, 409 if it could not go out now, or too many tasks are under way
 */
export async function startReplay(
  context: Context,
  whose: ReplayOf,
  request: ReplayRequest,
  id?: string,
): Promise<Task> {
  const asked = await readReplay(context, request)
  const { count, isMore } = await countSource(context, await findSource(context, whose, asked))
  const { endpointId, ...owners } = await ownersOf(context, whose)
  const { url, types } = asked
  return addTask(
    context,
    {
      ...(id === undefined ? {} : { id }),
      kind: 'replay',
      ...owners,
      asked: {
        ...asked,
        of: whose.of,
        ...(endpointId === undefined ? {} : { endpointId }),
        ...(whose.of === 'endpoint' && 'applicationId' in whose.caller ? { isByApplication: true } : {}),
      },
      totalCount: isMore ? null : count,
    },
    {
      action: 'events.replayed',
      subjectId: owners.lineId ?? owners.applicationId,
      userId: owners.userId,
      ...(endpointId === undefined ? {} : { about: { endpointId } }),
      after: {
        from: asked.from,
        until: asked.until,
        outcome: asked.outcome,
        perSecond: asked.perSecond,
        ...(types === undefined ? {} : { types }),
        ...(url === undefined ? {} : { url: maskUrl(url) }),
      },
    },
  )
}

/**
 * Returns the users who see the task: the line's owner and the application, or the user who registered the
 * application.
 */
async function ownersOf(context: Context, whose: ReplayOf) {
  const nobodys = { userId: null, lineId: null, applicationId: null, endpointId: undefined }
  if (whose.of === 'all') return nobodys
  if (whose.of === 'line') return { ...nobodys, userId: whose.userId, lineId: whose.lineId }
  const { id: endpointId, lineId, applicationId } = await getEndpoint(context, whose.caller, whose.endpointId)
  return { userId: whose.userId, lineId: lineId ?? whose.lineId ?? null, applicationId, endpointId }
}

/** The number of events that a replay would send: exact up to MAX_COUNTED. */
export interface ReplayCount {
  count: number
  isMore: boolean
}

/** @throws UserError in the cases of `startReplay` */
export async function countReplay(
  context: Context,
  whose: ReplayOf,
  request: ReplayRequest,
): Promise<ReplayCount> {
  const { count, isMore } = await countSource(
    context,
    await findSource(context, whose, await readReplay(context, request)),
  )
  return { count, isMore }
}

/** A page shows the number, and older events are rarely of interest. */
const MISSED_DAYS = 30

/** The events that an endpoint did not get. */
export interface Missed extends ReplayCount {
  /** The time of the oldest of them. */
  since: Date
}

/**
 * Finds the events of the last 30 days that they did not get, so that they can be sent again.
 *
 * @returns undefined if there are none
 * @throws UserError in the cases of `startReplay`
 */
export async function findMissed(context: Context, whose: ReplayOf): Promise<Missed | undefined> {
  const from = new Date(Date.now() - MISSED_DAYS * 86_400_000)
  const asked = await readReplay(context, { from, outcome: 'undelivered' })
  const { since, ...counted } = await countSource(context, await findSource(context, whose, asked))
  return since === null ? undefined : { ...counted, since }
}

async function countSource({ db }: Context, { filter, to }: ReplaySource) {
  const { count, since } = await countReplayable(db, filter, to, {
    afterId: FIRST_ID,
    limit: MAX_COUNTED + 1,
  })
  return { count: Math.min(count, MAX_COUNTED), isMore: count > MAX_COUNTED, since }
}

async function readReplay(context: Context, request: ReplayRequest): Promise<Omit<AskedReplay, 'of'>> {
  const { from, until = new Date(), types = [], outcome = 'any', perSecond = DEFAULT_RATE, url } = request
  if (from >= until) throw new UserError('from must be before until, and before now')
  if (!Number.isInteger(perSecond) || perSecond < 1 || perSecond > MAX_RATE) {
    throw new UserError(`perSecond must be a whole number from 1 to ${MAX_RATE}`)
  }
  const fault = url === undefined ? undefined : await context.safeFetch.explainUrl(url)
  if (fault !== undefined) throw new UserError(`url: ${fault}`)
  return {
    from: from.toISOString(),
    until: until.toISOString(),
    outcome,
    perSecond,
    ...(types.length === 0 ? {} : { types: [...types] }),
    ...(url === undefined ? {} : { url }),
  }
}
