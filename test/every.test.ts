import { expect } from 'chai'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { every, type Timer } from '../src/every.js'
import { memoryLog } from './helpers/log.js'
import { until } from './helpers/until.js'

describe('every', () => {
  const timers: Timer[] = []

  afterEach(() => Promise.all(timers.splice(0).map((timer) => timer.stop())))

  function start(ms: number, work: () => Promise<unknown>) {
    const { log, lines } = memoryLog()
    const timer = every(ms, work, log, 'test work')
    timers.push(timer)
    return { timer, lines }
  }

  it('runs at once, and again and again', async () => {
    let runs = 0
    start(5, () => Promise.resolve((runs += 1)))
    expect(runs).to.equal(1)
    await until('three more runs', () => runs >= 4)
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
    await until('three runs', () => runs >= 3)
    expect(most).to.equal(1)
  })

  it('waits its time between the end of a run and the next', async () => {
    const begins: number[] = []
    const ends: number[] = []
    start(60, async () => {
      begins.push(performance.now())
      await sleep(30)
      ends.push(performance.now())
    })
    await until('two runs', () => ends.length === 2)
    expect(begins[1]! - ends[0]!).to.be.greaterThan(50)
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
      await until('two failures', () => lines.length >= 2)
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
    await timer.stop()
    expect(finished).to.equal(1)
    await sleep(30)
    expect(runs).to.equal(1)
  })

  it('stops between two runs, and does not run again', async () => {
    let runs = 0
    const { timer } = start(50, () => Promise.resolve((runs += 1)))
    // The first run is over, and the next is set.
    await nextTurn()
    await timer.stop()
    await timer.stop()
    await sleep(120)
    expect(runs).to.equal(1)
  })
})
