import { expect } from 'chai'
import {
  getExpectedBodyHash,
  getExpectedTwilioSignature,
  validateRequest,
} from 'twilio/lib/webhooks/webhooks.js'
import { isSignedByTwilio, type CallbackParameters } from '../../../src/carriers/twilio/signature.js'
import { AUTH_TOKEN } from './stand-in.js'

const URL_OF = 'https://linehook.example.com/carriers/twilio/1/message'

function check(
  url: string,
  parameters: CallbackParameters,
  { signature = sign(url, parameters), body = '', token = AUTH_TOKEN } = {},
): boolean {
  return isSignedByTwilio(token, { url, parameters, signature, body: Buffer.from(body) })
}

function sign(url: string, parameters: CallbackParameters): string {
  return getExpectedTwilioSignature(AUTH_TOKEN, url, parameters)
}

describe("Twilio's signature, made by Twilio's own package", () => {
  const parameters = {
    To: '+15550000001',
    From: '+15005550101',
    Body: 'Zoë said "hi" & left 🙂\n',
    Empty: '',
  }

  for (const [what, url, given] of [
    ['a form', URL_OF, parameters],
    ['no parameters', URL_OF, {}],
    ['a query', `${URL_OF}?messageId=1&from=%2B1500&x=a+b`, parameters],
    ['names in any order and case', URL_OF, { b: '1', B: '2', a: '3', _: '4', é: '5' }],
    ['a parameter that is there several times', URL_OF, { Media: ['b', 'a', 'b'], Body: 'x' }],
    ['a port', 'https://linehook.example.com:8443/carriers', parameters],
    ['http with a path before', 'http://127.0.0.1:3000/linehook/carriers', parameters],
    ['an IPv6 address', 'http://[::1]:3000/carriers', parameters],
  ] as [string, string, CallbackParameters][]) {
    it(`fits ${what}`, () => {
      const signature = sign(url, given)
      expect(validateRequest(AUTH_TOKEN, signature, url, given)).to.equal(true)
      expect(check(url, given)).to.equal(true)
    })
  }

  it('fits where Twilio left the port out, or signed the one that goes without saying', () => {
    for (const [url, signed] of [
      ['https://a.example.com:8443/x?y=1', 'https://a.example.com/x?y=1'],
      ['https://a.example.com/x', 'https://a.example.com:443/x'],
      ['http://a.example.com?x=1', 'http://a.example.com:80?x=1'],
      ['http://[::1]:3000/x', 'http://[::1]/x'],
    ] as const) {
      expect(check(url, parameters, { signature: sign(signed, parameters) }), signed).to.equal(true)
    }
  })

  it('does not fit anything else', () => {
    const right = sign(URL_OF, parameters)
    for (const [what, url, given, options] of [
      ['another token', URL_OF, parameters, { token: 'e'.repeat(32) }],
      ['a changed parameter', URL_OF, { ...parameters, Body: 'No' }, {}],
      ['one more parameter', URL_OF, { ...parameters, MediaUrl0: 'x' }, {}],
      ['one parameter less', URL_OF, { To: parameters.To, From: parameters.From }, {}],
      ['another path', `${URL_OF}/`, parameters, {}],
      ['another query', `${URL_OF}?messageId=1`, parameters, {}],
      ['another host', URL_OF.replace('linehook', 'evil'), parameters, {}],
      [
        'another port',
        URL_OF.replace('.com', '.com:8443'),
        parameters,
        { signature: sign(URL_OF.replace('.com', '.com:9443'), parameters) },
      ],
      ['none at all', URL_OF, parameters, { signature: '' }],
      ['garbage', URL_OF, parameters, { signature: 'ÿ'.repeat(10_000) }],
      ['its own start', URL_OF, parameters, { signature: right.slice(0, -1) }],
    ] as [string, string, CallbackParameters, object][]) {
      expect(check(url, given, { signature: right, ...options }), what).to.equal(false)
    }
  })

  describe('over a JSON body, by the hash in the URL', () => {
    const body = '{"MessageSid":"SM1","Body":"Zoë 🙂"}'
    const url = `${URL_OF}?bodySHA256=${getExpectedBodyHash(body)}`

    it('fits the body that has the hash, whatever was read from it', () => {
      expect(check(url, { MessageSid: 'SM1' }, { signature: sign(url, {}), body })).to.equal(true)
      const upper = `${URL_OF}?bodySHA256=${getExpectedBodyHash(body).toUpperCase()}`
      expect(check(upper, {}, { signature: sign(upper, {}), body })).to.equal(true)
    })

    it('does not fit another body, nor another hash', () => {
      const signature = sign(url, {})
      expect(check(url, {}, { signature, body: body.replace('SM1', 'SM2') })).to.equal(false)
      const other = `${URL_OF}?bodySHA256=${getExpectedBodyHash('{}')}`
      expect(check(other, {}, { signature, body: '{}' })).to.equal(false)
      const none = `${URL_OF}?bodySHA256=`
      expect(check(none, {}, { signature: sign(none, {}), body: '' })).to.equal(false)
    })
  })
})
