import type { QueueAnswer, QueueRequest } from '../../../database/messages/queueing.js'

/**
 * The time for which a count of waiting messages is used. The more there are, the longer a count takes, so one a second
 * has to do; with a longer time, a limit could be exceeded by everything that was accepted in between.
 */
export const FRESH_MS = 1000
/** To bound the memory, the figures of more lines are not kept; their messages are counted each time. */
const MAX_LINES = 10_000

/** This process's estimate of how many messages wait on each line. */
export interface LineBacklogs {
  /**
   * True if less than half of the allowed messages wait, by a count of the last second and those accepted here since.
   */
  isRoomy(lineId: string): boolean
  note(requests: readonly QueueRequest[], answers: readonly (QueueAnswer | Error)[]): void
}

/**
 * The more messages wait on a line, the more it costs to count them. So they are counted only once a second, until half
 * of the limit is reached; from then on for every message, exactly, under the line's lock. Within that second, other
 * processes may exceed the limit by what they accept. That is good enough, because the limit guards against a flood.
 */
export function createLineBacklogs(
  maxQueuedPerLine: number,
  now: () => number = () => performance.now(),
): LineBacklogs {
  const lines = new Map<string, { countedAt: number; waiting: number }>()
  return {
    isRoomy: (lineId) => {
      const line = lines.get(lineId)
      return line !== undefined && now() - line.countedAt < FRESH_MS && line.waiting < maxQueuedPerLine / 2
    },
    note: (requests, answers) => {
      if (lines.size > MAX_LINES) lines.clear()
      for (const [n, answer] of answers.entries()) {
        const lineId = requests[n]?.lineId
        if (lineId === undefined || answer instanceof Error || answer.waitingOnLine === null) continue
        lines.set(lineId, { countedAt: now(), waiting: answer.waitingOnLine })
      }
      for (const [n, answer] of answers.entries()) {
        const line = lines.get(requests[n]?.lineId ?? '')
        if (line !== undefined && !(answer instanceof Error) && answer.outcome === 'accepted')
          line.waiting += 1
      }
    },
  }
}
