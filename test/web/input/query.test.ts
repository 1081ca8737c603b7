import { expect } from 'chai'
import { momentParameter, numberParameter } from '../../../src/web/input/query.js'

describe('a parameter of a query', () => {
  it('has a space where a program forgot to write its plus sign as %2B', async () => {
    const moment = await momentParameter().validate('2026-11-21T13:00:00 02:00')
    expect(moment).to.deep.equal(new Date('2026-11-21T11:00:00Z'))
    expect(await numberParameter().validate(' 15551234567')).to.equal('+15551234567')
  })

  it('is refused however long it is, before others have waited for long', async () => {
    // With an expression that takes the square of the length, this is not done before the test is given up.
    for (const written of ['x'.repeat(500_000), `T${' '.repeat(500_000)}`, ' 10:00'.repeat(100_000)]) {
      const reason = await momentParameter().validate(written).catch(String)
      expect(reason).to.match(/must be a time such as/)
    }
  })
})
