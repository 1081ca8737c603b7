import { expect } from 'chai'
import { getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js'
import { AUTH_TOKEN, newSid } from '../../carriers/twilio/stand-in.js'
import { ANNA } from '../../domain/fixtures.js'
import { createLine } from '../../helpers/factories.js'
import { describeWith } from '../../helpers/suite.js'
import { inboundOf, PUBLIC_URL, serveTwilio } from './support.js'

const MEDIA = 'https://api.twilio.com/2010-04-01/Accounts/AC/Messages/MM/Media/ME'
const NOTHING = '<?xml version="1.0" encoding="UTF-8"?><Response></Response>'

describeWith('what Twilio brings to a line', serveTwilio, (side) => {
  beforeEach(() => side.context.db('messages').delete())

  const message = (fields: Record<string, string>) => {
    const sid = newSid('SM')
    return {
      MessageSid: sid,
      SmsSid: sid,
      From: ANNA,
      To: side.line.number,
      NumMedia: '0',
      Body: '',
      ...fields,
    }
  }

  it('a text to a number of a Messaging Service: to the line of the number, or else to that of the service', async () => {
    const number = `MG${'0123456789abcdef'.repeat(2)}`
    const service = await createLine(side.context, { carrierAccount: 'twilio', number })
    const to = ['+15550008888', side.line.number]
    for (const To of to) await side.call('message', message({ To, Body: To, MessagingServiceSid: number }))
    const rows = await side.context.db('messages').orderBy('id').select<object[]>('line_id', 'text')
    expect(rows).to.deep.equal([
      { line_id: service.lineId, text: to[0] },
      { line_id: side.line.lineId, text: to[1] },
    ])
  })

  it('a text or a call to a Mexican number with the old 1, also of a Messaging Service', async () => {
    const number = `MG${'fedcba9876543210'.repeat(2)}`
    await createLine(side.context, { carrierAccount: 'twilio', number })
    const mexican = await createLine(side.context, { carrierAccount: 'twilio', number: '+525587654321' })
    const sent = message({ To: '+5215587654321', MessagingServiceSid: number })
    expect(await side.call('message', sent)).to.include({ status: 200 })
    expect(await side.context.db('messages').pluck<string[]>('line_id')).to.deep.equal([mexican.lineId])
    expect(await side.call('voice', { From: ANNA, To: '+5215587654321', CallSid: newSid('CA') })).to.include({
      status: 200,
    })
  })

  it('a text, answered with TwiML that says nothing', async () => {
    const text = 'Zoë said "hi" & left + 🙂\n'
    const sent = message({ Body: text })
    expect(await side.call('message', sent)).to.deep.equal({
      status: 200,
      type: 'text/xml; charset=utf-8',
      text: NOTHING,
    })
    expect(await inboundOf(side)).to.deep.equal([
      { carrier_message_id: sent.MessageSid, type: 'text', from_number: ANNA, text, source_url: null },
    ])
    const events = await side.context.db('events').where({ payload: text }).select<object[]>('type')
    expect(events).to.deep.equal([{ type: 'inboundText' }])
  })

  it('a text that is not UTF-8 with U+FFFD in it: refused, it would be lost', async () => {
    const sent = message({ Body: 'B\ufffdro' })
    const answer = await side.web.post(
      `/carriers/twilio/${side.account.id}/message`,
      new URLSearchParams(sent).toString().replace('B%EF%BF%BDro', 'B%FCro'),
      { 'X-Twilio-Signature': getExpectedTwilioSignature(AUTH_TOKEN, side.urlOf('message'), sent) },
    )
    expect(answer).to.include({ status: 200, text: NOTHING })
    expect((await inboundOf(side)).map(({ text }) => text)).to.deep.equal(['B\ufffdro'])
  })

  it('a text with media as one message, once', async () => {
    const sent = message({ Body: 'Look', NumMedia: '2', MediaUrl0: `${MEDIA}0`, MediaUrl1: `${MEDIA}1` })
    await side.call('message', sent)
    await side.call('message', sent)
    expect(
      (await inboundOf(side)).map(({ carrier_message_id: id, text, source_url: url }) => [id, text, url]),
    ).to.deep.equal([
      [sent.MessageSid, 'Look', `${MEDIA}0`],
      [sent.MessageSid, 'Look', `${MEDIA}1`],
    ])
  })

  it('media alone, without a text that nobody wrote', async () => {
    const sent = message({ NumMedia: '1', MediaUrl0: MEDIA })
    await side.call('message', sent)
    expect(await inboundOf(side)).to.deep.equal([
      {
        carrier_message_id: sent.MessageSid,
        type: 'media',
        from_number: ANNA,
        text: null,
        source_url: MEDIA,
      },
    ])
  })

  it('an empty text, which somebody sent all the same', async () => {
    await side.call('message', message({ Body: '' }))
    expect(await inboundOf(side)).to.have.length(1)
  })

  it('a text from a short code, and from a name', async () => {
    for (const From of ['72975', 'MYBANK'])
      await side.call('message', message({ From, Body: 'Your code is 1234' }))
    expect((await inboundOf(side)).map(({ from_number: from }) => from)).to.deep.equal(['72975', 'MYBANK'])
  })

  describe('a call', () => {
    const call = (From: string = ANNA) => ({
      CallSid: newSid('CA'),
      From,
      To: side.line.number,
      CallStatus: 'ringing',
    })
    const recorded = (fields: Record<string, string> = {}) => ({
      CallSid: newSid('CA'),
      RecordingSid: newSid('RE'),
      RecordingUrl: 'https://api.twilio.com/2010-04-01/Accounts/AC/Recordings/RE1',
      RecordingStatus: 'completed',
      RecordingDuration: '7',
      ...fields,
    })

    /** The URLs that the voice callback's TwiML names. */
    async function answer(from: string = ANNA): Promise<{ action: string; recording: string; text: string }> {
      const { status, type, text } = await side.call('voice', call(from))
      expect([status, type]).to.deep.equal([200, 'text/xml; charset=utf-8'])
      const urlIn = (name: string) =>
        (new RegExp(` ${name}="([^"]*)"`).exec(text)?.[1] ?? '').replaceAll('&amp;', '&')
      return { action: urlIn('action'), recording: urlIn('recordingStatusCallback'), text }
    }

    const nameIn = (url: string) =>
      url.slice(`${PUBLIC_URL}/carriers/twilio/${side.account.id}/`.length) as `recording?${string}`

    it('is greeted in the account’s words and recorded, and hung up when that is over', async () => {
      const { action, text } = await answer()
      expect(text).to.match(/<Response><Say>You &amp; me<\/Say><Record .*\/><Hangup\/><\/Response>$/)
      expect(action).to.match(new RegExp(`^${PUBLIC_URL}/`))
      const over = await side.call(nameIn(action), { ...call(), RecordingUrl: 'https://x' })
      expect(over).to.include({ status: 200 })
      expect(over.text).to.contain('<Response><Hangup/></Response>')
      expect(await inboundOf(side)).to.deep.equal([])
    })

    it('leaves a voicemail of who called, once', async () => {
      const { recording } = await answer()
      const fields = recorded()
      for (let n = 0; n < 2; n += 1) {
        expect(await side.call(nameIn(recording), fields)).to.include({ status: 200, text: NOTHING })
      }
      expect(await inboundOf(side)).to.deep.equal([
        {
          carrier_message_id: fields.RecordingSid,
          type: 'voicemail',
          from_number: ANNA,
          text: null,
          source_url: `${fields.RecordingUrl}.mp3`,
        },
      ])
    })

    it('leaves none when it is silent, not over or has failed', async () => {
      const { recording } = await answer()
      for (const fields of [
        { RecordingDuration: '0' },
        { RecordingStatus: 'in-progress' },
        { RecordingStatus: 'absent' },
        { RecordingUrl: '' },
        { RecordingSid: '' },
      ] as Record<string, string>[]) {
        const called = await side.call(nameIn(recording), recorded(fields))
        expect(called, JSON.stringify(fields)).to.include({ status: 200 })
      }
      expect(await inboundOf(side)).to.deep.equal([])
    })

    it('leaves its voicemail also when nobody knows who called', async () => {
      const { recording } = await answer('anonymous')
      await side.call(nameIn(recording), recorded())
      expect((await inboundOf(side)).map(({ from_number: from }) => from)).to.deep.equal(['anonymous'])
    })

    it('cannot leave a voicemail of somebody else', async () => {
      const { recording } = await answer()
      const fields = recorded()
      const other = nameIn(recording.replace(encodeURIComponent(ANNA), '%2B15005550666'))
      const signature = getExpectedTwilioSignature(AUTH_TOKEN, recording, fields)
      expect(await side.call(other, fields, { signature })).to.include({ status: 403 })
    })
  })
})
