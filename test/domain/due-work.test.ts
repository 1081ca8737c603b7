import { expect } from 'chai'
import { createDueWork, createPace } from '../../src/domain/due-work.js'
import { describeContext } from '../helpers/context.js'
import { createLine } from '../helpers/factories.js'
import { ago, changeRows, receiveForDelivery } from './fixtures.js'

describe('the pace of looking for idle lanes', () => {
  let now = 0
  const paced = () => {
    now = 0
    return createPace(0.05, 60_000, () => now)
  }
  const taking = (ms: number) => () => {
    now += ms
    return Promise.resolve()
  }

  it('is due at once, and after a look again when it took a twentieth of the time', async () => {
    const pace = paced()
    expect(pace.isDue()).to.equal(true)
    await pace.during(taking(100))
    now = 1999
    expect(pace.isDue()).to.equal(false)
    now = 2000
    expect(pace.isDue()).to.equal(true)
  })

  it('keeps to it after a look that failed, but for a minute at most: Postgres may have hung', async () => {
    for (const [ms, dueAt] of [
      [100, 2000],
      [10_000, 70_000],
    ] as const) {
      const pace = paced()
      const failed = await pace
        .during(async () => {
          await taking(ms)()
          throw new Error('canceling statement due to statement timeout')
        })
        .catch(({ message }: Error) => message)
      expect(failed).to.equal('canceling statement due to statement timeout')
      now = dueAt - 1
      expect(pace.isDue()).to.equal(false)
      now = dueAt
      expect(pace.isDue()).to.equal(true)
    }
  })

  it('is not due while a look is under way', async () => {
    const pace = paced()
    let isDueMeanwhile: boolean | undefined
    await pace.during(async () => {
      await taking(60_000)()
      isDueMeanwhile = pace.isDue()
    })
    expect(isDueMeanwhile).to.equal(false)
  })
})

describeContext('what timers have to do', (context) => {
  it('is to wake idle lanes also if they were looked for when another timer asked', async () => {
    const line = await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/events' })
    const { id } = await receiveForDelivery(context, line)
    await changeRows(context, 'deliveries', id, { due_at: ago(context, '1 minute') })
    let now = 0
    const due = createDueWork(context, () => now)
    const other = due('mails')
    // The look takes so long that the next one is not due for a while.
    now = 1000
    expect(await other).to.deep.equal([])
    now = 2000
    expect(await due('idle lanes', 'stranded tasks')).to.deep.equal(['idle lanes'])
    now = 3000
    expect(await due('idle lanes')).to.deep.equal([])
    now = 30_000
    expect(await due('idle lanes')).to.deep.equal(['idle lanes'])
  })
})
