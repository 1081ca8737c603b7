import { findConnection } from '../../database/lines/developer-connections.js'
import { findEndpointToCall, type EndpointToCall } from '../../database/endpoints/endpoints.js'
import { OVERLAP_MS, readNow } from '../../database/endpoints/tail.js'
import {
  listLateMediaEvents,
  listLineEvents,
  listLineEventsById,
  type LineEvent,
} from '../../database/endpoints/line-events.js'
import { lowestIdAt, timeOfId } from '../../ids.js'
import type { Context } from '../context.js'
import { userAgentOf } from '../user-agent.js'
import { secondsOf } from './deliveries/kept-headers.js'
import { signedRequest } from './deliveries/post-event.js'
import { eventBody } from './deliveries/shapes.js'
import { TemplateFailed } from './deliveries/template.js'

/** An event as an endpoint would get it now. */
export interface SignedEvent {
  id: string
  type: LineEvent['type']
  /** The other party's number, whatever the shape of the body. */
  fromNumber: string
  createdAt: Date
  /** The headers lack `webhook-signature` if the line has no outgoing webhook URL, and so no signing secret. */
  headers: Record<string, string>
  body: string
}

export interface LineEventFeed {
  /**
   * Returns the events since the last call, oldest first, at most a page.
   *
   * @returns hasMore: there is another page already. position: where a later feed can continue
   */
  next(): Promise<{ events: LineEvent[]; hasMore: boolean; position: string }>
}

/** The rows of one query. Each reader holds a page in memory. */
const PAGE = 100
/** Media that arrived this long before a feed began are reported if their copy comes while it continues. */
const LATE_MEDIA_MS = 900_000
/** The number of newest events with media that are waited for. */
const MAX_WAITING = 200

/**
 * Follows the events of one line in Postgres. It begins now, at a time, or after a position or an event: then events
 * from up to ten seconds before are repeated, because rows are not committed in the order of their ids. So no event is
 * missed, and a repeat has the same `webhook-id`.
 */
export function createLineEventFeed(
  { db }: Pick<Context, 'db'>,
  lineId: string,
  { after, from }: { after?: string | undefined; from?: Date | undefined } = {},
): LineEventFeed {
  /** The events that were reported already, among those that may be read once more. */
  const told = new Set<string>()
  const waiting = new Set<string>()
  let floor: string | undefined
  let key = ''
  let lookedAt = new Date(0)
  let isCaughtUp = true

  const startMs =
    after === undefined ? (from ?? new Date()).getTime() : timeOfId(after).getTime() - OVERLAP_MS

  const startKey = lowestIdAt(startMs)
  /** An id was made before the time that its row shows. */
  const isSinceStart = (key: string, { createdAt, isWaiting }: LineEvent) =>
    key >= startKey || isWaiting || createdAt.getTime() >= startMs

  const begin = async (): Promise<string> => {
    const late = await listLateMediaEvents(db, {
      lineId,
      fromKey: lowestIdAt(startMs - LATE_MEDIA_MS),
      untilKey: startKey,
      since: new Date(startMs),
      limit: MAX_WAITING,
    })
    for (const id of late) waiting.add(id)
    return lowestIdAt(startMs - OVERLAP_MS)
  }

  return {
    next: async () => {
      if (isCaughtUp) {
        const now = await readNow(db)
        floor ??= await begin()
        const overlap = lowestIdAt(lookedAt.getTime() - OVERLAP_MS)
        key = overlap > floor ? overlap : floor
        for (const id of told) if (id < lowestIdAt(timeOfId(key).getTime() - OVERLAP_MS)) told.delete(id)
        lookedAt = now
      }
      const copied = isCaughtUp && waiting.size > 0 ? await listLineEventsById(db, [...waiting]) : []
      const rows = await listLineEvents(db, { lineId, afterKey: key, limit: PAGE })
      // Nothing fails from here on, so everything that was read is reported.
      isCaughtUp = rows.length < PAGE
      key = rows.at(-1)?.key ?? key
      const found = rows.flatMap(({ key, event }) =>
        event !== undefined && isSinceStart(key, event) ? event : [],
      )
      const read = [...copied, ...found]
      for (const { id, isWaiting } of read) {
        if (isWaiting) waiting.add(id)
        else waiting.delete(id)
      }
      for (const id of [...waiting].sort().slice(0, -MAX_WAITING)) waiting.delete(id)
      // Events whose media were copied may be among the rows too.
      const unique = new Map(read.map((event) => [event.id, event]))
      const events = [...unique.values()].filter(({ id, isWaiting }) => !isWaiting && !told.has(id))
      for (const { id } of events) told.add(id)
      return { events, hasMore: !isCaughtUp, position: isCaughtUp ? positionAt(lookedAt) : key }
    },
  }
}

/** A position has the form of an event's id, so that a client need not tell them apart. */
function positionAt(moment: Date): string {
  return `${lowestIdAt(moment.getTime()).slice(0, 14)}7000-8000-000000000000`
}

/**
 * Makes events as a delivery would send them now: in the shape of the line's own outgoing webhook, if there is one,
 * and signed with its secrets. The timestamp is now, because receivers refuse old ones.
 */
export async function signLineEvents(
  context: Context,
  { userId, lineId }: { userId: string; lineId: string },
  events: readonly LineEvent[],
): Promise<SignedEvent[]> {
  if (events.length === 0) return []
  const endpointId = (await findConnection(context.db, userId, lineId))?.endpointId ?? null
  const endpoint = endpointId === null ? undefined : await findEndpointToCall(context.db, endpointId)
  const signing = endpoint === undefined || endpointId === null ? undefined : { ...endpoint, endpointId }
  const signed: SignedEvent[] = []
  for (const event of events) {
    const { id, type, fromNumber, createdAt } = event
    signed.push({ id, type, fromNumber, createdAt, ...(await requestFor(context, event, signing)) })
  }
  return signed
}

async function requestFor(
  context: Context,
  event: LineEvent,
  endpoint: (EndpointToCall & { endpointId: string }) | undefined,
): Promise<{ headers: Record<string, string>; body: string }> {
  const at = new Date()
  const content = { ...event, eventId: event.id }
  if (endpoint !== undefined) {
    try {
      return await signedRequest(context, { ...content, ...endpoint }, at)
    } catch (error) {
      if (!(error instanceof TemplateFailed)) throw error
      // The developer still sees the event even if the template is wrong.
      return signedRequest(
        context,
        { ...content, ...endpoint, policy: { ...endpoint.policy, shape: 'linehook' } },
        at,
      )
    }
  }
  return {
    headers: {
      'content-type': 'application/json',
      'user-agent': userAgentOf(context),
      'webhook-id': event.id,
      'webhook-timestamp': String(secondsOf(at)),
    },
    body: eventBody(content, context.vocabulary),
  }
}
