import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { signatureHeaders } from '../../../../src/domain/endpoints/deliveries/signature.js'
import { newSigningSecret } from '../../../../src/secrets.js'

const ID = '019ad7c9-7800-7000-8000-000000000001'
const BODY = '{"type":"inboundText","payload":"Zoë 🙂 \\"hi\\""}'

describe('signature', () => {
  const now = () => Math.floor(Date.now() / 1000)

  /** What a receiver does, with the library of Standard Webhooks. */
  function verify(secret: string, headers: Record<string, string>, body = BODY): unknown {
    return new Webhook(secret).verify(body, headers)
  }

  it('is accepted by the Standard Webhooks library', () => {
    const secret = newSigningSecret()
    expect(verify(secret, signatureHeaders(ID, now(), BODY, [secret]))).to.deep.equal(JSON.parse(BODY))
  })

  it('has the three headers, with the id, the seconds and a v1 signature', () => {
    const headers = signatureHeaders(ID, 1_795_000_000, BODY, ['whsec_c2VjcmV0'])
    const expected = createHmac('sha256', 'secret').update(`${ID}.1795000000.${BODY}`).digest('base64')
    expect(headers).to.deep.equal({
      'webhook-id': ID,
      'webhook-timestamp': '1795000000',
      'webhook-signature': `v1,${expected}`,
    })
  })

  it('is the one of the specification of Standard Webhooks', () => {
    const headers = signatureHeaders('msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330, '{"test": 2432232314}', [
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    ])
    expect(headers['webhook-signature']).to.equal('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  })

  it('is accepted by receivers of both secrets during a rotation', () => {
    const [current, previous] = [newSigningSecret(), newSigningSecret()]
    const headers = signatureHeaders(ID, now(), BODY, [current, previous])
    expect(headers['webhook-signature'].split(' ')).to.have.length(2)
    for (const secret of [current, previous]) expect(verify(secret, headers)).to.deep.equal(JSON.parse(BODY))
  })

  describe('is refused by the library', () => {
    const secret = newSigningSecret()
    const refused: [string, () => unknown][] = [
      [
        'when the body is another',
        () => verify(secret, signatureHeaders(ID, now(), BODY, [secret]), `${BODY} `),
      ],
      [
        'when the id is another',
        () => verify(secret, { ...signatureHeaders(ID, now(), BODY, [secret]), 'webhook-id': 'other' }),
      ],
      [
        'when the time is another',
        () =>
          verify(secret, {
            ...signatureHeaders(ID, now(), BODY, [secret]),
            'webhook-timestamp': String(now() - 60),
          }),
      ],
      ['when it is old', () => verify(secret, signatureHeaders(ID, now() - 3600, BODY, [secret]))],
      ['with another secret', () => verify(newSigningSecret(), signatureHeaders(ID, now(), BODY, [secret]))],
    ]
    for (const [when, check] of refused) {
      it(when, () => {
        expect(check).to.throw(WebhookVerificationError)
      })
    }
  })
})
