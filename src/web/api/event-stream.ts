import { once } from 'node:events'
import type { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context as KoaContext } from 'koa'
import * as yup from 'yup'
import type { Context } from '../../domain/context.js'
import { createLineEventFeed, signLineEvents, type SignedEvent } from '../../domain/endpoints/line-events.js'
import { getOwnLine } from '../../domain/lines/lines.js'
import { Unavailable, UserError } from '../../errors.js'
import { isId } from '../../ids.js'
import { listeningStreams } from '../../telemetry/metrics.js'
import { HEARTBEAT_MS, LIFE_MS, openEventStream, type StreamKind } from '../event-streams.js'
import { isStillCaller } from '../middleware/authenticate.js'
import { momentParameter } from '../input/query.js'
import { describe, id, inHeader } from '../openapi/parts.js'
import { operationsOf, type Operation } from './operation.js'

/** The console's live pages check as often. Each listener costs its queries each time. */
const EVERY_MS = 1000
/** A reader that reads nothing for this long is cut off: it may return to its last position. */
const SLOW_MS = 30_000

const LISTENERS: StreamKind = {
  max: 100,
  maxOfUser: 10,
  tooManyOfUser: 'You have too many listeners. Stop some of them',
  tooMany: 'There are too many listeners',
  gauge: listeningStreams,
  failed: 'listen.failed',
}

/** @param slowMs how long a reader may read nothing */
export function streamEvents(slowMs = SLOW_MS): Operation {
  return operationsOf('Outgoing webhook')({
    operationId: 'streamEvents',
    at: 'get /v1/lines/{lineId}/events/stream',
    may: 'reads lines',
    summary: 'Stream the events of a {line}',
    description:
      'Server-sent events, as used by `linehook listen`. `data` is JSON with `id`, `type`, `fromNumber`, `createdAt`, and the `headers` ' +
      'and `body` (a string) that are posted to the outgoing webhook URL, without your custom headers. There is no `webhook-signature` if the {line} has no outgoing webhook URL, and so no secret. An event named `position` is sent every 15 s and contains no ' +
      'event of the {line}. The stream ends after five minutes, or when the token is revoked. A client that reads nothing for ' +
      '30 s is disconnected. Reconnect with `Last-Event-ID` so that you miss nothing. Events from the ten seconds ' +
      'before it are sent again with the same `webhook-id`. A user can have ten streams.',
    headers: [inHeader('Last-Event-ID', id, 'Continue after this event.')],
    query: yup.object({
      from: momentParameter().meta({ about: 'Start at this time instead of now.' }),
    }),
    answer: {
      description: 'A stream of events.',
      content: { 'text/event-stream': { schema: describe({}, 'Server-sent events.') } },
    },
    refusals: [429],
    act: async ({ context, ctx, userId, id: lineId, query }) => {
      const line = await getOwnLine(context, userId, lineId)
      const { from } = await query()
      const after = readLastEventId(ctx)
      openEventStream(context, ctx, userId, LISTENERS, (stream) =>
        run(context, ctx, stream, { userId, lineId: line.id, after, from, slowMs }),
      )
    },
  })
}

async function run(
  context: Context,
  ctx: KoaContext,
  stream: PassThrough,
  asked: {
    userId: string
    lineId: string
    after: string | undefined
    from: Date | undefined
    slowMs: number
  },
): Promise<void> {
  const { userId, lineId, slowMs } = asked
  const feed = createLineEventFeed(context, lineId, asked)
  const startedAt = performance.now()
  let saidAt = -HEARTBEAT_MS
  while (!stream.destroyed && performance.now() - startedAt < LIFE_MS) {
    try {
      if (!(await isStillCaller(context, ctx))) return
      // The line may have been given to another user.
      await getOwnLine(context, userId, lineId)
      const { events, hasMore, position } = await feed.next()
      for (const event of await signLineEvents(context, { userId, lineId }, events)) {
        if (!(await write(ctx, stream, toMessage(event), slowMs))) return
      }
      if (performance.now() - saidAt >= HEARTBEAT_MS) {
        if (!(await write(ctx, stream, `event: position\nid: ${position}\ndata: {}\n\n`, slowMs))) return
        saidAt = performance.now()
      }
      if (hasMore) continue
    } catch (error) {
      // Events that were read may not have been sent yet, so the stream ends: its reader returns to the last one
      // sent.
      if (!(error instanceof Unavailable)) throw error
      return
    }
    await sleep(EVERY_MS)
  }
}

/** @returns false if the reader is gone, or reads nothing: in that case, it is cut off */
async function write(
  ctx: KoaContext,
  stream: PassThrough,
  message: string,
  slowMs: number,
): Promise<boolean> {
  if (stream.destroyed) return false
  if (stream.write(message)) return true
  const patience = new AbortController()
  const { signal } = patience
  let isSlow = false
  const timer = setTimeout(() => {
    isSlow = true
    patience.abort()
  }, slowMs)
  await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]).catch(() =>
    ctx.res.destroy(),
  )
  clearTimeout(timer)
  // Otherwise the event that did not come would be waited for until the end of the stream.
  patience.abort()
  return stream.writable && !isSlow
}

function toMessage(event: SignedEvent): string {
  return `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`
}

function readLastEventId(ctx: KoaContext): string | undefined {
  const given = ctx.get('Last-Event-ID')
  if (given === '') return undefined
  if (!isId(given)) throw new UserError('Last-Event-ID must be the ID of an event in this stream')
  return given.toLowerCase()
}
