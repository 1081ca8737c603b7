import type { IncomingMessage, ServerResponse } from 'node:http'

/** The slowest that a body may come. */
export interface BodyPace {
  /** The time that every body has. A body of 64 KiB needs 15 s at 35 kbit/s. */
  graceMs: number
  /** A larger body has more time, as long as this much of it comes in each second. */
  bytesPerSecond: number
}

/** A picture of 5 MB takes 40 s over a line of 1 Mbit/s, and a phone with a poor connection has a quarter of that. */
export const BODY_PACE: BodyPace = { graceMs: 15_000, bytesPerSecond: 32 * 1024 }

/** The shortest time between two looks at a body. */
const EVERY_MS = 1000

/**
 * Cuts off bodies that come too slowly. One time for all bodies would either cut off large ones that come as fast as
 * their line allows, or let clients that send nothing pile up connections.
 */
export function limitSlowBodies(
  { graceMs, bytesPerSecond }: BodyPace,
  cutOff: (response: ServerResponse) => void,
): (request: IncomingMessage, response: ServerResponse) => void {
  function watch(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    const startedAt = performance.now()
    const bytesBefore = socket.bytesRead
    const check = () => {
      if (request.complete) return
      const allowedMs = graceMs + ((socket.bytesRead - bytesBefore) / bytesPerSecond) * 1000
      const leftMs = allowedMs - (performance.now() - startedAt)
      if (leftMs > 0) timer = setTimeout(check, Math.max(leftMs, Math.min(EVERY_MS, graceMs))).unref()
      else cutOff(response)
    }
    let timer = setTimeout(check, graceMs).unref()
    request.once('close', () => {
      clearTimeout(timer)
    })
  }

  return (request, response) => {
    // Most requests come in one piece, which has been read by then.
    process.nextTick(() => {
      if (!request.complete) watch(request, response)
    })
  }
}
