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
import { isStillAsker, userOf } from '../middleware/authenticate.js'
import { momentParameter, readQuery } from '../input/query.js'
import type { Operation } from './owner-operation.js'

/** As the console's live pages. Each listener costs its queries as often. */
const EVERY_MS = 1000
/** A reader that takes nothing for so long is cut off: it may come back to where it was. */
const SLOW_MS = 30_000

const LISTENERS: StreamKind = {
  max: 100,
  maxOfUser: 10,
  tooManyOfUser: 'you have too many listeners: end some',
  tooMany: 'there are too many listeners',
  gauge: listeningStreams,
  failed: 'listen.failed',
}

/**
 * The events of a line as server-sent events, each with the body and the headers that an endpoint would get now. It goes on
 * where `Last-Event-ID` says, so a reader that was cut off loses nothing.
 */
export const getEventStream = streamEvents(SLOW_MS)

export function streamEvents(slowMs: number): Operation {
  return (context) => operation(context, slowMs)
}

function operation(context: Context, slowMs: number): ReturnType<Operation> {
  const parameters = yup.object({ from: momentParameter() })
  return async (ctx) => {
    const lineId: unknown = ctx.params.lineId
    if (!isId(lineId)) throw new UserError('no such line', 404)
    const userId = userOf(ctx)
    const line = await getOwnLine(context, userId, lineId.toLowerCase())
    const { from } = await readQuery(ctx, parameters, context.vocabulary)
    const after = readLastEventId(ctx)
    openEventStream(context, ctx, userId, LISTENERS, (stream) =>
      run(context, ctx, stream, { userId, lineId: line.id, after, from, slowMs }),
    )
  }
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
      if (!(await isStillAsker(context, ctx))) return
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
      // What it had read may not be told yet, so it ends: its reader comes back to the last that was told.
      if (!(error instanceof Unavailable)) throw error
      return
    }
    await sleep(EVERY_MS)
  }
}

/** @returns false when the reader is gone, or takes nothing: then it is cut off */
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
  // The one that has not come would be waited for until the end of the stream.
  patience.abort()
  return stream.writable && !isSlow
}

function toMessage({ id, ...event }: SignedEvent): string {
  return `id: ${id}\ndata: ${JSON.stringify({ id, ...event })}\n\n`
}

function readLastEventId(ctx: KoaContext): string | undefined {
  const given = ctx.get('Last-Event-ID')
  if (given === '') return undefined
  if (!isId(given)) throw new UserError('Last-Event-ID must be the id of an event, as the stream has them')
  return given.toLowerCase()
}
