import { expect } from 'chai'
import type { Context } from '../../src/domain/context.js'
import { insertPast, makePartitions, monthAgo } from '../domain/operating/retention/past.js'
import type { Environment } from '../helpers/process/environment.js'
import { createLine } from '../helpers/factories.js'
import { createInstallation } from '../journeys/support/steps.js'
import { answer, jsonAnswer } from './linehook.js'

describe('linehook retention run', function () {
  this.timeout(60_000)

  const name = (month: Date) => month.toISOString().slice(0, 7)
  let environment: Environment
  let context: Context

  before(async () => {
    const installation = await createInstallation()
    context = installation.context
    environment = { ...installation.environment, MESSAGE_RETENTION_DAYS: '40' }
    const line = await createLine(context)
    for (const months of [3, 4]) {
      await makePartitions(context, monthAgo(months))
      await insertPast(context, line, monthAgo(months), {
        delivery: { status: months === 3 ? 'held' : 'delivered' },
      })
    }
  })
  after(() => context.close())

  const count = async () => (await context.db('messages')).length

  it('says with --dry-run what would go, and what stays and why', async () => {
    const lines = await answer(environment, 'retention', 'run', '--dry-run')
    expect(lines[0]).to.match(
      new RegExp(`^messages ${name(monthAgo(4))} would be dropped: \\d+ MiB, about \\d+ rows$`),
    )
    expect(lines.slice(1)).to.deep.equal([
      `messages ${name(monthAgo(3))} kept: 1 deliveries are held and wait for a person`,
      '0 excerpts of what endpoints answered would be cleared',
      '0 copies of media would be deleted',
    ])
    expect(await count()).to.equal(2)
  })

  it('drops it, and prints JSON with --json', async () => {
    const retained = (await jsonAnswer(environment, 'retention', 'run')) as { months: object[] }
    expect(retained).to.include({ isDryRun: false, excerptCount: 0, mediaCount: 0, hasMore: false })
    expect(retained.months[0]).to.include({ kind: 'messages', month: name(monthAgo(4)), outcome: 'dropped' })
    expect(retained.months[1]).to.deep.include({ outcome: 'kept', why: { heldDeliveries: 1 } })
    expect(await count()).to.equal(1)
  })
})
