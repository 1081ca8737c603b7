import type { Database } from '../connection.js'

/** The names that `due_work` returns. */
export type DueWork =
  | 'expired messages'
  | 'expired deliveries'
  | 'expired media'
  | 'stranded messages'
  | 'idle lanes'
  | 'stranded media'
  | 'stranded tasks'
  | 'unknown messages'
  | 'scheduled messages'
  | 'resumptions'
  | 'disabled lines'
  | 'recovered accounts'
  | 'simulated receipts'
  | 'mails'

/**
 * @param overdueMs the time for which rows are left to their jobs
 * @param maxLost a delivery whose worker was lost this often is a suspect
 * @param looksIntoLanes whether idle lanes are looked for
 */
export async function findDueWork(
  db: Database,
  { overdueMs, maxLost, looksIntoLanes }: { overdueMs: number; maxLost: number; looksIntoLanes: boolean },
): Promise<Set<DueWork>> {
  const { rows } = await db.raw<{ rows: [{ found: DueWork[] }] }>(
    'select due_work(make_interval(secs => ?), ?, ?) as found',
    [overdueMs / 1000, maxLost, looksIntoLanes],
  )
  return new Set(rows[0].found)
}
