import { JOB_VERSION } from './jobs.js'
import type { Queues } from './queues.js'

/** What is deleted after hours or days may stay an hour longer. A longer pause would give one run more to delete. */
const HOUR_MS = 3_600_000

/** Makes the job schedulers that are missing: at the first start, and when Redis lost its data. */
export async function scheduleMaintenance({ maintenance }: Queues): Promise<void> {
  if ((await maintenance.getJobScheduler('keep-house')) !== undefined) return
  await maintenance.upsertJobScheduler(
    'keep-house',
    { every: HOUR_MS },
    { name: 'keep-house', data: { v: JOB_VERSION } },
  )
}
