import {
  findDeliverySubjects,
  findMediaSubjects,
  findMessageSubjects,
} from '../database/operating/job-subjects.js'
import { findTasksByIds } from '../database/operating/tasks.js'
import { Unavailable } from '../errors.js'
import { isId } from '../ids.js'
import type { QueueName } from '../queues/queues.js'
import type { Context } from './context.js'

type Subjects = (context: Context, ids: readonly string[]) => Promise<[id: string, words: string][]>

const SUBJECTS: Record<QueueName, Subjects> = {
  'send-message': async ({ db }, ids) =>
    (await findMessageSubjects(db, ids)).map(({ id, numberEnd, lineName, status }) => [
      id,
      `to …${numberEnd} from ${lineName}: ${status}`,
    ]),
  'deliver-event': async ({ db }, ids) =>
    (await findDeliverySubjects(db, ids)).map(({ id, url, lineName, status }) => [
      id,
      `event from ${lineName} to ${URL.canParse(url) ? new URL(url).host : 'its endpoint'}: ${status}`,
    ]),
  'fetch-media': async ({ db }, ids) =>
    (await findMediaSubjects(db, ids)).map(({ id, lineName, status }) => [
      id,
      `media for ${lineName}: ${status}`,
    ]),
  maintenance: async ({ db }, ids) =>
    (await findTasksByIds(db, ids)).map(({ id, kind, doneCount, failedCount, totalCount, status }) => [
      id,
      `${kind.replace('_', ' ')}, ${doneCount + failedCount} of ${totalCount ?? 'a large number'}: ${status}`,
    ]),
}

/**
 * Describes what a queue's jobs are about, by the ids that they carry, for operators. A job whose row is gone, or
 * that cannot be read, is left out; so are all while Postgres does not answer.
 */
export async function describeJobs(
  context: Context,
  queue: QueueName,
  jobIds: readonly unknown[],
): Promise<ReadonlyMap<unknown, string>> {
  const ids = [...new Set(jobIds.filter((id) => typeof id === 'string' && isId(id)))] as string[]
  if (ids.length === 0) return new Map()
  try {
    return new Map(await SUBJECTS[queue](context, ids))
  } catch (error) {
    if (error instanceof Unavailable) return new Map()
    throw error
  }
}
