import { expect } from 'chai'
import { createPace } from '../../src/domain/due-work.js'

describe('the pace of looking for idle lanes', () => {
  let now = 0
  const paced = () => {
    now = 0
    return createPace(0.05, () => now)
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

  it('keeps to it after a look that failed', async () => {
    const pace = paced()
    const failed = await pace
      .during(async () => {
        await taking(10_000)()
        throw new Error('canceling statement due to statement timeout')
      })
      .catch(({ message }: Error) => message)
    expect(failed).to.equal('canceling statement due to statement timeout')
    now = 199_999
    expect(pace.isDue()).to.equal(false)
    now = 200_000
    expect(pace.isDue()).to.equal(true)
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
