import { setTimeout as sleep } from 'node:timers/promises'
import { findEndpointsOfLine } from '../../database/deliveries/creating.js'
import { findEndpoint } from '../../database/endpoints.js'
import {
  countDeliveriesBetween,
  countEventsBetween,
  listDeliveriesBetween,
  listEventsBetween,
  type ReplayFilter,
} from '../../database/replaying.js'
import type { Event } from '../../database/events.js'
import { UserError } from '../../errors.js'
import type { Context } from '../context.js'
import { postEvent } from './deliver.js'
import { sendDeliveryAgain } from './send-again.js'

export interface ReplayOptions {
  filter: ReplayFilter
  /** A URL that gets the events instead of the endpoints that got them. */
  to?: string
  perSecond: number
  signal: AbortSignal
  onProgress?: (progress: Replayed) => void
}

export interface Replayed {
  totalCount: number
  replayedCount: number
  /** By the name of the failure. */
  failures: Record<string, number>
  /** By what kept them from being replayed. */
  skipped: Record<string, number>
  /** undefined: it went through to the end. */
  stoppedBy?: 'signal' | 'failures'
  /** The last one that was tried: a replay that goes on begins with what came after it. */
  lastId?: string
}

type Outcome = { kind: 'replayed' } | { kind: 'failed' | 'skipped'; why: string }

interface Row {
  id: string
}

/** What to replay, and how one is. */
interface Source<Item extends Row> {
  count(): Promise<number>
  list(afterId: string, limit: number): Promise<Item[]>
  replay(item: Item): Promise<Outcome>
}

/** A URL where nothing gets through is given up, instead of being called for days. */
const MAX_FAILURES_IN_A_ROW = 10
const BATCH = 100
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/**
 * Replays the events of a span of time, the oldest first, at a pace and until the signal stops it. A replay keeps the
 * event's `webhook-id`. Without a URL, each delivery that is over gets a new round of attempts by the workers; with one,
 * each event is POSTed there once, from here, with the header `webhook-replay: true`.
 *
 * @throws UserError when the URL cannot be called
 */
export async function replayEvents(context: Context, options: ReplayOptions): Promise<Replayed> {
  const { filter, to } = options
  if (to === undefined) return replayAll(deliveriesOf(context, filter), options)
  const fault = await context.safeFetch.explainUrl(to)
  if (fault !== undefined) throw new UserError(`--to: ${fault}`)
  return replayAll(eventsFor(context, filter, to), options)
}

/** How many would be replayed. */
export async function countReplay(
  context: Context,
  { filter, to }: Pick<ReplayOptions, 'filter' | 'to'>,
): Promise<number> {
  return to === undefined
    ? countDeliveriesBetween(context.db, filter)
    : countEventsBetween(context.db, filter)
}

async function replayAll<Item extends Row>(
  source: Source<Item>,
  { perSecond, signal, onProgress }: ReplayOptions,
): Promise<Replayed> {
  const done: Replayed = { totalCount: await source.count(), replayedCount: 0, failures: {}, skipped: {} }
  let failuresInARow = 0
  let nextAt = performance.now()
  for (;;) {
    const items = await source.list(done.lastId ?? FIRST_ID, BATCH)
    for (const item of items) {
      await sleep(Math.max(0, nextAt - performance.now()), undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return { ...done, stoppedBy: 'signal' }
      nextAt = performance.now() + 1000 / perSecond
      const outcome = await source.replay(item)
      note(done, outcome)
      done.lastId = item.id
      onProgress?.(done)
      failuresInARow = outcome.kind === 'failed' ? failuresInARow + 1 : 0
      if (failuresInARow >= MAX_FAILURES_IN_A_ROW) return { ...done, stoppedBy: 'failures' }
    }
    if (items.length < BATCH) return done
  }
}

function note(done: Replayed, outcome: Outcome): void {
  if (outcome.kind === 'replayed') {
    done.replayedCount += 1
    return
  }
  const counts = outcome.kind === 'failed' ? done.failures : done.skipped
  counts[outcome.why] = (counts[outcome.why] ?? 0) + 1
}

function deliveriesOf(context: Context, filter: ReplayFilter): Source<{ id: string; userId: string }> {
  const { db } = context
  return {
    count: () => countDeliveriesBetween(db, filter),
    list: (afterId, limit) => listDeliveriesBetween(db, filter, afterId, limit),
    replay: async ({ id, userId }) => {
      try {
        await sendDeliveryAgain(context, userId, id)
        return { kind: 'replayed' }
      } catch (error) {
        // Under way since it was listed.
        if (error instanceof UserError && error.status === 409) return { kind: 'skipped', why: 'under way' }
        throw error
      }
    },
  }
}

function eventsFor(context: Context, filter: ReplayFilter, url: string): Source<Event> {
  const { db } = context
  const signers = new Map<string, Promise<Signer | undefined>>()
  const signerOf = (lineId: string) => {
    const known = signers.get(lineId) ?? findSigner(context, lineId)
    signers.set(lineId, known)
    return known
  }
  return {
    count: () => countEventsBetween(db, filter),
    list: (afterId, limit) => listEventsBetween(db, filter, afterId, limit),
    replay: async ({ id, ...event }) => {
      const signer = await signerOf(event.lineId)
      if (signer === undefined) return { kind: 'skipped', why: 'the line has no signing secret' }
      const { failure } = await postEvent(
        context,
        { ...event, ...signer, eventId: id, url, policy: {}, headersSealed: null },
        new Date(),
        {
          'webhook-replay': 'true',
        },
      )
      return failure === undefined ? { kind: 'replayed' } : { kind: 'failed', why: failure }
    },
  }
}

interface Signer {
  endpointId: string
  secretSealed: Buffer
  previousSecretSealed: Buffer | null
}

/** The line's own secret signs, which its developer knows. undefined: it has no outgoing webhook URL. */
async function findSigner({ db }: Context, lineId: string): Promise<Signer | undefined> {
  const own = (await findEndpointsOfLine(db, lineId)).find(({ applicationId }) => applicationId === null)
  const endpoint = own && (await findEndpoint(db, own.endpointId))
  if (own === undefined || endpoint === undefined) return undefined
  const { secretSealed, previousSecretSealed } = endpoint
  return { endpointId: own.endpointId, secretSealed, previousSecretSealed }
}
