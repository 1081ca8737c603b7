import { expect } from 'chai'
import { Unavailable, UserError } from '../../../src/errors.js'
import { createOutageRetry } from '../../../src/web/listening/outage-retry.js'
import { failure } from '../../helpers/failure.js'
import { until } from '../../helpers/until.js'

const away = () => Promise.reject(new Unavailable('Postgres is not available'))

describe('outage retry', () => {
  it('retries until the store is back', async () => {
    const retryOutage = createOutageRetry({ waitMs: 10_000, maxWaiting: 1, pauseMs: 5 })
    let tries = 0
    const work = () => (++tries < 4 ? away() : Promise.resolve('done'))
    expect(await retryOutage(work)).to.equal('done')
    expect(tries).to.equal(4)
  })

  it('gives up when the time is over, with the reason', async () => {
    const retryOutage = createOutageRetry({ waitMs: 50, maxWaiting: 1, pauseMs: 5 })
    expect(await failure(retryOutage(away))).to.be.instanceOf(Unavailable)
  })

  it('does not retry other failures', async () => {
    const retryOutage = createOutageRetry({ waitMs: 10_000, maxWaiting: 1, pauseMs: 5 })
    let tries = 0
    const work = () => {
      tries += 1
      return tries === 1 ? away() : Promise.reject(new UserError('no such account', 404))
    }
    expect(await failure(retryOutage(work))).to.be.instanceOf(UserError)
    expect(tries).to.equal(2)
  })

  it('limits how many requests wait: further ones are refused immediately until there is room', async () => {
    const retryOutage = createOutageRetry({ waitMs: 10_000, maxWaiting: 2, pauseMs: 5 })
    let isThere = false
    let tries = 0
    const work = () => {
      tries += 1
      return isThere ? Promise.resolve('done') : away()
    }
    const waiting = [retryOutage(work), retryOutage(work)]
    await until('both wait', () => tries > 4)
    let triesOfThird = 0
    const third = failure(
      retryOutage(() => {
        triesOfThird += 1
        return away()
      }),
    )
    expect(await third).to.be.instanceOf(Unavailable)
    expect(triesOfThird).to.equal(1)
    isThere = true
    expect(await Promise.all(waiting)).to.deep.equal(['done', 'done'])
    isThere = false
    const later = retryOutage(work)
    isThere = true
    expect(await later).to.equal('done')
  })
})
