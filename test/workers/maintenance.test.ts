import { expect } from 'chai'
import { newId } from '../../src/ids.js'
import { lowestIdAt } from '../helpers/lowest-id.js'
import type { Context } from '../../src/domain/context.js'
import { startProcess, stopProcesses } from '../helpers/processes.js'
import { until } from '../helpers/until.js'
import { createInstallation } from '../journeys/steps.js'

describe('maintenance', function () {
  this.timeout(30_000)

  let context: Context

  before(async () => {
    const installation = await createInstallation()
    context = installation.context
    await insertKey('old', '25 hours')
    await insertKey('young', '23 hours')
    await context.db.raw('drop table ??', [partitionOfNextMonth()])
    await startProcess('maintenance', installation.environment)
  })

  after(async () => {
    await stopProcesses()
    await context.close()
  })

  it('keeps house at its start: keys older than 24 h go, others stay', async () => {
    const keys = async () =>
      (await context.db<{ key: string }>('idempotency_keys').select('key')).map(({ key }) => key)
    await until('the old key is gone', async () => !(await keys()).includes('old'))
    expect(await keys()).to.deep.equal(['young'])
  })

  it('makes the partitions of the months to come', async () => {
    const { rows } = await until('the partition is there', async () => {
      const found = await context.db.raw<{ rows: { bounds: string }[] }>(
        `select pg_get_expr(relpartbound, oid) as bounds from pg_class where relname = ?`,
        [partitionOfNextMonth()],
      )
      return found.rows.length > 0 && found
    })
    expect(rows[0]?.bounds).to.contain(lowestIdAt(nextMonth()))
  })

  async function insertKey(key: string, age: string): Promise<void> {
    await context.db('idempotency_keys').insert({
      scope_id: newId(),
      key,
      request_hash: Buffer.alloc(32),
      message_id: newId(),
      created_at: context.db.raw('now() - ?::interval', [age]),
    })
  }
})

function nextMonth(): Date {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
}

function partitionOfNextMonth(): string {
  return `events_${nextMonth().toISOString().slice(0, 7).replace('-', '')}`
}
