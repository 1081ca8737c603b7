import { expect } from 'chai'
import { Unavailable } from '../../src/errors.js'
import { connectRedis, whenReady } from '../../src/kit/redis/redis.js'
import { createAccountLanes, type AccountLanes, type LaneWork } from '../../src/queues/account-lanes.js'
import { failure } from '../helpers/failure.js'
import { memoryLog } from '../helpers/process/log.js'
import { createTestRedis } from '../helpers/services/services.js'
import { until } from '../helpers/until.js'

const ACCOUNT = 'account-1'
const LONG_MS = 60_000
const DONE = { wasSent: true }

describe('the lane of a carrier account', () => {
  let putting: Party
  let working: Party
  let taken: string[]

  type Party = Awaited<ReturnType<typeof createParty>>

  /** What a process has of its own. */
  async function createParty(url: string) {
    const { log } = memoryLog()
    const redis = connectRedis(url, 'fail-fast', log)
    await whenReady(redis)
    const lanes: AccountLanes = createAccountLanes(redis, () => connectRedis(url, 'wait', log), log)
    const open: { close(): Promise<void> }[] = []
    return {
      lanes,
      redis,
      work: (take: LaneWork['take'], concurrency = 10) => {
        const work = lanes.work(ACCOUNT, { concurrency, take })
        open.push(work)
        return work
      },
      close: async () => {
        await Promise.all(open.map((work) => work.close()))
        redis.disconnect()
      },
    }
  }

  beforeEach(async () => {
    taken = []
    const url = await createTestRedis()
    ;[putting, working] = await Promise.all([createParty(url), createParty(url)])
  })
  afterEach(() => Promise.all([putting.close(), working.close()]))

  const put = (...ids: string[]) => putting.lanes.put(ACCOUNT, ids)
  const note = (id: string) => {
    taken.push(id)
    return Promise.resolve(DONE)
  }
  const untilServed = () => until('somebody takes them', () => put())
  const untilTaken = (count: number) =>
    until(
      () => `only ${taken.join()}`,
      () => taken.length >= count,
    )

  it('gives out what was put before somebody took, and what comes then, in order', async () => {
    expect(await put('a', 'b')).to.be.false
    working.work(note, 1)
    await untilTaken(2)
    await put('c')
    await untilTaken(3)
    expect(taken).to.deep.equal(['a', 'b', 'c'])
    expect(await put('d')).to.be.true
  })

  it('has an id once, however often it was put, and at its earliest time', async () => {
    await putting.lanes.put(ACCOUNT, ['a'], LONG_MS)
    await put('a')
    await putting.lanes.put(ACCOUNT, ['a', 'b'], LONG_MS)
    await put('c')
    working.work(note)
    await untilTaken(2)
    expect(taken).to.deep.equal(['a', 'c'])
    expect(await putting.lanes.waiting(ACCOUNT, ['a', 'b', 'c'])).to.deep.equal(new Set(['b']))
  })

  it('gives out at most so many at a time', async () => {
    const ends: (() => void)[] = []
    working.work((id) => {
      taken.push(id)
      return new Promise((resolve) =>
        ends.push(() => {
          resolve(DONE)
        }),
      )
    }, 4)
    await put('a', 'b', 'c', 'd', 'e', 'f')
    await untilTaken(4)
    await untilServed()
    expect(taken).to.have.length(4)
    for (const end of ends.splice(0)) end()
    await untilTaken(6)
    for (const end of ends.splice(0)) end()
  })

  it('gives out all that the sessions have room for, also more than one script can take', async () => {
    const ids = Array.from({ length: 9000 }, (_, n) => String(n).padStart(4, '0'))
    await put(...ids)
    working.work(note, ids.length)
    await untilTaken(ids.length)
    expect(taken).to.deep.equal(ids)
  })

  it('gives out again, later, what has to wait, and what else comes meanwhile at once', async () => {
    working.work((id) => {
      taken.push(id)
      return Promise.resolve(taken.length === 1 ? { wasSent: false, againInMs: 300 } : DONE)
    })
    await put('a')
    await untilTaken(1)
    await until('it waits', async () => (await putting.lanes.waiting(ACCOUNT, ['a'])).size === 1)
    await put('b')
    await untilTaken(3)
    expect(taken).to.deep.equal(['a', 'b', 'a'])
  })

  it('goes on after Redis has forgotten everything', async () => {
    working.work(note)
    await untilServed()
    await putting.redis.flushdb()
    await untilServed()
    await put('a')
    await untilTaken(1)
  })

  it('is nobody’s once it is closed: what was taken is brought to its end, and the rest waits', async () => {
    let end = () => undefined as unknown
    const work = working.work((id) => {
      taken.push(id)
      return new Promise(
        (resolve) =>
          (end = () => {
            resolve(DONE)
          }),
      )
    }, 1)
    await put('a', 'b')
    await untilTaken(1)
    let isClosed = false
    const closing = work.close().then(() => (isClosed = true))
    await until('nobody takes them', async () => !(await put()))
    expect(isClosed).to.be.false
    end()
    await closing
    expect(taken).to.deep.equal(['a'])
    expect(await putting.lanes.waiting(ACCOUNT, ['b'])).to.deep.equal(new Set())
    working.work(note)
    await untilTaken(2)
    expect(taken).to.deep.equal(['a', 'b'])
  })

  it('is not had without Redis', async () => {
    putting.redis.disconnect()
    expect(await failure(put('a'))).to.be.instanceOf(Unavailable)
  })
})
