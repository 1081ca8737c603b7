import { expect } from 'chai'
import { createConnectionTrust } from '../../src/database/connection-trust.js'

describe('the trust in a connection of the pool', () => {
  let time = 0
  const setUp = () => {
    const trust = createConnectionTrust(() => time)
    const heardAt = (at: number) => {
      const connection = {}
      time = at
      trust.noteAnswer(connection)
      return connection
    }
    return { trust, heardAt }
  }

  it('ends where nothing has come since a statement was sent on one that is dead', () => {
    const { trust, heardAt } = setUp()
    const [before, dead, after] = [heardAt(10), heardAt(20), heardAt(30)]
    trust.noteDead(dead, 25)
    expect([before, dead, after].map(trust.mayBeLent)).to.deep.equal([false, false, true])
    expect([before, dead, after].map(trust.isDead)).to.deep.equal([false, true, false])
  })

  it('does not come back for others when one that was asked earlier turns out dead later', () => {
    const { trust, heardAt } = setUp()
    const connection = heardAt(10)
    trust.noteDead({}, 20)
    trust.noteDead({}, 5)
    expect(trust.mayBeLent(connection)).to.equal(false)
  })

  it('returns when something comes, and one that was just opened has it', () => {
    const { trust, heardAt } = setUp()
    const connection = heardAt(10)
    trust.noteDead({}, 20)
    expect(trust.mayBeLent({})).to.equal(true)
    time = 30
    trust.noteAnswer(connection)
    expect(trust.mayBeLent(connection)).to.equal(true)
  })

  it('ends after a failover for all from before, and for good for the one whose server is read-only', () => {
    const { trust, heardAt } = setUp()
    const [other, old] = [heardAt(10), heardAt(20)]
    trust.noteOtherServer(old)
    expect([other, old].map(trust.mayBeLent)).to.deep.equal([false, false])
    time = 30
    for (const each of [other, old]) trust.noteAnswer(each)
    expect([other, old].map(trust.mayBeLent)).to.deep.equal([true, false])
  })
})
