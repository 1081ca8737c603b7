import type { PostgresFacts } from '../../../database/operating/overview/server.js'
import type { PoolUse } from '../../../telemetry/metrics.js'
import { countOf, describeBytes } from './figures.js'
import { moodOfShare, serviceView, type ServiceFault, type ServiceView } from './service.js'

/** @param missingPartitions the missing ones of this month and the next two */
export function judgePostgres(
  facts: PostgresFacts,
  missingPartitions: readonly string[],
  pool: PoolUse,
): ServiceView {
  const { connectionCount, maxConnections, longTransactionCount } = facts
  const faults: ServiceFault[] = []
  if (facts.isReadOnly) {
    faults.push({
      mood: 'bad',
      text: 'It is read-only, so nothing is accepted. Point DATABASE_URL at the primary.',
    })
  }
  const crowd = moodOfShare(connectionCount / maxConnections)
  if (crowd !== undefined) {
    faults.push({
      mood: crowd,
      text:
        `${connectionCount} of its ${maxConnections} connections are in use. Raise max_connections, lower ` +
        'DATABASE_POOL_SIZE, or put PgBouncer in front of it.',
    })
  }
  if (missingPartitions.length > 0) {
    const isThisMonth = missingPartitions.some((name) => name.endsWith(thisMonth()))
    faults.push({
      mood: isThisMonth ? 'bad' : 'waiting',
      text:
        `${countOf(missingPartitions.length, 'partition is', 'partitions are')} missing: ` +
        `${missingPartitions.join(', ')}. A \`maintenance\` process creates them within the hour. Check that one is running.`,
    })
  }
  if (longTransactionCount > 0) {
    faults.push({
      mood: 'waiting',
      text:
        `${countOf(longTransactionCount, 'transaction has', 'transactions have')} been open for more than a minute. ` +
        'Find them in pg_stat_activity. They keep old rows from being cleaned up.',
    })
  }
  return serviceView(faults, [
    ['Version', facts.version],
    ['Connections', `${connectionCount} of ${maxConnections}`],
    ['Connection pool of this process', poolWords(pool)],
    ['Database size', describeBytes(facts.databaseBytes)],
    ['Partitions ahead', missingPartitions.length === 0 ? 'two months' : 'not all'],
  ])
}

function thisMonth(): string {
  return new Date().toISOString().slice(0, 7).replace('-', '')
}

function poolWords({ used, max, waiting }: PoolUse): string {
  return `${used} of ${max} in use${waiting === 0 ? '' : `, ${waiting} waiting`}`
}
