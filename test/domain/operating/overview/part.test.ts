import { expect } from 'chai'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { keepLooking } from '../../../../src/domain/operating/overview/part.js'
import { Unavailable } from '../../../../src/errors.js'
import { memoryLog } from '../../../helpers/process/log.js'
import { until } from '../../../helpers/until.js'

const LATE = { isKnown: false, fault: 'Postgres did not answer within 1 s' }

describe('a part of the overview', () => {
  const { log, lines } = memoryLog()
  let askedCount: number
  let answer: (value: number) => void
  let refuse: (error: Error) => void

  beforeEach(() => {
    askedCount = 0
    lines.length = 0
  })

  const gather = () => {
    askedCount += 1
    return new Promise<number>((resolve, reject) => {
      answer = resolve
      refuse = reject
    })
  }
  const keeping = (keptMs: number, limitMs = 50) =>
    keepLooking(gather, { of: 'Postgres', keptMs, limitMs, log })

  it('is looked at once for all who ask at the same time, and is kept for a while', async () => {
    const look = keeping(60_000)
    const asked = [look(), look(), look()]
    answer(7)
    expect(await Promise.all([...asked, look()])).to.deep.equal(Array(4).fill({ isKnown: true, value: 7 }))
    expect(askedCount).to.equal(1)
  })

  it('is looked at anew after that', async () => {
    const look = keeping(5)
    const first = look()
    answer(7)
    await first
    await until('it is asked again', () => {
      void look()
      return askedCount === 2
    })
    answer(8)
    expect(await look()).to.deep.equal({ isKnown: true, value: 8 })
  })

  it('that hangs is a fault within its limit, at once from then on, and is not asked twice', async () => {
    const look = keeping(0)
    const startedAt = performance.now()
    expect(await look()).to.deep.equal(LATE)
    // A timer may be a little early.
    await until('its limit is over', () => performance.now() - startedAt > 60)
    expect(await Promise.race([look(), nextTurn('waits')])).to.deep.equal(LATE)
    expect(askedCount).to.equal(1)
    answer(7)
    await sleep(0)
    const again = look()
    answer(8)
    expect(await again).to.deep.equal({ isKnown: true, value: 8 })
    expect(askedCount).to.equal(2)
  })

  it('says what is not available, and logs nothing of it', async () => {
    const looked = keeping(0)()
    refuse(new Unavailable('Redis cannot be reached: see REDIS_URL'))
    expect(await looked).to.deep.equal({ isKnown: false, fault: 'Redis cannot be reached: see REDIS_URL' })
    expect(lines).to.be.empty
  })

  it('keeps an error of ours to the log', async () => {
    const looked = keeping(0)()
    refuse(new TypeError('a secret'))
    expect(await looked).to.deep.equal({
      isKnown: false,
      fault: 'Postgres could not be asked: the log says why',
    })
    expect(JSON.stringify(lines)).to.include('overview.failed')
  })
})
