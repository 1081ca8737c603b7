import { expect } from 'chai'
import pg from 'pg'
import {
  createBackendMonitor,
  type BackendMonitor,
  type RawClient,
} from '../../src/database/backend-monitor.js'
import { createTestDatabase } from '../helpers/services/services.js'

describe('the monitor of backends', () => {
  let url: string
  let backends: pg.Client[]
  let monitor: BackendMonitor
  /** The most queries that a connection of the monitor ran at a time. */
  let mostAtOnce: number
  let connectionCount: number

  before(async () => {
    url = await createTestDatabase()
  })
  beforeEach(async () => {
    mostAtOnce = 0
    connectionCount = 0
    backends = Array.from(
      { length: 5 },
      () => new pg.Client({ connectionString: url, application_name: 'test' }),
    )
    for (const backend of backends) backend.on('error', () => undefined)
    await Promise.all(backends.map((backend) => backend.connect()))
    monitor = createBackendMonitor(watched, 'test')
  })
  afterEach(async () => {
    monitor.close()
    await Promise.all(backends.map((backend) => backend.end()))
  })

  function watched(): RawClient {
    const client = new pg.Client({ connectionString: url })
    connectionCount += 1
    let underWay = 0
    const query = client.query.bind(client) as RawClient['query']
    return Object.assign(client as unknown as RawClient, {
      query: async (sql: string, values: readonly unknown[]) => {
        underWay += 1
        mostAtOnce = Math.max(mostAtOnce, underWay)
        try {
          return await query(sql, values)
        } finally {
          underWay -= 1
        }
      },
    })
  }

  const pidOf = (client: pg.Client) => (client as unknown as { processID: number }).processID

  it('runs one query at a time, however many it is asked for', async () => {
    const pids = backends.map(pidOf)
    const answers = await Promise.all(pids.map((pid) => monitor.statesOf([pid])))
    expect(answers.map((states) => [...states])).to.deep.equal(pids.map((pid) => [[pid, 'idle']]))
    expect([mostAtOnce, connectionCount]).to.deep.equal([1, 1])
  })

  it('ends backends of the pool, and no others', async () => {
    const pids = backends.map(pidOf)
    const [first = 0, second = 0] = pids
    expect(await Promise.all([monitor.end(first), monitor.end(second)])).to.deep.equal([true, true])
    expect([...(await monitor.statesOf(pids)).keys()]).to.have.members(pids.slice(2))

    const stranger = new pg.Client({ connectionString: url, application_name: 'stranger' })
    await stranger.connect()
    await monitor.end(pidOf(stranger))
    expect((await monitor.statesOf([pidOf(stranger)])).size).to.equal(1)
    await stranger.end()
  })
})
