import { expect } from 'chai'
import { messagemedia } from '../../../src/carriers/messagemedia/messagemedia.js'
import { readItem } from '../../helpers/read-callback.js'

describe('what MessageMedia brings', () => {
  it('an MMS by a template without attachments is kept for operators, and its text comes in', () => {
    const reply = {
      type: 'MMS',
      reply_id: 'r1',
      source_number: '+61491570156',
      destination_number: '+61491593156',
    }
    expect(readItem(messagemedia, reply)).to.have.nested.property('[0].kind', 'unclear')
    const kinds = [readItem(messagemedia, { ...reply, content: 'Look' })].flat().map((each) => each?.kind)
    expect(kinds).to.deep.equal(['message', 'unclear'])
    const text = readItem(messagemedia, { ...reply, type: 'SMS', content: 'Hello' })
    expect([text].flat().map((each) => each?.kind)).to.deep.equal(['message'])
  })

  for (const [status, read] of [
    ['queued', 'nothing'],
    ['scheduled', 'nothing'],
    ['processed', 'nothing'],
    ['enroute', 'nothing'],
    ['submitted', 'sent'],
    ['delivered', 'delivered'],
    ['expired', 'failed'],
    ['rejected', 'failed'],
    ['failed', 'failed'],
    ['undeliverable', 'failed'],
    ['cancelled', 'failed'],
  ] as const) {
    it(`a report with any status of its schema: ${status} is ${read}`, () => {
      const report = { message_id: 'm1', delivery_report_id: 'd1', status, error_code: '400' }
      const expected = read === 'nothing' ? { kind: 'nothing' } : { kind: 'receipt', id: 'm1', status: read }
      expect(readItem(messagemedia, report)).to.include(expected)
    })
  }
})
