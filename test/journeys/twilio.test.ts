import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { freePort } from '../../dev/services/free-port.js'
import { createApiToken } from '../../src/domain/people/api-tokens.js'
import { addCarrierAccount, getCarrierAccount } from '../../src/domain/carriers/carrier-accounts.js'
import { findCarrierClient } from '../../src/domain/carriers/carrier-clients.js'
import { postSigned } from '../carriers/twilio/callbacks.js'
import {
  ACCOUNT_SID,
  AUTH_TOKEN,
  newSid,
  startTwilio,
  type StandInMessage,
} from '../carriers/twilio/stand-in.js'
import { messageRow } from '../domain/fixtures.js'
import { MEDIA } from '../domain/media-samples.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { startProcess } from '../helpers/process/processes.js'
import { startStandIn } from '../helpers/services/stand-in.js'
import { openForSuite } from '../helpers/suite.js'
import { until } from '../helpers/until.js'
import { describeInstallation } from './support/installation.js'
import { numbers, post } from './support/steps.js'

const PNG = MEDIA.picture.png!
const MP3 = MEDIA.recording.mp3!
const [ANNA = '', BEN = '', CLEO = ''] = numbers(3)

const SETUP = {
  processes: ['maintenance', 'web'],
  workers: ['send-message', 'deliver-event', 'fetch-media'],
  environment: async () => {
    const PORT = String(await freePort())
    return { PORT, PUBLIC_URL: `http://127.0.0.1:${PORT}` }
  },
} as const

describeInstallation('journey: a line at Twilio', SETUP, ({ environment, context, receiver, running }) => {
  const twilio = openForSuite(startTwilio)
  let line: TestLine

  before(async () => {
    await addCarrierAccount(context, {
      name: 'twilio',
      kind: 'twilio',
      settings: { accountSid: ACCOUNT_SID, authToken: AUTH_TOKEN, apiUrl: twilio.url },
      messagesPerSecondPerLine: 50,
    })
    line = await createLine(context, { carrierAccount: 'twilio', outgoingUrl: receiver.url })
  })

  async function send(toNumber: string, text: string): Promise<{ messageId: string; taken: StandInMessage }> {
    const { status, messageId } = await post(running.url, line, { toNumber, text })
    expect(status).to.equal(200)
    const taken = await until('Twilio has it', () => twilio.messages.find(({ to }) => to === toNumber))
    return { messageId, taken }
  }

  /** Twilio calls one of the URLs that it was given. */
  const call = async (side: string, fields: Record<string, string>, to = urlOf(side)): Promise<string> => {
    const { response, text } = await postSigned(to, { AccountSid: ACCOUNT_SID, ...fields })
    expect(response.status, text).to.equal(200)
    return text
  }
  const urlOf = (side: string) => twilio.numbers[0]?.setUp?.[side] ?? ''

  const eventsFrom = (fromNumber: string) =>
    receiver.requests
      .map(({ body }) => JSON.parse(body) as { type: string; payload: string; fromNumber: string })
      .filter((event) => event.fromNumber === fromNumber)
  const bytesAt = async (hosted: string) => Buffer.from(await (await fetch(hosted)).arrayBuffer())

  const becomes = (id: string, status: string) =>
    until(`it is ${status}`, async () => (await messageRow(context, id)).status === status)

  it('its number is set up to call Linehook', async () => {
    const carrier = await findCarrierClient(context, await getCarrierAccount(context, 'twilio'))
    const signal = new AbortController().signal
    twilio.numbers.push({ sid: newSid('PN'), phone_number: line.number, friendly_name: 'Front desk' })
    expect(await carrier?.test(signal)).to.equal(undefined)
    const found = await carrier?.listNumbers?.(signal)
    await carrier?.setUpNumbers?.(found ?? [], signal)
    expect(twilio.numbers[0]?.setUp?.SmsUrl).to.match(
      new RegExp(`^${running.url}/carriers/twilio/.*/message#rc=5&rp=all&ct=3000$`),
    )
  })

  it('a text is sent, and Twilio reports it sent and delivered', async () => {
    const { messageId, taken } = await send(ANNA, 'Table at eight')
    expect(taken).to.include({ from: line.number, to: ANNA, body: 'Table at eight' })
    await becomes(messageId, 'sent')
    expect(await twilio.report(taken, 'sent')).to.equal(200)
    expect(await twilio.report(taken, 'delivered')).to.equal(200)
    await becomes(messageId, 'delivered')
    expect((await messageRow(context, messageId)).carrier_message_id).to.equal(taken.sid)
  })

  it('an incoming text arrives at the receiver', async () => {
    await call('SmsUrl', {
      MessageSid: newSid('SM'),
      From: BEN,
      To: line.number,
      NumMedia: '0',
      Body: 'On my way',
    })
    const request = await until('the event arrives', () => receiver.requests[0])
    const headers = request.headers as Record<string, string>
    expect(new Webhook(line.signingSecret).verify(request.body, headers)).to.deep.equal({
      type: 'inboundText',
      payload: 'On my way',
      fromNumber: BEN,
      toNumber: line.number,
      userId: line.userId,
      lineId: line.lineId,
    })
  })

  it('a picture is sent as the URL of our copy, which Twilio can fetch', async () => {
    const web = await startStandIn()
    const { token } = await createApiToken(context, line.userId, 'journey')
    const [emil = ''] = numbers(1, 20)
    await fetch(`${running.url}/v1/messages`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
      body: JSON.stringify({
        lineId: line.lineId,
        toNumber: emil,
        mediaUrls: [web.give(PNG), web.give(PNG)],
      }),
    })
    const taken = await until('Twilio has it', () => twilio.messages.find(({ to }) => to === emil))
    await web.close()
    expect(taken.mediaUrls).to.have.length(2)
    for (const url of taken.mediaUrls) {
      expect(url).to.match(new RegExp(`^${running.url}/media/[\\w-]{43}$`))
      expect((await bytesAt(url)).equals(PNG)).to.equal(true)
    }
  })

  it('an incoming text with a picture becomes two events, one of them with our copy', async () => {
    const [fay = ''] = numbers(1, 30)
    const sid = newSid('MM')
    await call('SmsUrl', {
      MessageSid: sid,
      From: fay,
      To: line.number,
      Body: 'Look',
      NumMedia: '1',
      MediaUrl0: twilio.host(`/Messages/${sid}/Media/${newSid('ME')}`, PNG),
      MediaContentType0: 'image/png',
    })
    const events = await until('both events arrive', () => eventsFrom(fay).length === 2 && eventsFrom(fay))
    const payloads = Object.fromEntries(events.map(({ type, payload }) => [type, payload]))
    expect(payloads.inboundText).to.equal('Look')
    expect(payloads.inboundMedia).to.match(new RegExp(`^${running.url}/media/[\\w-]{43}$`))
    expect((await bytesAt(payloads.inboundMedia ?? '')).equals(PNG)).to.equal(true)
  })

  it('a caller hears the greeting and is recorded, and the recording becomes an event with our copy', async () => {
    const [gus = ''] = numbers(1, 40)
    const twiml = await call('VoiceUrl', { CallSid: newSid('CA'), From: gus, To: line.number })
    const recordingUrl = /recordingStatusCallback="([^"]+)"/.exec(twiml)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const sid = newSid('RE')
    const hosted = twilio.host(`/Recordings/${sid}.mp3`, MP3)
    await call(
      'recording',
      {
        RecordingSid: sid,
        RecordingUrl: hosted.replace(/\.mp3$/, ''),
        RecordingStatus: 'completed',
        RecordingDuration: '4',
      },
      recordingUrl,
    )
    const [event] = await until('the event arrives', () => eventsFrom(gus).length === 1 && eventsFrom(gus))
    expect(event?.type).to.equal('voiceMail')
    expect((await bytesAt(event?.payload ?? '')).equals(MP3)).to.equal(true)
  })

  it('a report settles a text that Twilio accepted without confirming it', async () => {
    twilio.behave(CLEO, (response, take) => {
      take()
      response.writeHead(500).end()
    })
    const { messageId, taken } = await send(CLEO, 'Are you there?')
    await becomes(messageId, 'unknown')
    expect(await twilio.report(taken, 'delivered')).to.equal(200)
    await becomes(messageId, 'delivered')
    expect(
      twilio.messages.filter(({ to }) => to === CLEO),
      'it was sent once',
    ).to.have.length(1)
  })

  it('without a report, asking Twilio settles it', async () => {
    const [dora = ''] = numbers(1, 10)
    twilio.behave(dora, (response, take) => {
      take().status = 'delivered'
      response.destroy()
    })
    const { messageId } = await send(dora, 'Hello?')
    await becomes(messageId, 'unknown')
    // The first time to ask is some seconds after the message was handed over.
    await context
      .db('messages')
      .where({ id: messageId })
      .update({ claimed_at: context.db.raw(`now() - interval '6 seconds'`) })
    await becomes(messageId, 'delivered')
    expect(
      twilio.messages.filter(({ to }) => to === dora),
      'it was sent once',
    ).to.have.length(1)
  })

  it('texts that arrived during an outage are received once when the service is back', async () => {
    const [hal = '', ida = ''] = numbers(2, 50)
    const at = new Date(Date.now() - 120_000)
    await running.processes[0]?.kill('SIGTERM')
    await context.db('lines').update({ created_at: new Date(at.getTime() - 60_000) })
    // One of them was brought after all.
    const brought = twilio.receive({ from: hal, to: line.number, body: 'Anybody there?', at })
    await call('SmsUrl', {
      MessageSid: brought.sid,
      From: hal,
      To: line.number,
      NumMedia: '0',
      Body: brought.body,
    })
    const picture = newSid('ME')
    const { sid } = twilio.receive({ from: hal, to: line.number, body: 'Look', media: [picture], at })
    twilio.host(`/Messages/${sid}/Media/${picture}`, PNG)
    const recording = twilio.record({ from: ida, to: line.number, at })
    twilio.host(`/Recordings/${recording.sid}.mp3`, MP3)

    await startProcess('maintenance', environment)
    const [voicemail] = await until(
      'the voicemail arrives',
      () => eventsFrom(ida).length > 0 && eventsFrom(ida),
    )
    expect(voicemail?.type).to.equal('voiceMail')
    expect((await bytesAt(voicemail?.payload ?? '')).equals(MP3)).to.equal(true)
    const events = await until('the rest arrives', () => eventsFrom(hal).length > 2 && eventsFrom(hal))
    expect(events.map(({ type }) => type).sort()).to.deep.equal([
      'inboundMedia',
      'inboundText',
      'inboundText',
    ])
    const image = events.find(({ type }) => type === 'inboundMedia')
    expect((await bytesAt(image?.payload ?? '')).equals(PNG)).to.equal(true)
  })

  it('Twilio would have accepted every request', () => {
    expect(twilio.faults).to.deep.equal([])
  })
})
