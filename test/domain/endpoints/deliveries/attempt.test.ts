import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import {
  postEvent,
  signingSecretPlace,
  type EventForEndpoint,
} from '../../../../src/domain/endpoints/deliveries/deliver.js'
import { newId } from '../../../../src/ids.js'
import { newSigningSecret } from '../../../../src/secrets.js'
import { describeContext } from '../../../helpers/context.js'
import { startReceiver } from '../../../helpers/services/receiver.js'
import { openForEachTest } from '../../../helpers/suite.js'
import { ANNA, BEN } from '../../fixtures.js'

describeContext('posting an event to its endpoint', (context) => {
  const endpointId = newId()
  const [secret, previousSecret] = [newSigningSecret(), newSigningSecret()]
  const receiver = openForEachTest(startReceiver)

  const sealed = (plain: string) => context.secrets.seal(plain, signingSecretPlace(endpointId))

  function post(overrides: Partial<EventForEndpoint> = {}) {
    const event: EventForEndpoint = {
      eventId: 'event-1',
      endpointId,
      url: receiver.url,
      secretSealed: sealed(secret),
      previousSecretSealed: null,
      policy: {},
      headersSealed: null,
      type: 'inboundText',
      payload: 'Hi there',
      fromNumber: ANNA,
      toNumber: BEN,
      userId: 'user-1',
      lineId: 'line-1',
      ...overrides,
    }
    return postEvent(context, event, new Date())
  }

  const isSignedBy = (plain: string) => {
    const { body, headers } = receiver.requests.at(-1)!
    try {
      new Webhook(plain).verify(body, headers as Record<string, string>)
      return true
    } catch {
      return false
    }
  }

  it('signs with the endpoint’s secret, under the event’s id', async () => {
    const { durationMs, failure, response } = await post()
    expect(failure).to.equal(undefined)
    expect(response).to.include({ status: 200, excerpt: 'ok', retryAfter: undefined })
    expect(durationMs).to.be.within(0, 20_000)
    expect(receiver.requests[0]!.headers['webhook-id']).to.equal('event-1')
    expect([isSignedBy(secret), isSignedBy(previousSecret)]).to.deep.equal([true, false])
  })

  it('signs with both secrets while a rotation’s overlap lasts', async () => {
    await post({ previousSecretSealed: sealed(previousSecret) })
    expect([isSignedBy(secret), isSignedBy(previousSecret)]).to.deep.equal([true, true])
  })

  for (const [status, failure] of [
    [204, undefined],
    [299, undefined],
    [302, 'redirect'],
    [400, 'http_400'],
    [503, 'http_503'],
  ] as const) {
    it(`takes a ${status} for ${failure ?? 'a success'}`, async () => {
      receiver.answerWith((response) => {
        response.writeHead(status, { 'Retry-After': '7', Location: '/elsewhere' }).end()
      })
      const answer = await post()
      expect(answer.failure).to.equal(failure)
      expect(answer.response).to.include({ status, excerpt: '', retryAfter: '7' })
      expect(receiver.requests).to.have.length(1)
    })
  }

  it('names what kept it from an answer', async () => {
    const { response, failure } = await post({ url: 'http://10.0.0.1/' })
    expect([response, failure]).to.deep.equal([undefined, 'blocked_address'])
  })
})
