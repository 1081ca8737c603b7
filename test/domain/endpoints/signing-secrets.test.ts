import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { getConnection } from '../../../src/domain/lines/connection-overview.js'
import { revealSigningSecret, rotateSigningSecret } from '../../../src/domain/endpoints/signing-secrets.js'
import { sendTestEvent } from '../../../src/domain/endpoints/test-event.js'
import { deliver } from '../../../src/domain/endpoints/deliveries/deliver.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, own, type TestLine } from '../../helpers/factories.js'
import { startReceiver, type ReceivedRequest } from '../../helpers/services/receiver.js'
import { openForSuite } from '../../helpers/suite.js'
import { receiveForDelivery } from '../fixtures.js'

describeContext('a signing secret', (context) => {
  const receiver = openForSuite(startReceiver)
  let line: TestLine

  beforeEach(async () => {
    line = await createLine(context, { outgoingUrl: receiver.url })
  })

  const reveal = () => revealSigningSecret(context, ...own(line))
  const rotate = () => rotateSigningSecret(context, ...own(line))

  function isSignedBy(secret: string, { body, headers }: ReceivedRequest): boolean {
    try {
      new Webhook(secret).verify(body, headers as Record<string, string>)
      return true
    } catch {
      return false
    }
  }

  async function sent(): Promise<ReceivedRequest> {
    const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
    await deliver(context, id, endpointId)
    return receiver.requests.at(-1)!
  }

  it('that is rotated is a new one, and the one that is shown from then on', async () => {
    const secret = await rotate()
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(secret).not.to.equal(line.signingSecret)
    expect(await reveal()).to.equal(secret)
  })

  it('signs beside the new one for 24 hours', async () => {
    const secret = await rotate()
    const request = await sent()
    expect([isSignedBy(secret, request), isSignedBy(line.signingSecret, request)]).to.deep.equal([true, true])
    await sendTestEvent(context, ...own(line))
    expect(isSignedBy(line.signingSecret, receiver.requests.at(-1)!)).to.equal(true)
    const { endpoint } = await getConnection(context, line.userId, line.lineId)
    const leftMs = endpoint!.previousSecretUntil!.getTime() - Date.now()
    expect(leftMs).to.be.within(86_300_000, 86_400_000)
  })

  it('does not sign any more after that', async () => {
    const secret = await rotate()
    await context
      .db('endpoints')
      .where({ user_id: line.userId })
      .update({ previous_secret_until: context.db.raw(`now() - interval '1 second'`) })
    const request = await sent()
    expect([isSignedBy(secret, request), isSignedBy(line.signingSecret, request)]).to.deep.equal([
      true,
      false,
    ])
  })

  it('from before the last rotation but one does not sign any more', async () => {
    const second = await rotate()
    const third = await rotate()
    const request = await sent()
    const signs = [line.signingSecret, second, third].map((secret) => isSignedBy(secret, request))
    expect(signs).to.deep.equal([false, true, true])
  })
})
