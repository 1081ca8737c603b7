import { expect } from 'chai'
import { CarrierRefused } from '../../../src/carriers/carrier.js'
import { twilio } from '../../../src/carriers/twilio/kind.js'
import type { TwilioSettings } from '../../../src/carriers/twilio/settings.js'
import { failure } from '../../helpers/failure.js'
import { openForEachTest } from '../../helpers/suite.js'
import { ACCOUNT, createTestTwilio, PUBLIC_URL, openTwilio } from './carrier.js'
import { anyMessage } from '../conformance.js'
import { ACCOUNT_SID, API_KEY, AUTH_TOKEN, newSid, refuse } from './stand-in.js'

const signal = () => new AbortController().signal

describe('an account at Twilio', () => {
  const opened = openForEachTest(openTwilio)

  async function testWith(settings: Partial<TwilioSettings>): Promise<string | undefined> {
    const other = createTestTwilio(opened.standIn.url, settings)
    const words = await other.carrier.test(signal())
    await other.close()
    return words
  }

  it('says in words what is wrong with it', async () => {
    expect(await opened.carrier.test(signal())).to.equal(undefined)
    expect(await testWith({ authToken: 'wrong' })).to.match(/rejected the account SID or auth token/)
    expect(await testWith({ accountSid: `AC${'0'.repeat(32)}` })).to.match(/rejected the account SID/)
    opened.standIn.account.status = 'suspended'
    expect(await opened.carrier.test(signal())).to.equal(
      'The account is suspended at Twilio. The Twilio console shows why.',
    )
    for (const [behaviour, words] of [
      [refuse(404, 20404, 'not found'), /did not find this account SID.* It says: not found \(20404\)$/],
      [refuse(403, 20005, 'Account not active'), /does not allow this for the account.*Account not active/],
      [refuse(429, 20429, ''), /rate limiting/],
      [refuse(400, 20001, 'Bad'), /^Twilio refused the request \(400\)\. It says: Bad \(20001\)$/],
      [refuse(503, undefined, ''), /^Twilio returned HTTP 503/],
      [refuse(302, undefined, ''), /not Twilio's API. Check apiUrl/],
      [refuse(200, undefined, ''), /not Twilio's API. Check apiUrl/],
    ] as const) {
      opened.standIn.behaveAlways(behaviour)
      expect(await opened.carrier.test(signal())).to.match(words)
    }
  })

  it('asks with an API key where there is one, and not with the auth token', async () => {
    const key = { apiKeySid: API_KEY.sid, apiKeySecret: API_KEY.secret, authToken: 'not the account’s' }
    expect(await testWith(key)).to.equal(undefined)
    expect(await testWith({ ...key, apiKeySecret: 'wrong' })).to.match(/rejected/)
    expect(() =>
      twilio.settings.validateSync({ accountSid: ACCOUNT_SID, authToken: 'x', apiKeySid: API_KEY.sid }),
    ).to.throw('apiKeySecret must be set together with apiKeySid')
  })

  it('sends as a Messaging Service, which has no From', async () => {
    const fromNumber = `MG${'0123456789abcdef'.repeat(2)}`
    const { carrierMessageId } = await opened.carrier.send(anyMessage({ fromNumber }), signal())
    const [sent] = opened.standIn.messages
    expect(sent).to.include({ from: '', messaging_service_sid: fromNumber, sid: carrierMessageId })
    expect(opened.standIn.faults).to.deep.equal([])
    // What it looks for later is that service's own, from whichever of its numbers.
    opened.standIn.messages.push({ ...sent!, sid: newSid('SM'), messaging_service_sid: null })
    const { to: toNumber, body: text } = sent!
    const found = await opened.carrier.findSent?.(
      { fromNumber, toNumber, text, claimedAt: new Date() },
      signal(),
    )
    expect(found?.map((each) => each.carrierMessageId)).to.deep.equal([carrierMessageId])
  })

  it('lists its numbers, all pages of them', async () => {
    for (let n = 0; n < 205; n += 1) {
      const number = `+1500555${String(n).padStart(4, '0')}`
      opened.standIn.numbers.push({ sid: newSid('PN'), phone_number: number, friendly_name: `Line ${n}` })
    }
    expect(await opened.carrier.listNumbers?.(signal())).to.deep.equal(
      opened.standIn.numbers.map(({ sid: id, phone_number: number, friendly_name: name }) => ({
        id,
        number,
        name,
      })),
    )
  })

  it('does not follow its list to another host, nor into what is no list', async () => {
    for (const [body, words] of [
      ['{"incoming_phone_numbers":[],"next_page_uri":"https://example.com/x"}', /another host/],
      ['[]', /not Twilio's API/],
      ['{', /not Twilio's API/],
    ] as const) {
      opened.standIn.behaveAlways((response) => void response.end(body))
      const error = await failure(opened.carrier.listNumbers?.(signal()) ?? Promise.resolve())
      expect(error).to.be.instanceOf(CarrierRefused)
      expect(error.message).to.match(words)
    }
  })

  it('sets up its numbers to call us for messages and calls', async () => {
    const sid = newSid('PN')
    opened.standIn.numbers.push({ sid, phone_number: '+15005550020', friendly_name: '' })
    await opened.carrier.setUpNumbers?.([{ id: sid, number: '+15005550020', name: '' }], signal())
    const messageUrl = `${PUBLIC_URL}/carriers/twilio/${ACCOUNT.id}/message#rc=5&rp=all&ct=3000`
    const voiceUrl = `${PUBLIC_URL}/carriers/twilio/${ACCOUNT.id}/voice#rc=5&rp=all&ct=3000`
    expect(opened.standIn.numbers[0]?.setUp).to.deep.equal({
      SmsUrl: messageUrl,
      SmsMethod: 'POST',
      SmsFallbackUrl: messageUrl,
      SmsFallbackMethod: 'POST',
      VoiceUrl: voiceUrl,
      VoiceMethod: 'POST',
      VoiceFallbackUrl: voiceUrl,
      VoiceFallbackMethod: 'POST',
    })
    const gone = [{ id: newSid('PN'), number: '+15005550021', name: '' }]
    const error = await failure(opened.carrier.setUpNumbers?.(gone, signal()) ?? Promise.resolve())
    expect(error).to.be.instanceOf(CarrierRefused)
    expect(error.message).to.match(/^\+15005550021: .*was not found/)
  })

  it('tells of a number that would not call us although it is set up', async () => {
    const number = { id: newSid('PN'), number: '+15005550022', name: '' }
    const voice_application_sid = newSid('AP')
    opened.standIn.numbers.push({
      sid: number.id,
      phone_number: '',
      friendly_name: '',
      voice_application_sid,
    })
    const error = await failure(opened.carrier.setUpNumbers?.([number], signal()) ?? Promise.resolve())
    expect(error).to.be.instanceOf(CarrierRefused)
    expect(error.message).to.equal(
      '+15005550022: remove it from its TwiML app for calls in the Twilio console first',
    )
  })

  it('gives its credentials to its own host only', () => {
    const own = opened.carrier.mediaHeaders?.(
      new URL(`${opened.standIn.url}/2010-04-01/Accounts/AC/Messages/MM/Media/ME`),
    )
    const expected = `Basic ${Buffer.from(`${ACCOUNT_SID}:${AUTH_TOKEN}`).toString('base64')}`
    expect(own).to.deep.equal({ Authorization: expected })
    const { port } = new URL(opened.standIn.url)
    for (const other of [`http://localhost:${port}/`, `https://127.0.0.1:${port}/`, 'http://127.0.0.1/']) {
      expect(opened.carrier.mediaHeaders?.(new URL(other)), other).to.deep.equal({})
    }
  })

  it('is made of settings that are checked, each with a sentence', () => {
    const valid = { accountSid: ACCOUNT_SID, authToken: AUTH_TOKEN }
    expect(twilio.settings.validateSync(valid)).to.deep.equal({
      ...valid,
      ...{ apiKeySid: '', apiKeySecret: '' },
      greeting: 'Please leave a message after the tone.',
      apiUrl: 'https://api.twilio.com',
    })
    for (const [name, value] of [
      ['accountSid', 'AC1'],
      ['accountSid', undefined],
      ['authToken', ''],
      ['greeting', 'x'.repeat(1001)],
      ['apiUrl', 'api.twilio.com'],
    ] as const) {
      expect(() => twilio.settings.validateSync({ ...valid, [name]: value }), name).to.throw(
        new RegExp(`^${name} must`),
      )
    }
    const fields = twilio.settings.describe().fields as Record<
      string,
      { meta?: { about?: string; secret?: boolean } }
    >
    for (const [name, { meta }] of Object.entries(fields)) expect(meta?.about, name).to.match(/^[A-Z].*\.$/)
    expect(fields.authToken?.meta?.secret).to.equal(true)
  })
})
