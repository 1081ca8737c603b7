import { MAX_WAITING, type QueueRows } from '../../../database/operating/overview/queues.js'
import type { QueueJobs } from '../../../queues/queue-jobs.js'
import { countOf, describeCount, describeMs } from './figures.js'

type QueueState = 'normal' | 'behind' | 'stuck'

export interface QueueFacts extends QueueRows {
  /** The process type that works on it. */
  process: string
  /** The noun for its rows, one and several. */
  nouns: readonly [one: string, many: string]
  /** The number that left it in the last 60 s; null if unknown. */
  perMinute: number | null
  /** undefined if Redis cannot be asked. */
  jobs: QueueJobs | undefined
}

export interface Judgement {
  state: QueueState
  /** The reason in a sentence or two. */
  why: string
}

/**
 * A running worker takes a job immediately, so a wait this long is a sign of trouble; it is also longer than a brief
 * outage of Redis.
 */
const BEHIND_MS = 10_000
const STUCK_MS = 60_000

/**
 * Judges whether a queue moves as it should, by the oldest row that any worker might take, and by the workers that
 * there are.
 */
export function judgeQueue(facts: QueueFacts): Judgement {
  const { process, nouns, jobs, oldestMs } = facts
  if (jobs === undefined) {
    return facts.waitingCount > facts.laterCount
      ? { state: 'stuck', why: `Redis is unreachable, so no jobs reach the workers. ${whatWaits(facts)}` }
      : { state: 'behind', why: 'Redis is unreachable, so no new jobs reach the workers.' }
  }
  if (jobs.workers === 0) {
    return { state: 'stuck', why: `No \`${process}\` process is running. Start one. ${whatWaits(facts)}` }
  }
  if (oldestMs === null || oldestMs < BEHIND_MS) return { state: 'normal', why: whatWaits(facts) }
  const waits = `The oldest due ${nouns[0]} has been waiting for ${describeMs(oldestMs)}`
  if (oldestMs >= STUCK_MS && !isMoving(facts)) {
    return {
      state: 'stuck',
      why: `${waits}, and none left the queue in the last minute, although ${presence(jobs)}. Check the log of \`${process}\`.`,
    }
  }
  return { state: 'behind', why: `${waits}. ${outlook(facts)}` }
}

function isMoving({ underWayCount, perMinute }: QueueFacts): boolean {
  return underWayCount > 0 || (perMinute ?? 0) > 0
}

function whatWaits({ waitingCount, laterCount, nouns }: QueueFacts): string {
  if (waitingCount === 0) return 'The queue is empty.'
  const [wait, its] = waitingCount === 1 ? ['is waiting', 'its'] : ['are waiting', 'their']
  const waits = `${waitingOf(waitingCount, nouns)} ${wait}`
  if (laterCount === waitingCount) return `${waits} for a rate limit or ${its} next retry.`
  return laterCount === 0
    ? `${waits}.`
    : `${waits}, ${describeCount(laterCount)} of them for a rate limit or a retry.`
}

function waitingOf(count: number, [one, many]: QueueFacts['nouns']): string {
  return count > MAX_WAITING ? `More than ${countOf(MAX_WAITING, one, many)}` : countOf(count, one, many)
}

function presence({ workers }: QueueJobs): string {
  if (workers === null) return 'Redis responds'
  return workers === 1 ? 'a worker is connected' : `${workers} workers are connected`
}

function outlook({ process, perMinute, waitingCount, laterCount, nouns }: QueueFacts): string {
  if (perMinute === null) return 'The rate is unknown because no `maintenance` process is running.'
  if (perMinute === 0) return 'None left the queue in the last minute.'
  const ready = waitingCount - laterCount
  const rest = describeMs((ready / perMinute) * 60_000)
  return (
    `${describeCount(perMinute)} leave per minute, so ${countOf(ready, ...nouns)} will take ${rest}. ` +
    `More \`${process}\` processes may help.`
  )
}
