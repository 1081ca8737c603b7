import { expect } from 'chai'
import { CarrierOutcomeUnknown, CarrierRejected } from '../../../src/carriers/carrier.js'
import { httpSettings } from '../../../src/carriers/http/settings.js'
import { fillBody } from '../../../src/carriers/http/template.js'
import { failure } from '../../helpers/failure.js'
import { anyMessage } from '../conformance.js'
import { createTestHttp } from './carrier.js'
import { refuse, settingsFor, startStandIn, type StandIn } from './stand-in.js'

const VALUES = { from: '+15550000001', to: '+15005550199', text: 'Hi', mediaUrl: null, id: 'id-1' }

describe('an HTTP carrier', () => {
  let standIn: StandIn

  before(async () => {
    standIn = await startStandIn()
  })
  after(() => standIn.close())

  async function send(settings: Record<string, unknown>, toNumber = VALUES.to): Promise<unknown> {
    const { carrier, close } = createTestHttp(settingsFor(standIn.url, settings))
    try {
      return await failure(carrier.send(anyMessage({ toNumber }), new AbortController().signal))
    } finally {
      await close()
    }
  }

  it('does not know whether a message was taken whose answer has no id', async () => {
    expect(await send({ idField: 'data.id' })).to.be.instanceOf(CarrierOutcomeUnknown)
  })

  it('reads an id that no number holds as it is written', async () => {
    standIn.behave('+15005550022', (response) => response.end('{"messages":[{"id":9007199254740993}]}'))
    const { carrier, close } = createTestHttp(settingsFor(standIn.url))
    const sent = await carrier.send(anyMessage({ toNumber: '+15005550022' }), new AbortController().signal)
    expect(sent).to.deep.equal({ carrierMessageId: '9007199254740993' })
    await close()
  })

  it('uses our id where the carrier gives none', async () => {
    const { carrier, close } = createTestHttp(settingsFor(standIn.url, { idField: '' }))
    const message = anyMessage()
    expect(await carrier.send(message, new AbortController().signal)).to.deep.equal({
      carrierMessageId: message.id,
    })
    await close()
  })

  it('shows why a message was refused, without the number in it', async () => {
    standIn.behave('+15005550021', refuse(400, 'no route to +1 500 555 0021 today'))
    const error = await send({}, '+15005550021')
    expect(error).to.be.instanceOf(CarrierRejected)
    expect(error).to.include({ reason: 'no route to [number] today', carrierCode: '400' })
  })

  it('says in words that an account’s key is wrong, and that nobody is there', async () => {
    const signal = new AbortController().signal
    const wrong = createTestHttp(settingsFor(standIn.url, { headers: 'Authorization: Bearer no' }))
    expect(await wrong.carrier.test(signal)).to.equal(
      'The carrier answers 401: look at the headers of the account.',
    )
    await wrong.close()
    const nobody = createTestHttp(settingsFor('http://127.0.0.1:1/'))
    expect(await nobody.carrier.test(signal)).to.match(/^The carrier could not be reached\. .+\.$/)
    await nobody.close()
  })

  describe('its body', () => {
    it('is filled in after it was read: no text can become a part of its form', () => {
      const text = `"},"to":"+1999","x":{"y":"\\`
      const json = fillBody('{"message":{"to":"{{to}}","body":"{{text}} – {{id}}"}}', 'json', {
        ...VALUES,
        text,
      })
      expect(JSON.parse(json)).to.deep.equal({ message: { to: VALUES.to, body: `${text} – id-1` } })

      const form = fillBody('To={{to}}&Body={{text}}', 'form', { ...VALUES, text: 'a&To=+1999#{{to}}' })
      expect([...new URLSearchParams(form)]).to.deep.equal([
        ['To', VALUES.to],
        ['Body', 'a&To=+1999#{{to}}'],
      ])
    })

    it('has no field of what the message has not', () => {
      const template = '{"to":"{{to}}","media":["{{mediaUrl}}"],"image":"{{ mediaUrl }}","n":1}'
      expect(JSON.parse(fillBody(template, 'json', VALUES))).to.deep.equal({ to: VALUES.to, media: [], n: 1 })
    })
  })

  describe('its settings', () => {
    const faultOf = async (settings: Record<string, unknown>) =>
      String(await failure(httpSettings.validate({ url: 'https://sms.example.com/', ...settings })))

    it('name what is wrong, and never quote a secret', async () => {
      expect(await faultOf({ url: 'sms.example.com' })).to.include('url must be a whole URL')
      expect(await faultOf({ body: '{"to":"{{too}}"}' })).to.include('body has {{too}}: it may have {{from}}')
      expect(await faultOf({ body: 'to={{to}}' })).to.include('body must be a JSON object')
      expect(await faultOf({ format: 'xml' })).to.include('format must be json or form')
      const fault = await faultOf({ headers: 'Authorization Bearer my-secret' })
      expect(fault).to.include('headers must be lines').and.to.not.include('my-secret')
    })

    it('are whole with a URL alone', async () => {
      const settings = await httpSettings.validate({ url: 'https://sms.example.com/' })
      expect(settings).to.include({ format: 'json', idField: 'id', signingSecret: '', textField: 'text' })
    })
  })
})
