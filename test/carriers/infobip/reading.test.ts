import { expect } from 'chai'
import { infobip } from '../../../src/carriers/infobip/infobip.js'
import { readItem } from '../../helpers/read-callback.js'

/** A report as in https://www.infobip.com/docs/api/channels/sms/outbound-sms/receive-outbound-sms-message-reports */
const report = (groupName: string, name: string, error = { groupId: 0, name: 'NO_ERROR' }) => ({
  messageId: 'm1',
  status: { groupName, name, description: 'as the status says' },
  error: { ...error, description: 'as the error says' },
})

describe('what Infobip reports', () => {
  for (const [group, name, status] of [
    ['ACCEPTED', 'MESSAGE_ACCEPTED', 'sent'],
    ['PENDING', 'PENDING_ENROUTE', 'sent'],
    ['DELIVERED', 'DELIVERED_TO_OPERATOR', 'sent'],
    ['DELIVERED', 'DELIVERED_TO_HANDSET', 'delivered'],
    ['EXPIRED', 'EXPIRED_EXPIRED', 'failed'],
    ['EXPIRED', 'EXPIRED_DLR_UNKNOWN', 'sent'],
    ['UNDELIVERABLE', 'UNDELIVERABLE_NOT_DELIVERED', 'failed'],
  ] as const) {
    it(`${name} is ${status}`, () => {
      expect(readItem(infobip, report(group, name))).to.include({ kind: 'receipt', id: 'm1', status })
    })
  }

  it('says why by the error, and by the status where Infobip itself refuses', () => {
    const absent = report('UNDELIVERABLE', 'UNDELIVERABLE_NOT_DELIVERED', { groupId: 1, name: 'EC_ABSENT' })
    expect(readItem(infobip, absent)).to.include({ code: 'EC_ABSENT', said: 'as the error says' })
    const refused = report('REJECTED', 'REJECTED_DESTINATION_BLOCKLISTED')
    expect(readItem(infobip, refused)).to.include({ code: 'REJECTED_DESTINATION_BLOCKLISTED' })
  })

  it('a group that nobody knows is unclear', () => {
    expect(readItem(infobip, report('SOMETHING', 'NEW'))).to.include({ kind: 'unclear' })
  })
})
