import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { receiveMissedCall } from '../../../src/domain/messages/missed-calls.js'
import { describeContext } from '../../helpers/context.js'
import { createLine } from '../../helpers/factories.js'

const ASKING = { outgoingUrl: 'http://127.0.0.1:9/', optInEvents: ['missedCall'] }

describeContext('a missed call', (context) => {
  it('is of a number that can be answered, also if a network writes it with the 1 of old', async () => {
    const line = await createLine(context, { ...ASKING, number: '+525587654321' })
    const call = { fromNumber: '+5215512345678', toNumber: '+5215587654321', calledAt: new Date() }
    await receiveMissedCall(context, 'simulator', call)
    const events = await context
      .db('events')
      .where({ line_id: line.lineId })
      .select('from_number', 'to_number')
    expect(events).to.deep.equal([{ from_number: '+525512345678', to_number: '+525587654321' }])
  })

  it('of a caller that no index holds, or with a NUL character, is an event, once', async () => {
    const line = await createLine(context, ASKING)
    for (const fromNumber of [randomBytes(3000).toString('base64'), 'Anna\0']) {
      const call = { fromNumber, toNumber: `${line.number}\0`, calledAt: new Date() }
      await receiveMissedCall(context, 'simulator', call)
      await receiveMissedCall(context, 'simulator', call)
    }
    expect(await context.db('events').where({ line_id: line.lineId })).to.have.length(2)
  })
})
