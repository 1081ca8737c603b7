import { expect } from 'chai'
import { openForEachTest } from '../../helpers/suite.js'
import { openTwilio } from './carrier.js'
import { newSid, type StandInMessage } from './stand-in.js'

const signal = () => new AbortController().signal
const claimedAt = new Date('2026-11-21T12:00:00.400Z')
const FROM = '+15550000001'
const TO = '+15005550199'

describe('what Twilio has of a message', () => {
  const opened = openForEachTest(openTwilio)

  /** @param afterSeconds counted from when the message was handed over */
  function has(afterSeconds: number, fields: Partial<StandInMessage> = {}): string {
    const message = {
      sid: newSid('SM'),
      from: FROM,
      to: TO,
      body: 'Hello',
      mediaUrls: [],
      statusCallback: '',
      status: 'queued',
      direction: 'outbound-api',
      error_code: null,
      error_message: null,
      date_created: new Date(claimedAt.getTime() + afterSeconds * 1000).toUTCString(),
      ...fields,
    }
    opened.standIn.messages.push(message)
    return message.sid
  }

  function find(text: string | null = 'Hello') {
    return opened.carrier.findSent?.({ fromNumber: FROM, toNumber: TO, text, claimedAt }, signal())
  }

  it('is nothing where it has nothing', async () => {
    expect(await find()).to.deep.equal([])
  })

  it('is every record with its text and numbers since then, oldest first', async () => {
    const first = has(-0.4)
    has(1, { body: 'Something else' })
    has(1, { to: '+15005550198' })
    has(1, { direction: 'inbound' })
    const second = has(2)
    expect(await find()).to.deep.equal([
      { carrierMessageId: first, status: 'sent' },
      { carrierMessageId: second, status: 'sent' },
    ])
  })

  it('is not what is older, by more than clocks differ, nor what came long after', async () => {
    has(-15)
    const close = has(-8)
    has(400)
    expect((await find())?.map(({ carrierMessageId }) => carrierMessageId)).to.deep.equal([close])
  })

  it('is found behind a page of newer ones', async () => {
    const sid = has(1)
    for (let n = 0; n < 150; n += 1) has(600 + n, { body: 'Newer' })
    expect((await find())?.map(({ carrierMessageId }) => carrierMessageId)).to.deep.equal([sid])
    expect(opened.standIn.requests).to.have.length(2)
  })

  it('is not looked for on older pages', async () => {
    for (let n = 0; n < 150; n += 1) has(-600 + n)
    expect(await find()).to.deep.equal([])
    expect(opened.standIn.requests).to.have.length(1)
  })

  it('is a text of a trial account, which begins with a notice, and media without a text', async () => {
    const trial = has(1, { body: 'Sent from your Twilio trial account - Hello' })
    const media = has(1, { body: '' })
    expect((await find())?.map(({ carrierMessageId }) => carrierMessageId)).to.deep.equal([trial])
    expect((await find(null))?.map(({ carrierMessageId }) => carrierMessageId)).to.deep.equal([media])
  })

  for (const [status, expected] of [
    ['accepted', { status: 'sent' }],
    ['sending', { status: 'sent' }],
    ['sent', { status: 'sent' }],
    ['delivered', { status: 'delivered' }],
    ['read', { status: 'delivered' }],
    ['canceled', { status: 'failed', error: 'Twilio reports it as canceled' }],
  ] as const) {
    it(`is ${expected.status} where Twilio says ${status}`, async () => {
      const sid = has(1, { status })
      expect(await find()).to.deep.equal([{ carrierMessageId: sid, ...expected }])
    })
  }

  it('is failed with the code and its words', async () => {
    const known = has(1, { status: 'undelivered', error_code: 30_003 })
    const unknown = has(2, { status: 'failed', error_code: 39_999, error_message: `No route to ${TO}` })
    expect(await find()).to.deep.equal([
      {
        carrierMessageId: known,
        status: 'failed',
        error: 'the phone cannot be reached: it is off or has no service',
        carrierCode: '30003',
      },
      { carrierMessageId: unknown, status: 'failed', error: 'No route to [number]', carrierCode: '39999' },
    ])
  })
})
