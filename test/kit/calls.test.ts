import { expect } from 'chai'
import { createCalls, type Calls } from '../../src/kit/redis/calls.js'
import { Unavailable } from '../../src/errors.js'
import { connectRedis, whenReady } from '../../src/kit/redis/redis.js'
import { failure } from '../helpers/failure.js'
import { memoryLog } from '../helpers/process/log.js'
import { createTestRedis } from '../helpers/services/services.js'
import { until } from '../helpers/until.js'

const LONG_MS = 10_000

describe('calls between processes', () => {
  let asking: Party
  let serving: Party

  type Party = Awaited<ReturnType<typeof createParty>>

  /** What a process has of its own. */
  async function createParty(url: string) {
    const { log, lines } = memoryLog()
    const redis = connectRedis(url, 'fail-fast', log)
    await whenReady(redis)
    const calls: Calls = createCalls(redis, () => connectRedis(url, 'wait', log), log)
    const close = async () => {
      await calls.close()
      redis.disconnect()
    }
    return { calls, redis, lines, close }
  }

  beforeEach(async () => {
    const url = await createTestRedis()
    ;[asking, serving] = await Promise.all([createParty(url), createParty(url)])
  })
  afterEach(() => Promise.all([asking.close(), serving.close()]))

  const isServed = () =>
    until('it is served', async () => (await asking.redis.exists('lh:{echo}:served')) === 1)

  async function serve(answer: (question: string) => Promise<string>, concurrency = 10) {
    const served = serving.calls.serve('echo', { concurrency, answer })
    await isServed()
    return served
  }

  it('each question has its own answer, in whatever order they come', async () => {
    const waiting = new Map<string, () => void>()
    const served = await serve(
      (question) =>
        new Promise((resolve) =>
          waiting.set(question, () => {
            resolve(`${question}!`)
          }),
        ),
    )
    const answers = Promise.all(['a', 'b', 'c'].map((each) => asking.calls.ask('echo', each, LONG_MS)))
    await until('all are asked', () => waiting.size === 3)
    for (const each of ['c', 'a', 'b']) waiting.get(each)?.()
    expect(await answers).to.deep.equal(['a!', 'b!', 'c!'].map((text) => ({ kind: 'answered', text })))
    await served.close()
  })

  it('says at once when nobody serves, before and after', async () => {
    expect(await asking.calls.ask('echo', 'a', LONG_MS)).to.deep.equal({ kind: 'unserved' })
    const served = await serve((question) => Promise.resolve(question))
    await served.close()
    expect(await asking.calls.ask('echo', 'a', LONG_MS)).to.deep.equal({ kind: 'unserved' })
    expect(await asking.redis.llen('lh:{echo}:questions')).to.equal(0)
  })

  it('has no more at a time than it may, and answers what it leaves behind when it is closed', async () => {
    let busyCount = 0
    let finish: () => void = () => undefined
    const held = new Promise<void>((resolve) => (finish = resolve))
    const served = await serve(async (question) => {
      busyCount += 1
      await held
      return question
    }, 2)
    const answers = Promise.all(['a', 'b', 'c'].map((each) => asking.calls.ask('echo', each, LONG_MS)))
    await until('two are worked on, and one waits', async () => {
      return busyCount === 2 && (await asking.redis.llen('lh:{echo}:questions')) === 1
    })
    const closing = served.close()
    await until('nobody serves', async () => (await asking.redis.exists('lh:{echo}:served')) === 0)
    finish()
    await closing
    expect(await answers).to.deep.equal([
      { kind: 'answered', text: 'a' },
      { kind: 'answered', text: 'b' },
      { kind: 'unanswered' },
    ])
    expect(busyCount).to.equal(2)
  })

  it('a question whose answer does not come in time is over for its asker', async () => {
    const served = await serve(() => new Promise<string>(() => undefined))
    expect(await asking.calls.ask('echo', 'a', 50)).to.deep.equal({ kind: 'unanswered' })
    void served.close()
  })

  it('a server that fails is logged, and its asker may ask again', async () => {
    const served = await serve(() => Promise.reject(new TypeError('a bug')))
    expect(await asking.calls.ask('echo', 'a', LONG_MS)).to.deep.equal({ kind: 'unanswered' })
    expect(serving.lines.find(({ msg }) => msg === 'call.failed')).to.have.nested.property(
      'err.message',
      'a bug',
    )
    await served.close()
  })

  it('what Redis forgets is asked again, and served again within a second', async () => {
    const served = await serve((question) => Promise.resolve(question))
    await asking.redis.flushall()
    await isServed()
    expect(await asking.calls.ask('echo', 'a', LONG_MS)).to.deep.equal({ kind: 'answered', text: 'a' })
    await served.close()
  })

  it('without Redis it is unavailable', async () => {
    asking.redis.disconnect()
    expect(await failure(asking.calls.ask('echo', 'a', LONG_MS))).to.be.instanceOf(Unavailable)
  })
})
