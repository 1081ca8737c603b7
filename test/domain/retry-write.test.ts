import { expect } from 'chai'
import { getEventListeners } from 'node:events'
import { retryWrite } from '../../src/domain/retry-write.js'
import { Unavailable } from '../../src/errors.js'
import { describeContext } from '../helpers/context.js'
import { failure } from '../helpers/failure.js'

describe('what has happened outside', () => {
  const open = { closing: new AbortController().signal }

  it('is written when Postgres is back, after an outage of any length', async () => {
    let tries = 0
    const write = () => {
      tries += 1
      return tries < 100 ? Promise.reject(new Unavailable('away')) : Promise.resolve()
    }
    await retryWrite(open, write, 0)
    expect(tries).to.equal(100)
  })

  it('is not written any more when the process closes, and nobody waits for it then', async () => {
    const closing = new AbortController()
    let tries = 0
    const writing = retryWrite({ closing: closing.signal }, () => {
      tries += 1
      if (tries === 1) setImmediate(() => closing.abort())
      return Promise.reject(new Unavailable('away'))
    })
    expect(await failure(writing)).to.be.instanceOf(Unavailable)
    expect(tries, 'once more when it closes').to.equal(2)
  })

  it('is not written again if it is at fault', async () => {
    const fault = new Error('not an outage')
    expect(await failure(retryWrite(open, () => Promise.reject(fault)))).to.equal(fault)
  })
})

describeContext('many writes', (context) => {
  it('may wait for a store at the same time, and nothing takes their waiting for a leak', async () => {
    const warnings: Error[] = []
    const note = (warning: Error) => warnings.push(warning)
    process.on('warning', note)
    let tries = 0
    const write = () => {
      tries += 1
      return tries <= 50 ? Promise.reject(new Unavailable('away')) : Promise.resolve()
    }
    await Promise.all(Array.from({ length: 50 }, () => retryWrite(context, write, 1)))
    process.off('warning', note)
    expect(tries).to.equal(100)
    expect(warnings).to.deep.equal([])
    expect(getEventListeners(context.closing, 'abort')).to.deep.equal([])
  })
})
