import * as yup from 'yup'
import { isId } from '../ids.js'

/**
 * What processes say to each other, and all of it: ids, never content. A job of a version that a worker does not
 * know is put off, not failed: the release that knows it is being rolled out.
 */
export const JOB_VERSION = 1

const version = yup.number().oneOf([JOB_VERSION]).required()
// yup's own uuid() knows versions 1 to 5 only.
const id = yup.string().required().test('id', '${path} must be a UUID', isId)

export const sendMessageJob = yup.object({ v: version, id })

/** Work on the lane of an endpoint. */
export const deliverEventJob = yup.object({
  v: version,
  /** A delivery that it was made for. */
  id,
  endpointId: id,
  /** It was delayed until something is due. */
  isTimed: yup.boolean(),
  /** Only this delivery is meant: it may have taken its worker with it. */
  isSuspect: yup.boolean(),
})

export const fetchMediaJob = yup.object({ v: version, id })

export const maintenanceJob = yup.object({ v: version })

export type SendMessageJob = yup.InferType<typeof sendMessageJob>
export type DeliverEventJob = yup.InferType<typeof deliverEventJob>
export type FetchMediaJob = yup.InferType<typeof fetchMediaJob>
export type MaintenanceJob = yup.InferType<typeof maintenanceJob>

/** Of a release that is being rolled out, whatever else is in it. */
export function isOfLaterVersion(data: unknown): boolean {
  const version = typeof data === 'object' && data !== null && 'v' in data ? data.v : undefined
  return Number.isInteger(version) && Number(version) > JOB_VERSION
}

/**
 * A row's first job has the row's id, so that enqueuing twice is harmless. Later ones have their own ids,
 * because a job id is remembered while its key lives and would swallow a re-add. No `:`: BullMQ refuses it.
 */
export function jobIdOf(rowId: string, generation: number): string {
  return generation === 0 ? rowId : `${rowId}-g${generation}`
}
