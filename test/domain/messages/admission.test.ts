import { expect } from 'chai'
import { transaction } from '../../../src/database/connection.js'
import type { QueueAnswer, QueueRequest } from '../../../src/database/messages/queueing.js'
import { createLineBacklogs } from '../../../src/domain/messages/submit/line-backlogs.js'
import type { Context } from '../../../src/domain/context.js'
import { isBacklogFull } from '../../../src/domain/messages/submit/backlog.js'
import { startProxy, type Proxy } from '../../database/proxy.js'
import { createTestContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { createTestDatabase } from '../../helpers/services/services.js'
import { queueMessages } from '../fixtures.js'
import { until } from '../../helpers/until.js'
import { openings } from '../../helpers/openings.js'

const request = {
  messageId: 'm',
  lineId: 'line',
  source: 'webhook',
  toNumber: '+1',
  text: 'x',
} satisfies QueueRequest

const window = { limit: 1, used: 0, opensMs: 0 }

function answer(outcome: QueueAnswer['outcome'], waitingOnLine: number | null): QueueAnswer {
  return { outcome, messageId: null, windows: { toNumber: window, line: window }, waitingOnLine }
}

describe('what a process knows of the backlogs of lines', () => {
  let now = 0
  const open = () => createLineBacklogs(10, () => now)

  it('counts a line that it has not counted yet, or not for a second', () => {
    const backlogs = open()
    expect(backlogs.isRoomy('line')).to.equal(false)
    backlogs.note([request], [answer('accepted', 0)])
    expect(backlogs.isRoomy('line')).to.equal(true)
    expect(backlogs.isRoomy('other')).to.equal(false)
    now += 999
    expect(backlogs.isRoomy('line')).to.equal(true)
    now += 1
    expect(backlogs.isRoomy('line')).to.equal(false)
  })

  it('counts every time when half of what may wait does, those of one batch included', () => {
    const backlogs = open()
    backlogs.note(
      [request, request, request],
      [answer('accepted', 1), answer('accepted', 1), answer('rate_limited', 1)],
    )
    expect(backlogs.isRoomy('line')).to.equal(true)
    backlogs.note([request, request], [answer('accepted', null), answer('accepted', null)])
    expect(backlogs.isRoomy('line')).to.equal(false)
  })

  it('learns nothing from an answer that is none', () => {
    const backlogs = open()
    backlogs.note([request], [new Error('its line is gone')])
    expect(backlogs.isRoomy('line')).to.equal(false)
  })
})

/** As in the source: how long an asker waits for a look. */
const READING_MS = 200

describe('room for more messages', () => {
  const open = openings()
  let context: Context
  let proxy: Proxy
  let line: TestLine
  /** Milliseconds; each test begins long after the one before. */
  let now = 0

  before(async () => {
    proxy = await open(startProxy(await createTestDatabase()))
    context = await open(createTestContext({ MAX_QUEUED_MESSAGES: '3', DATABASE_URL: proxy.url }))
    line = await createLine(context)
  })
  beforeEach(async () => {
    now += 1_000_000
    await context.db('messages').delete()
  })

  async function hasRoom(atMs = 0): Promise<boolean> {
    return !(await isBacklogFull(context, now + atMs))
  }

  /** By a look of this moment. If that takes longer than its asker waits, as on a busy machine, a later one gets it. */
  async function expectRoom(expected: boolean, atMs = 0): Promise<void> {
    const startedAt = performance.now()
    const found = await hasRoom(atMs)
    if (performance.now() - startedAt < READING_MS) expect(found).to.equal(expected)
    else await until('the look is over', async () => (await hasRoom(atMs)) === expected)
  }

  it('is there while fewer wait than the bound, and not from the bound on', async () => {
    await queueMessages(context, line, 2)
    await expectRoom(true)
    await queueMessages(context, line, 1)
    await expectRoom(false, 2000)
  })

  it('is counted for messages that wait, not for those that are over', async () => {
    await queueMessages(context, line, 5, { status: 'sent' })
    await queueMessages(context, line, 5, { status: 'failed' })
    await expectRoom(true)
  })

  it('is looked at once a second', async () => {
    await expectRoom(true)
    await queueMessages(context, line, 3)
    expect(await hasRoom(1000)).to.equal(true)
    await expectRoom(false, 1001)
    await context.db('messages').delete()
    expect(await hasRoom(1500)).to.equal(false)
    await expectRoom(true, 2100)
  })

  it('is looked at once by many who ask at the same moment', async () => {
    let count = 0
    const countQuery = ({ sql }: { sql: string }) => {
      if (sql.includes('waiting')) count += 1
    }
    context.db.on('query', countQuery)
    try {
      await Promise.all(Array.from({ length: 50 }, () => hasRoom()))
    } finally {
      context.db.removeListener('query', countQuery)
    }
    expect(count).to.equal(1)
  })

  it('is there again when messages have gone, whatever the clock says meanwhile', async () => {
    const clock = Date.now
    const other = await open(createTestContext({ MAX_QUEUED_MESSAGES: '3', DATABASE_URL: proxy.url }))
    try {
      await queueMessages(context, line, 3)
      await until('it is full', () => isBacklogFull(other))
      await context.db('messages').delete()
      Date.now = () => clock() - 3_600_000
      await until('there is room', async () => !(await isBacklogFull(other)))
    } finally {
      Date.now = clock
    }
  })

  it('is known from a look that took long, once that is over', async () => {
    await queueMessages(context, line, 3)
    const lock = async (atMs: number) => {
      let room: boolean | undefined
      await transaction(context.db, async (trx) => {
        await trx.raw('lock table messages in access exclusive mode')
        room = await hasRoom(atMs)
      })
      return room
    }
    expect(await lock(0)).to.equal(true)
    await until('it is found out', async () => !(await hasRoom(1)))
    expect(await lock(2000)).to.equal(false)
  })

  it('is looked at again after a look that failed', async () => {
    proxy.goDown()
    let thrown: unknown
    // On a busy machine the failure may come after the time that a caller waits for; then a later one gets it.
    await until('a look fails while somebody waits for it', async () => {
      now += 2000
      thrown = await isBacklogFull(context, now).catch((error: unknown) => error)
      return thrown instanceof Error
    })
    proxy.goUp()
    expect(thrown).to.include({ name: 'Unavailable', message: 'Postgres is not available' })
    await expectRoom(true)
  })
})
