import { expect } from 'chai'
import { insertPast, makePartitions, monthAgo } from '../domain/operating/retention/past.js'
import { createLine } from '../helpers/factories.js'
import { describeCommands } from './linehook.js'

/** Of one moment, also if a month ends meanwhile. */
const [three, four] = [monthAgo(3), monthAgo(4)]
const nameOf = (month: Date) => month.toISOString().slice(0, 7)

describeCommands('linehook retention run', { MESSAGE_RETENTION_DAYS: '40' }, ({ context, run, json }) => {
  before(async () => {
    const line = await createLine(context)
    for (const month of [three, four]) {
      await makePartitions(context, month)
      await insertPast(context, line, month, {
        delivery: { status: month === three ? 'held' : 'delivered' },
      })
    }
  })

  const count = async () => (await context.db('messages')).length

  it('says with --dry-run what would go, and what stays and why', async () => {
    const [dropped, ...lines] = await run('retention', 'run', '--dry-run')
    expect(dropped).to.match(
      new RegExp(`^messages ${nameOf(four)} would be deleted: \\d+ MiB, about \\d+ rows$`),
    )
    expect(lines).to.deep.equal([
      `messages ${nameOf(three)} kept: deliveries are held (1)`,
      '0 excerpts of responses would be cleared',
      '0 copies of media would be deleted',
    ])
    expect(await count()).to.equal(2)
  })

  it('drops it, and prints JSON with --json', async () => {
    const retained = await json<{ months: object[] }>('retention', 'run')
    expect(retained).to.include({ isDryRun: false, excerptCount: 0, mediaCount: 0, hasMore: false })
    const month = nameOf(four)
    expect(retained.months[0]).to.include({ kind: 'messages', month, outcome: 'dropped' })
    expect(retained.months[1]).to.deep.include({ outcome: 'kept', why: { heldDeliveries: 1 } })
    expect(await count()).to.equal(1)
  })
})
