import { mock } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { every, type Timer } from '../../src/kit/process/every.js'
import { memoryLog } from '../helpers/process/log.js'

describe('every', () => {
  const timers: Timer[] = []
  let now: number

  beforeEach(() => {
    now = 0
    mock.timers.enable({ apis: ['setTimeout'] })
  })

  afterEach(async () => {
    await Promise.all(timers.splice(0).map((timer) => timer.stop()))
    mock.timers.reset()
  })

  function start(ms: number, work: () => Promise<unknown>) {
    const { log, lines } = memoryLog()
    const timer = every(ms, work, log, 'test work')
    timers.push(timer)
    return { timer, lines }
  }

  /** By the mock clock. */
  const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

  /** Lets time go by, a millisecond after the other, each with all that comes of it. */
  async function pass(ms: number): Promise<void> {
    await nextTurn()
    const end = now + ms
    while (now < end) {
      now += 1
      mock.timers.tick(1)
      await nextTurn()
    }
  }

  it('runs at once, and again and again', async () => {
    let runs = 0
    start(5, () => Promise.resolve((runs += 1)))
    expect(runs).to.equal(1)
    await pass(15)
    expect(runs).to.equal(4)
  })

  it('never runs twice at the same time, however long a run takes', async () => {
    let running = 0
    let most = 0
    let runs = 0
    start(1, async () => {
      running += 1
      most = Math.max(most, running)
      await sleep(20)
      running -= 1
      runs += 1
    })
    await pass(62)
    expect(runs).to.equal(3)
    expect(most).to.equal(1)
  })

  it('waits its time between the end of a run and the next', async () => {
    const begins: number[] = []
    const ends: number[] = []
    start(60, async () => {
      begins.push(now)
      await sleep(30)
      ends.push(now)
    })
    await pass(120)
    expect({ begins, ends }).to.deep.equal({ begins: [0, 90], ends: [30, 120] })
  })

  for (const [manner, work] of [
    ['rejects', () => Promise.reject(new Error('broken'))],
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
  ] as const) {
    it(`logs a run that ${manner}, and runs again`, async () => {
      const { lines } = start(5, work)
      await pass(5)
      expect(lines).to.have.length(2)
      expect(lines[0]).to.include({ msg: 'timer.failed', what: 'test work' })
      expect(lines[0]).to.have.nested.property('err.message', 'broken')
    })
  }

  it('has stopped when the run that was under way is over, and does not run again', async () => {
    let runs = 0
    let finished = 0
    const { timer } = start(1, async () => {
      runs += 1
      await sleep(50)
      finished += 1
    })
    expect(runs).to.equal(1)
    const finishedAtStop = timer.stop().then(() => finished)
    await pass(50)
    expect(await finishedAtStop).to.equal(1)
    await pass(30)
    expect(runs).to.equal(1)
  })

  it('stops between two runs, and does not run again', async () => {
    let runs = 0
    const { timer } = start(50, () => Promise.resolve((runs += 1)))
    // The first run is over, and the next is set.
    await nextTurn()
    await timer.stop()
    await timer.stop()
    await pass(120)
    expect(runs).to.equal(1)
  })
})
