import { expect } from 'chai'
import { StartRefused, whyNotPrepared } from '../../../dev/start/start.js'
import { DatabaseUnavailable } from '../../../src/database/outage.js'
import { Unavailable } from '../../../src/errors.js'

describe('linehook start, while it prepares the database', () => {
  it('names the log of the embedded Postgres when that has ended, and does not advise to start it', () => {
    const refused = whyNotPrepared(new DatabaseUnavailable('lost', new Error('Connection terminated')))
    expect(refused)
      .to.be.instanceOf(StartRefused)
      .with.property('message')
      .that.matches(/^The embedded Postgres ended.*postgres\.log/)
  })

  it('leaves any other error as it is', () => {
    for (const error of [new Error('a migration is broken'), new Unavailable('Redis is not available')])
      expect(whyNotPrepared(error)).to.equal(error)
  })
})
