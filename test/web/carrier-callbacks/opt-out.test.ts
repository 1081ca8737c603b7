import { expect } from 'chai'
import { CarrierRejected } from '../../../src/carriers/carrier.js'
import { changeConnection } from '../../../src/domain/lines/connections.js'
import { sendMessage } from '../../../src/domain/messages/send.js'
import { newSid } from '../../carriers/twilio/stand-in.js'
import { messageRow, queueMessage, withCarrier } from '../../domain/fixtures.js'
import { createLine, messageBody } from '../../helpers/factories.js'
import { describeWith } from '../../helpers/suite.js'
import { newNumber } from '../support.js'
import { serveTwilio } from './support.js'

describeWith('opt-outs that Twilio knows of', serveTwilio, (side) => {
  let number: string

  before(async () => {
    // So that we would answer, if Twilio had not.
    await side.context.db('carrier_accounts').update({ handles_opt_out: false })
    const { userId, lineId } = side.line
    await changeConnection(side.context, userId, lineId, { optInEvents: ['optOut'] })
  })
  beforeEach(() => {
    number = newNumber()
  })

  const bring = (fields: Record<string, string>) =>
    side.call('message', {
      MessageSid: newSid('SM'),
      From: number,
      To: side.line.number,
      NumMedia: '0',
      ...fields,
    })
  const post = async (line = side.line) => {
    const { status, body } = await side.web.post(
      line.webhookPath.replace('/phone', ''),
      messageBody({ toNumber: number }),
    )
    return [status, body]
  }
  const answers = () =>
    side.context.db('messages').where({ to_number: number, source: 'service' }).pluck<string[]>('text')
  const announced = () =>
    side.context.db('events').where({ type: 'optOut', from_number: number }).orderBy('id').pluck('payload')

  const REFUSED = [403, { success: false, error: 'Recipient has opted out' }]
  const ACCEPTED = [200, { success: true }]

  it('by OptOutType: in words that only Twilio was taught, and without an answer of ours', async () => {
    await bring({ Body: 'Arrêtez', OptOutType: 'STOP' })
    expect(await post()).to.deep.equal(REFUSED)
    await bring({ Body: 'Aidez-moi', OptOutType: 'HELP' })
    expect(await post()).to.deep.equal(REFUSED)
    await bring({ Body: 'Commencez', OptOutType: 'START' })
    expect(await post()).to.deep.equal(ACCEPTED)
    expect(await answers()).to.deep.equal([])
    expect(await announced()).to.deep.equal(['optedOut', 'optedIn'])
  })

  it('are answered by us where Twilio did not', async () => {
    await bring({ Body: 'STOP' })
    expect(await answers()).to.have.length(1)
  })

  it('by the refusal of a message (21610), for this number on this line', async () => {
    const id = await queueMessage(side.context, side.line, { to_number: number })
    const refuse = () => Promise.reject(new CarrierRejected('unsubscribed', '21610', true))
    await sendMessage(withCarrier(side.context, refuse), id)
    expect(await messageRow(side.context, id)).to.include({ status: 'failed', carrier_code: '21610' })
    expect(await post()).to.deep.equal(REFUSED)
    expect(await announced()).to.deep.equal(['optedOut'])
    const other = await createLine(side.context, { carrierAccount: 'twilio' })
    expect(await post(other)).to.deep.equal(ACCEPTED)
    await bring({ Body: 'START', OptOutType: 'START' })
    expect(await post()).to.deep.equal(ACCEPTED)
  })

  it('by a report on a message (21610), once', async () => {
    const sid = newSid('SM')
    const id = await queueMessage(side.context, side.line, {
      to_number: number,
      status: 'sent',
      carrier_message_id: sid,
    })
    for (let n = 0; n < 2; n += 1) {
      await side.call(`status?messageId=${id}`, {
        MessageSid: sid,
        MessageStatus: 'failed',
        ErrorCode: '21610',
      })
    }
    expect(await post()).to.deep.equal(REFUSED)
    expect(await announced()).to.deep.equal(['optedOut'])
    expect(await answers()).to.deep.equal([])
  })

  it('are not what any other failure says', async () => {
    const id = await queueMessage(side.context, side.line, { to_number: number })
    const refuse = () => Promise.reject(new CarrierRejected('blocked', '30004'))
    await sendMessage(withCarrier(side.context, refuse), id)
    expect(await post()).to.deep.equal(ACCEPTED)
  })
})
