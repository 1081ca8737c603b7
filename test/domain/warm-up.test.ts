import { expect } from 'chai'
import { createContext } from '../../src/domain/open-context.js'
import { warmUp, type HotFunction } from '../../src/domain/warm-up.js'
import { startProxy } from '../database/proxy.js'
import { describeContext } from '../helpers/context.js'
import { createLine } from '../helpers/factories.js'
import { countRows, queueMessage } from './fixtures.js'

describeContext('the warm-up of a process', (context) => {
  const ALL: HotFunction[] = [
    'queue_messages',
    'receive_messages',
    'claim_messages',
    'settle_messages',
    'take_simulated_messages',
    'step_lanes',
  ]

  it('calls every hot function on several connections, and changes nothing', async () => {
    await queueMessage(context, await createLine(context))
    const [answers, faults] = [[] as string[], [] as unknown[]]
    context.db.on('query-response', (_: unknown, { sql }: { sql: string }) => answers.push(sql))
    context.db.on('query-error', (error: unknown) => faults.push(error))
    await warmUp(context, ALL)
    expect(faults).to.deep.equal([])
    for (const name of ALL) {
      expect(
        answers.filter((sql) => sql.includes(`from ${name}(`)),
        name,
      ).to.have.length(3)
    }
    expect(await countRows(context, 'messages')).to.equal(1)
    expect(await countRows(context, 'deliveries')).to.equal(0)
  })

  it('ends also when Postgres is away', async () => {
    const proxy = await startProxy(context.config.databaseUrl)
    const away = createContext({ ...context.config, databaseUrl: proxy.url }, { process: 'another' })
    try {
      proxy.goDown()
      await warmUp(away, ALL)
      expect(proxy.refusedCount).to.be.greaterThan(0)
    } finally {
      await away.close()
      await proxy.close()
    }
  })
})
