import { expect } from 'chai'
import { changeConnection } from '../../../src/domain/lines/connections.js'
import { newId } from '../../../src/ids.js'
import { newSid } from '../../carriers/twilio/stand-in.js'
import { messageRow, queueMessage, toldReasons } from '../../domain/fixtures.js'
import { describeWith } from '../../helpers/suite.js'
import { serveTwilio, type TwilioSide } from './support.js'

describeWith("Twilio's reports on sent messages", serveTwilio, (side) => {
  /** A message that Twilio has taken; its SID is known unless nobody heard of it. */
  async function sent(fields: Record<string, unknown> = {}): Promise<{ id: string; sid: string }> {
    const sid = newSid('SM')
    const id = await queueMessage(side.context, side.line, {
      status: 'sent',
      carrier_message_id: sid,
      ...fields,
    })
    if (fields.carrier_message_id !== null) {
      await side.context
        .db('carrier_message_ids')
        .insert({ carrier: 'twilio', carrier_message_id: sid, message_id: id })
    }
    return { id, sid }
  }

  async function report(
    { id, sid }: { id?: string; sid: string },
    status: string,
    fields: Record<string, string> = {},
    options: Parameters<TwilioSide['call']>[2] = {},
  ): Promise<void> {
    const called = await side.call(
      id === undefined ? 'status' : `status?messageId=${id}`,
      { MessageSid: sid, SmsSid: sid, MessageStatus: status, ...fields },
      options,
    )
    expect(called.status).to.equal(200)
  }

  const stateOf = async (id: string) => {
    const { status, error } = await messageRow(side.context, id)
    return { status, error }
  }

  it('make it delivered', async () => {
    const message = await sent()
    await report(message, 'delivered')
    expect(await stateOf(message.id)).to.deep.equal({ status: 'delivered', error: null })
  })

  for (const [status, code, error] of [
    ['undelivered', '30003', 'the phone cannot be reached: it is off or has no service'],
    ['undelivered', '30007', 'Twilio or the carrier filtered the message as unwanted'],
    ['failed', '21610', 'the recipient has opted out (STOP)'],
    ['failed', '39999', 'Twilio reports it as failed'],
    ['undelivered', '', 'Twilio reports it as undelivered'],
    ['canceled', '', 'Twilio reports it as canceled'],
  ] as const) {
    it(`make it failed by ${status} ${code}, in words`, async () => {
      const message = await sent()
      await report(message, status, code === '' ? {} : { ErrorCode: code })
      expect(await stateOf(message.id)).to.deep.equal({ status: 'failed', error })
    })
  }

  it('tell what their code means', async () => {
    const { userId, lineId } = side.line
    await changeConnection(side.context, userId, lineId, { optInEvents: ['messageStatus'] })
    await report(await sent(), 'undelivered', { ErrorCode: '30003' })
    expect(await toldReasons(side.context, lineId)).to.deep.equal(['unreachable'])
    await changeConnection(side.context, userId, lineId, { optInEvents: [] })
  })

  it('say nothing new before it is sent, nor in words that nobody knows', async () => {
    const message = await sent({ status: 'unknown' })
    for (const status of [
      'accepted',
      'queued',
      'sending',
      'scheduled',
      'received',
      '',
      'constructor',
      'DELIVERED',
    ]) {
      await report(message, status)
    }
    expect(await stateOf(message.id)).to.include({ status: 'unknown' })
  })

  it('find a message whose SID nobody has heard, by our own id in the URL', async () => {
    for (const status of ['unknown', 'sending']) {
      const message = await sent({ status, carrier_message_id: null })
      await report(message, 'sent')
      expect(await messageRow(side.context, message.id), status).to.include({
        status: 'sent',
        carrier_message_id: message.sid,
      })
      await report({ sid: message.sid }, 'delivered')
      expect((await stateOf(message.id)).status, 'by its SID from then on').to.equal('delivered')
    }
  })

  it('do nothing for nobody: an unknown SID, an id that is none', async () => {
    const ids = [undefined, newId(), 'x', '%00', '%27']
    await Promise.all([
      report({ sid: '' }, 'delivered'),
      ...ids.map((id) => report({ ...(id !== undefined && { id }), sid: newSid('SM') }, 'delivered')),
    ])
  })

  it('believe the SID where the id in the URL is of another message', async () => {
    const [message, other] = [await sent(), await sent()]
    await report({ id: other.id, sid: message.sid }, 'delivered')
    expect((await stateOf(message.id)).status).to.equal('delivered')
    expect((await stateOf(other.id)).status).to.equal('sent')
  })
})
