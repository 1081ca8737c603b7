import { expect } from 'chai'
import { clickatell } from '../../../src/carriers/clickatell.js'
import { meaningOf } from '../../../src/carriers/kit/refusals.js'
import { readItem } from '../../helpers/read-callback.js'

const report = (statusCode: number, status: string) => ({
  kind: 'messageStatusUpdate',
  item: { channel: 'sms', messageId: 'm1', statusCode, status },
})

describe('what Clickatell reports', () => {
  for (const [number, name, status] of [
    [4, 'SENT_TO_SUPPLIER', 'sent'],
    [5, 'DEVICE_ACK', 'delivered'],
    [24, 'EMULATED', 'sent'],
    [23, 'DELIVERY_FAILURE', 'failed'],
    [85, 'ONE_OF_THE_FUTURE', 'failed'],
  ] as const) {
    it(`${name} is ${status}`, () => {
      const read = readItem(clickatell, report(number, name))
      expect(read).to.include({ kind: 'receipt', id: 'm1', status, code: name })
    })
  }

  it('a state is not taken for the error that has the same number', () => {
    const read = readItem(clickatell, report(26, 'VOLUME_LIMIT')) as { code: string }
    expect(meaningOf(clickatell.codes ?? {}, '26')).to.equal('opted_out')
    expect(meaningOf(clickatell.codes ?? {}, read.code)).to.equal(undefined)
  })

  it('a channel that is not active on the integration is a fault of the account', () => {
    for (const code of ['38', '39']) expect(meaningOf(clickatell.codes ?? {}, code)).to.equal('account')
  })

  it('what is of no SMS, or of a kind that nobody knows, is unclear', () => {
    const chat = { channel: 'whatsapp', messageId: 'm1', from: '1', to: '2', content: 'hi' }
    for (const item of [
      { kind: 'moText', item: chat },
      { kind: 'moLocation', item: {} },
    ])
      expect(readItem(clickatell, item)).to.include({ kind: 'unclear' })
  })
})
