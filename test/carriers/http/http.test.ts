import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import {
  CarrierOutcomeUnknown,
  CarrierRejected,
  type OutboundMessage,
} from '../../../src/carriers/carrier.js'
import { httpSettings } from '../../../src/carriers/http/settings.js'
import { fillFields, fillJson, fillXml } from '../../../src/carriers/http/template.js'
import { failure } from '../../helpers/failure.js'
import { anyMessage } from '../conformance.js'
import { createTestHttp } from './carrier.js'
import { refuse, settingsFor, startStandIn, type StandIn } from './stand-in.js'

const VALUES = { from: '+15550000001', to: '+15005550199', text: 'Hi', mediaUrl: '', id: 'id-1' }

describe('an HTTP carrier', () => {
  let standIn: StandIn

  before(async () => {
    standIn = await startStandIn()
  })
  after(() => standIn.close())

  async function send(settings: Record<string, unknown>, message: Partial<OutboundMessage> = {}) {
    const { carrier, close } = createTestHttp(settingsFor(standIn.url, settings))
    try {
      return await carrier.send(anyMessage(message), new AbortController().signal)
    } finally {
      await close()
    }
  }
  const failureOf = (settings: Record<string, unknown>, message: Partial<OutboundMessage> = {}) =>
    failure(send(settings, message))

  it('does not know whether a message was taken whose answer has no id', async () => {
    expect(await failureOf({ idField: 'data.id' })).to.be.instanceOf(CarrierOutcomeUnknown)
  })

  it('reads an id that no number holds as it is written', async () => {
    standIn.behave('+15005550022', (response) => response.end('{"messages":[{"id":9007199254740993}]}'))
    const sent = await send({}, { toNumber: '+15005550022' })
    expect(sent).to.deep.equal({ carrierMessageId: '9007199254740993' })
  })

  for (const headers of [
    'Host: sms.example.com',
    'Connection: keep-alive',
    'Authorization: ok\naccept-encoding: gzip',
    'Authorization: Bearer abc\u200b',
    'Authorization: Bearer …',
  ]) {
    it(`takes no headers that could not be sent: ${JSON.stringify(headers)}`, () => {
      expect(() => httpSettings.validateSyncAt('headers', { headers })).to.throw(/^headers must/)
    })
  }

  it('replaces our headers by the account’s, whatever their case', async () => {
    const headers = 'authorization: Bearer key-of-the-account\naccept: application/vnd.example+json'
    await send({ headers })
    expect(standIn.taken.at(-1)?.headers.accept).to.equal('application/vnd.example+json')
  })

  it('refuses a text that is too long for a URL, and calls nobody', async () => {
    const error = await failureOf({ format: 'query' }, { text: 'я'.repeat(540) })
    expect(error).to.be.instanceOf(CarrierRejected).with.property('message').that.includes('too long')
  })

  it('uses our id where the carrier gives none', async () => {
    const { id } = anyMessage()
    expect(await send({ idField: '' }, { id })).to.deep.equal({ carrierMessageId: id })
  })

  it('shows why a message was refused, without the number in it', async () => {
    standIn.behave('+15005550021', refuse(400, 'no route to +1 500 555 0021 today'))
    const error = await failureOf({}, { toNumber: '+15005550021' })
    expect(error).to.be.instanceOf(CarrierRejected)
    expect(error).to.include({ reason: 'no route to [number] today', carrierCode: '400' })
  })

  it('says in words that an account’s key is wrong, and that nobody is there', async () => {
    const signal = new AbortController().signal
    const wrong = createTestHttp(settingsFor(standIn.url, { headers: 'Authorization: Bearer no' }))
    expect(await wrong.carrier.test(signal)).to.equal(
      "HTTP API rejected the credentials. Check the account's headers.",
    )
    await wrong.close()
    const nobody = createTestHttp(settingsFor('http://127.0.0.1:1/'))
    expect(await nobody.carrier.test(signal)).to.match(/^HTTP API could not be reached\. .+\.$/)
    await nobody.close()
  })

  it('may refuse in an answer of success', async () => {
    const answer = (response: ServerResponse) =>
      response.end(JSON.stringify({ state: 'ERROR', error: 'no such number', messages: [{ id: 'x' }] }))
    standIn.behave('+15005550023', answer)
    const error = await failureOf({ refusalField: 'state' }, { toNumber: '+15005550023' })
    expect(error).to.be.instanceOf(CarrierRejected).with.property('reason', 'no such number')
  })

  for (const [numbers, written] of [
    ['plain', '12025550199'],
    ['zeros', '0012025550199'],
    ['national', '2025550199'],
  ] as const) {
    it(`may want numbers as ${written}, and messages by GET`, async () => {
      const asked: string[] = []
      const server = createServer((request, response) => {
        asked.push(request.url ?? '')
        response.end('{"id":"1"}')
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/send/?key=a`
      const sent = await send(
        { url, idField: 'id', format: 'query', numbers, body: 'dest={{to}}&msg={{text}}' },
        { fromNumber: '+12025550123', toNumber: '+12025550199', text: 'a & b' },
      )
      expect(sent).to.deep.equal({ carrierMessageId: '1' })
      expect(asked).to.deep.equal([`/send/?key=a&dest=${written}&msg=a+%26+b`])
      await new Promise((resolve) => server.close(resolve))
    })
  }

  describe('its body', () => {
    it('is filled in after it was read: no text can become a part of its form', () => {
      const text = `"},"to":"+1999","x":{"y":"\\`
      const json = fillJson('{"message":{"to":"{{to}}","body":"{{text}} – {{id}}"}}', { ...VALUES, text })
      expect(json).to.deep.equal({ message: { to: VALUES.to, body: `${text} – id-1` } })

      const form = fillFields('To={{to}}&Body={{text}}', { ...VALUES, text: 'a&To=+1999#{{to}}' })
      expect(form).to.deep.equal({ To: VALUES.to, Body: 'a&To=+1999#{{to}}' })

      const empty = { ...VALUES, text: '', mediaUrl: '' }
      const template =
        '<sms><to>{{to}}</to><media>{{ mediaUrl }}</media><text lang="en">{{text}}</text></sms>'
      const left = `<sms><to>${VALUES.to}</to><text lang="en"></text></sms>`
      expect(fillXml(template, empty), 'empty fields').to.equal(left)
      const xml = fillXml('<sms to="{{to}}">{{ text }}</sms>', { ...VALUES, text: '</sms>&"<' })
      expect(xml).to.equal(`<sms to="${VALUES.to}">&lt;/sms&gt;&amp;&#34;&lt;</sms>`)
    })

    it('has no field of what the message has not', () => {
      const template = '{"to":"{{to}}","media":["{{mediaUrl}}"],"image":"{{ mediaUrl }}","n":1}'
      expect(fillJson(template, VALUES)).to.deep.equal({ to: VALUES.to, media: [], n: 1 })
    })
  })

  describe('its settings', () => {
    const faultOf = async (settings: Record<string, unknown>) =>
      String(await failure(httpSettings.validate({ url: 'https://sms.example.com/', ...settings })))

    it('name what is wrong, and never quote a secret', async () => {
      expect(await faultOf({ url: 'sms.example.com' })).to.include('url must be a full URL')
      expect(await faultOf({ body: '{"to":"{{too}}"}' })).to.include(
        'body: unknown {{too}}. Use only {{from}}',
      )
      expect(await faultOf({ body: 'to={{to}}' })).to.include('body must be a JSON object')
      expect(await faultOf({ format: 'xml' })).to.include('body must be set with format=xml')
      const fault = await faultOf({ headers: 'Authorization Bearer my-secret' })
      expect(fault).to.include('headers must be lines').and.to.not.include('my-secret')
    })

    it('are whole with a URL alone', async () => {
      const settings = await httpSettings.validate({ url: 'https://sms.example.com/' })
      expect(settings).to.include({ format: 'json', idField: 'id', signingSecret: '', textField: 'text' })
    })
  })
})
