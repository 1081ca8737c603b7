import { expect } from 'chai'
import { bird } from '../../../src/carriers/bird/bird.js'
import { newId } from '../../../src/ids.js'
import { readItem } from '../../helpers/read-callback.js'

/** An event of Bird's, with its cost as `EventSmsBase` of @messagebird/sdk has it. */
const event = (type: string, cost: object | null, more: object = {}) => ({
  type,
  timestamp: '2026-11-28T01:00:00Z',
  data: {
    ...{ sms_id: 'sms_01', workspace_id: 'ws_01', to: '+13125550199', from: '+15557654321', tags: null },
    ...{ metadata: null, cost, ...more },
  },
})

const cost = (amount: string, transaction: string | null, passthrough: string | null) => ({
  ...{ amount, currency_code: 'USD' },
  ...{ transaction_amount: transaction, passthrough_amount: passthrough },
})

describe('what Bird reports', () => {
  it('that it has accepted a message, with the price and the segments that it bills', () => {
    const segments = { count: 2, encoding: 'GSM_7BIT', characters: 200 }
    const messageId = newId()
    const accepted = event('sms.accepted', cost('0.01500', '0.01500', null), {
      segments,
      metadata: { linehook_message_id: messageId },
    })
    expect(readItem(bird, accepted)).to.deep.include({
      ...{ kind: 'receipt', id: 'sms_01', status: 'sent', messageId },
      charge: { price: '0.01500', currency: 'USD', segmentCount: 2 },
    })
  })

  it('a price that includes the fees of networks', () => {
    const sent = readItem(bird, event('sms.sent', cost('0.01800', '0.01500', '0.00300')))
    expect(sent).to.have.deep.property('charge', { price: '0.01800', currency: 'USD' })
  })

  it('the fee of a network alone, which does not replace the price of the message', () => {
    const sent = readItem(bird, event('sms.sent', cost('0.00300', null, '0.00300')))
    expect(sent).to.include({ kind: 'receipt', status: 'sent', charge: undefined })
  })
})
