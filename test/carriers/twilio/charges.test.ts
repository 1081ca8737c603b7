import { expect } from 'chai'
import { openForEachTest } from '../../helpers/suite.js'
import { openTwilio } from './carrier.js'
import { newSid, type StandInMessage } from './stand-in.js'

describe('what Twilio says that messages cost', () => {
  const opened = openForEachTest(openTwilio)

  function has(minutesAgo: number, fields: Partial<StandInMessage> = {}): string {
    const message = {
      ...{ sid: newSid('SM'), from: '+15550000001', to: '+15005550199', body: 'Hello', mediaUrls: [] },
      ...{ statusCallback: '', status: 'delivered', direction: 'outbound-api', error_code: null },
      ...{ error_message: null, price: null, price_unit: 'USD', num_segments: '1' },
      date_created: new Date(Date.now() - minutesAgo * 60_000).toUTCString(),
      ...fields,
    }
    opened.standIn.messages.push(message)
    return message.sid
  }

  async function list(minutesAgo: number) {
    const since = new Date(Date.now() - minutesAgo * 60_000)
    const found = []
    const signal = AbortSignal.timeout(20_000)
    for await (const batch of opened.carrier.listCharges?.(since, signal) ?? []) found.push(...batch)
    return found.map(({ carrierMessageId, charge, isFinal }) => ({ carrierMessageId, charge, isFinal }))
  }

  it('is in its list, below zero, with the number of segments, and may still come', async () => {
    const late = has(25 * 60)
    const failed = has(60, { status: 'undelivered', num_segments: '0' })
    const priced = has(30, { price: '-0.01580', num_segments: '2' })
    has(20, { direction: 'inbound', price: '-0.00750' })
    const open = has(10)
    const segments = { segmentCount: 1 }
    expect(await list(26 * 60)).to.have.deep.members([
      { carrierMessageId: open, charge: segments, isFinal: false },
      {
        carrierMessageId: priced,
        charge: { price: '0.01580', currency: 'USD', segmentCount: 2 },
        isFinal: true,
      },
      { carrierMessageId: failed, charge: undefined, isFinal: true },
      { carrierMessageId: late, charge: segments, isFinal: true },
    ])
  })

  it('is not read on pages that are older than asked', async () => {
    for (let n = 0; n < 250; n += 1) has(n)
    expect(await list(50)).to.have.length(100)
  })
})
