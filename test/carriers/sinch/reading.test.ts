import { expect } from 'chai'
import { sinch } from '../../../src/carriers/sinch/sinch.js'
import { readItem } from '../../helpers/read-callback.js'

const report = (status: string, code = 0) => ({
  type: 'recipient_delivery_report_sms',
  batch_id: 'b1',
  ...{ status, code },
})

describe('what Sinch calls with', () => {
  for (const [state, status] of [
    ['Dispatched', 'sent'],
    ['Delivered', 'delivered'],
    ['Unknown', 'sent'],
    ['Expired', 'failed'],
  ] as const) {
    it(`${state} is ${status}`, () => {
      expect(readItem(sinch, report(state))).to.include({ kind: 'receipt', id: 'b1', status })
    })
  }

  it('a media message whose media could not be fetched brings its text', () => {
    const media = [{ status: 'Failed', code: 404, content_type: 'image/png' }]
    const event = { type: 'mo_media', id: 'i1', from: '1', to: '2', body: { message: 'Look', media } }
    expect(readItem(sinch, event)).to.deep.include({ kind: 'message', text: 'Look', mediaUrls: [] })
  })

  it('a binary message is unclear, and so is a summary of a batch', () => {
    for (const type of ['mo_binary', 'delivery_report_sms'])
      expect(readItem(sinch, { type, id: 'i1', batch_id: 'b1' })).to.include({ kind: 'unclear' })
  })
})
