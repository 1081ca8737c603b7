import { expect } from 'chai'
import { onFirstUse } from '../../src/kit/process/on-first-use.js'

describe('onFirstUse', () => {
  it('makes nothing before it is asked for, and one thing for all who ask', async () => {
    let count = 0
    const get = onFirstUse(() => Promise.resolve({ n: (count += 1) }))
    expect(count).to.equal(0)
    const [one, other] = await Promise.all([get(), get()])
    expect(one).to.equal(other).and.to.deep.equal({ n: 1 })
    expect(await get()).to.equal(one)
  })

  it('fails for all who ask meanwhile, and tries again for the next', async () => {
    let count = 0
    const get = onFirstUse(() => {
      count += 1
      return count === 1 ? Promise.reject(new Error('away')) : Promise.resolve(count)
    })
    const failures = await Promise.allSettled([get(), get()])
    expect(failures.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected'])
    expect(await get()).to.equal(2)
  })
})
