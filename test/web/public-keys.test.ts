import { expect } from 'chai'
import { createPublicKey, verify } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { newId } from '../../src/ids.js'
import { startReceiver } from '../helpers/services/receiver.js'
import { describeWith, openForSuite } from '../helpers/suite.js'
import { createOwner, expectAnswer, expectProblem, serveApi } from './v1/support.js'

describeWith('v1a signatures', serveApi, (api) => {
  const receiver = openForSuite(startReceiver)

  /** As Standard Webhooks says it: Ed25519 over id, timestamp and body, by a key of which only `whpk_…` is known. */
  function isSignedBy(publicKey: string): boolean {
    const { headers, body } = receiver.requests.at(-1)!
    const x = Buffer.from(publicKey.replace(/^whpk_/, ''), 'base64').toString('base64url')
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    const content = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
    return signatures('v1a').some((signature) =>
      verify(null, Buffer.from(content), key, Buffer.from(signature, 'base64')),
    )
  }
  const signatures = (kind: string) =>
    String(receiver.requests.at(-1)!.headers['webhook-signature'])
      .split(' ')
      .filter((each) => each.startsWith(`${kind},`))
      .map((each) => each.slice(kind.length + 1))

  it('are verified with the keys at a public URL; after a change both kinds are there for 24 h', async () => {
    const { line, client } = await createOwner(api, { outgoingUrl: receiver.url })
    const { publicKeyUrl, bothSignaturesUntil } = expectAnswer(
      await client.ask('PATCH', `/v1/endpoints/${line.endpointId}/policy`, { signature: 'v1a' }),
    ) as { publicKeyUrl: string; bothSignaturesUntil: string }
    expect(Date.parse(bothSignaturesUntil) - Date.now()).to.be.closeTo(86_400_000, 60_000)
    const readKeys = async () => {
      const answer = await api.web.request(new URL(publicKeyUrl).pathname)
      expect(answer.headers.get('cache-control')).to.equal('public, max-age=300')
      return (expectAnswer(answer) as { keys: string[] }).keys
    }

    const send = async () => {
      expectAnswer(await client.post(`/v1/endpoints/${line.endpointId}/test-event`))
      return receiver.requests.at(-1)!
    }
    const { body, headers } = await send()
    new Webhook(line.signingSecret).verify(body, headers as Record<string, string>)
    const [key = '', ...others] = await readKeys()
    expect(others).to.deep.equal([])
    expect(key).to.match(/^whpk_[A-Za-z0-9+/]{43}=$/)
    expect(isSignedBy(key)).to.equal(true)

    // A day later.
    await api.context
      .db('endpoints')
      .where({ user_id: line.userId })
      .update({ policy: JSON.stringify({ signature: 'v1a', bothSignaturesUntil: new Date().toISOString() }) })
    await send()
    expect([signatures('v1').length, isSignedBy(key)]).to.deep.equal([0, true])

    expectAnswer(await client.post(`/v1/endpoints/${line.endpointId}/rotate-secret`))
    await send()
    const keys = await readKeys()
    expect(keys).to.have.length(2).and.include(key)
    expect(keys.map(isSignedBy)).to.deep.equal([true, true])
  })

  it('return 404 without an endpoint', async () => {
    for (const id of [newId(), 'x']) {
      expectProblem(await api.web.request(`/.well-known/webhook-keys/${id}`), 404, /No such endpoint/)
    }
  })
})
