import type { ServerResponse } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { expect } from 'chai'
import { freePort } from '../../../dev/services/free-port.js'
import {
  CarrierOutcomeUnknown,
  CarrierRefused,
  CarrierRejected,
  CarrierThrottled,
  CarrierUnavailable,
} from '../../../src/carriers/carrier.js'
import { failure } from '../../helpers/failure.js'
import { anyMessage } from '../conformance.js'
import { openForSuite } from '../../helpers/suite.js'
import { createTestTwilio, openTwilio } from './carrier.js'
import { refuse, type Behaviour } from './stand-in.js'

const TO = '+15005550009'
const signal = () => new AbortController().signal

describe('what Twilio answers to a message', () => {
  const opened = openForSuite(openTwilio)

  async function send(behaviour: Behaviour): Promise<Error> {
    opened.standIn.behave(TO, behaviour)
    return failure(opened.carrier.send(anyMessage({ toNumber: TO }), signal()))
  }

  for (const [code, words, reason] of [
    [21211, `The 'To' number ${TO} is not a valid phone number.`, /^The 'To' number \[number\] is not/],
    [21610, 'Attempt to send to unsubscribed recipient', /^Attempt to send to unsubscribed recipient$/],
    [21608, 'The number  1 (500) 555-0009 is unverified.', /^The number {2}\[number\] is unverified\.$/],
    [21606, 'The From phone number %2B15550000001 is not valid', /^The From phone number \[number\] is not/],
    [21408, 'Permission to send an SMS has not been enabled', /^Permission to send/],
    [63007, '', /^Twilio returned HTTP 400$/],
    [21614, '', /^the number cannot receive text messages$/],
  ] as const) {
    it(`a refusal with ${code} is final, with Twilio's words and no number in them`, async () => {
      const error = await send(refuse(400, code, words))
      expect(error).to.be.instanceOf(CarrierRejected)
      expect(error).to.have.property('reason').that.matches(reason)
      expect(error).to.have.property('carrierCode', String(code))
      expect(error).to.have.property('isOptedOut', code === 21610)
    })
  }

  // Whole runs take minutes, and this is from before their first test.
  const inHalfAnHour = new Date(Math.ceil(Date.now() / 1000) * 1000 + 1_800_000).toUTCString()
  for (const [what, behaviour, from, to] of [
    ['429 without a time', refuse(429, 20429, 'Too Many Requests'), 2000, 2000],
    ['429 with seconds', refuse(429, 20429, '', { 'Retry-After': '7' }), 7000, 7000],
    ['429 with a date', refuse(429, 20429, '', { 'Retry-After': inHalfAnHour }), 60_000, 1_801_000],
    [
      '429 with a date in the past',
      refuse(429, 20429, '', { 'Retry-After': new Date(0).toUTCString() }),
      1000,
      1000,
    ],
    ['429 with zero', refuse(429, 20429, '', { 'Retry-After': '0' }), 1000, 1000],
    ['429 with a number below zero', refuse(429, 20429, '', { 'Retry-After': '-5' }), 1000, 1000],
    ['429 with a century', refuse(429, 20429, '', { 'Retry-After': '3153600000' }), 3_600_000, 3_600_000],
    ['429 with nonsense', refuse(429, undefined, '', { 'Retry-After': 'soon' }), 2000, 2000],
    ['a full queue of the number', refuse(400, 21611, 'Too many queued'), 2000, 2000],
  ] as const) {
    it(`${what} asks to wait, within bounds`, async () => {
      const error = await send(behaviour)
      expect(error).to.be.instanceOf(CarrierThrottled)
      expect(error).to.have.property('retryInMs').that.is.within(from, to)
    })
  }

  for (const [what, behaviour] of [
    ['a wrong token', refuse(401, 20003, 'Authenticate')],
    ['a suspended account', refuse(403, 20005, 'Account not active')],
    ['an account without funds', refuse(403, 10001, 'Account is not active')],
    ['an account without funds, with another status', refuse(400, 10001, 'Account is not active')],
    ['an account that is not active', refuse(400, 90010, 'Account is not active')],
    ['an unknown account', refuse(404, 20404, 'The requested resource was not found')],
    ['a proxy that forbids', refuse(403, undefined, '')],
  ] as const) {
    it(`${what} lets the message wait: an operator mends it`, async () => {
      expect(await send(behaviour)).to.be.instanceOf(CarrierUnavailable)
    })
  }

  for (const [words, said] of [
    ['Account exceeded the 500 daily messages limit', 'Account exceeded the 500 daily messages limit'],
    ['', 'the account has reached its daily limit of messages'],
  ] as const) {
    it(`the daily limit of the account lets the message wait for another account, in words: ${said}`, async () => {
      const error = await send(refuse(429, 63038, words, { 'Retry-After': '1' }))
      expect(error).to.be.instanceOf(CarrierUnavailable).with.property('message', said)
    })
  }

  for (const [code, words, isOfLine] of [
    [21702, 'the Messaging Service cannot send at the moment', true],
    [21730, 'Twilio is under maintenance', false],
  ] as const) {
    it(`${code} with 4xx lets the message wait, ${isOfLine ? "and no other line's" : 'as it lets all others'}`, async () => {
      const error = await send(refuse(400, code, ''))
      expect(error).to.be.instanceOf(CarrierUnavailable).and.include({ message: words, isOfLine })
      expect(await send(refuse(503, code, ''))).to.be.instanceOf(CarrierOutcomeUnknown)
    })
  }

  it('a refusal of the message by 403 is final all the same', async () => {
    expect(await send(refuse(403, 21610, 'Unsubscribed'))).to.be.instanceOf(CarrierRejected)
  })

  for (const [what, behaviour] of [
    ['500', refuse(500, 20500, 'Internal Server Error')],
    ['503 of a balancer', (response) => void response.writeHead(503).end('<html>no</html>')],
    ['408', refuse(408, undefined, '')],
    ['a redirect', (response) => void response.writeHead(302, { Location: 'https://example.com/' }).end()],
    ['a reset after the request', (response) => void response.socket?.resetAndDestroy()],
    ['half an answer', cutOff],
    ['201 that is no JSON', (response) => void response.writeHead(201).end('OK')],
    ['201 without a SID', (response) => void response.writeHead(201).end('{}')],
    ['201 that never ends', (response) => void response.writeHead(201).end('x'.repeat(1_200_000))],
  ] satisfies [string, Behaviour][]) {
    it(`${what} leaves the outcome unknown`, async () => {
      expect(await send(behaviour)).to.be.instanceOf(CarrierOutcomeUnknown)
    })
  }
})

/** Begins an answer and breaks the connection. */
function cutOff(response: ServerResponse): void {
  response.writeHead(201, { 'Content-Length': '9' }).write('{"sid":', () => response.destroy())
}

describe('Twilio that cannot be reached', () => {
  for (const [what, url] of [
    ['a refused connection', async () => `http://127.0.0.1:${await freePort()}`],
    ['an unknown name', () => Promise.resolve('http://nowhere.invalid')],
    ['no TLS where it should be', async () => `https://127.0.0.1:${await startPlain()}`],
    ['an address that may not be called', () => Promise.resolve('http://10.0.0.1')],
  ] as const) {
    it(`${what} has certainly taken nothing, and is told in words`, async () => {
      const { carrier, close } = createTestTwilio(await url())
      expect(await failure(carrier.send(anyMessage(), signal()))).to.be.instanceOf(CarrierUnavailable)
      expect(await carrier.test(signal())).to.match(/^Twilio could not be reached\. .+\.$/)
      const refused = await failure(carrier.listNumbers?.(signal()) ?? Promise.resolve())
      expect(refused).to.be.instanceOf(CarrierRefused)
      await close()
    })
  }

  const plain: { close: () => void }[] = []
  after(() => {
    for (const server of plain) server.close()
  })

  /** Answers a TLS hello with what is no TLS. */
  async function startPlain(): Promise<number> {
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    })
    plain.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }
})
