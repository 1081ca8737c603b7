import { JOB_VERSION } from './jobs.js'
import type { Queues } from './queues.js'

/**
 * Rows that are deleted after hours or days may stay an hour longer. A longer pause would leave each run more to
 * delete.
 */
const HOUR_MS = 3_600_000
/** This is for rows that are kept for months, or could not be deleted yesterday because something was under way. */
const DAY_MS = 24 * HOUR_MS

const SCHEDULES = [
  { name: 'keep-house', every: HOUR_MS, data: { v: JOB_VERSION } },
  { name: 'retention', every: DAY_MS, data: { v: JOB_VERSION, task: 'retention' } },
] as const

/** Makes the job schedulers that are missing, at the first start and after Redis lost its data. */
export async function scheduleMaintenance({ maintenance }: Queues): Promise<void> {
  for (const { name, every, data } of SCHEDULES) {
    if ((await maintenance.getJobScheduler(name)) !== undefined) continue
    await maintenance.upsertJobScheduler(name, { every }, { name, data })
  }
}
