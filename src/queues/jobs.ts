import { isId } from '../ids.js'

/**
 * Processes send each other only ids, never content. A job of a version that a worker does not know is postponed, not
 * failed: the release that knows it is being rolled out.
 */
export const JOB_VERSION = 1

/**
 * Checks a payload and returns it if a worker can use it.
 *
 * @throws UnreadableJob with the fault
 */
export type ReadJob<Data> = (data: unknown) => Data

export class UnreadableJob extends Error {
  override name = 'UnreadableJob'
}

interface AnyJob {
  v: typeof JOB_VERSION
}

export interface MaintenanceJob extends AnyJob {
  /**
   * If it is left out, the job is the hourly housekeeping. A release that does not know the value does the
   * housekeeping, which is harmless.
   */
  task?: 'retention' | 'background'
  /** The id of the background task to continue. */
  id?: string
}

export interface SendMessageJob extends AnyJob {
  id: string
}

export interface FetchMediaJob extends SendMessageJob {
  /** The generation of the row's job that this is. */
  generation?: number
}

/** A job for the lane of an endpoint. `id` is a delivery that it was made for. */
export interface DeliverEventJob extends SendMessageJob {
  endpointId: string
  /** True if it was delayed until something is due. */
  isTimed?: boolean
  /** True if only this delivery is meant, because it may have crashed its worker. */
  isSuspect?: boolean
}

export const maintenanceJob = reader<MaintenanceJob>([])
export const sendMessageJob = reader<SendMessageJob>(['id'])
export const fetchMediaJob = reader<FetchMediaJob>(['id'])
export const deliverEventJob = reader<DeliverEventJob>(['id', 'endpointId'])

function reader<Data>(ids: readonly string[]): ReadJob<Data> {
  return (data) => {
    const fields = typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {}
    if (fields.v !== JOB_VERSION) throw new UnreadableJob(`v must be ${JOB_VERSION}`)
    for (const name of ids) if (!isId(fields[name])) throw new UnreadableJob(`${name} must be a UUID`)
    return data as Data
  }
}

/** True if a job is from a release that is being rolled out, whatever else is in it. */
export function isOfLaterVersion(data: unknown): boolean {
  const version = typeof data === 'object' && data !== null && 'v' in data ? data.v : undefined
  return Number.isInteger(version) && Number(version) > JOB_VERSION
}

/**
 * A row's first job has the row's id, so that enqueuing twice is harmless. Later ones have their own
 * ids, because a job id is remembered while its key lives and would swallow a re-add. No `:`: BullMQ refuses it.
 */
export function jobIdOf(rowId: string, generation: number): string {
  return generation === 0 ? rowId : `${rowId}-g${generation}`
}
