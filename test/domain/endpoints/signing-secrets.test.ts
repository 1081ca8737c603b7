import { expect } from 'chai'
import { getConnection } from '../../../src/domain/lines/connection-overview.js'
import { publicKeyOf } from '../../../src/domain/endpoints/deliveries/signature.js'
import {
  findPublicKeys,
  revealSigningSecret,
  rotateSigningSecret,
} from '../../../src/domain/endpoints/signing-secrets.js'
import { sendTestEvent, testEventTypesOf, triggerEvent } from '../../../src/domain/endpoints/test-event.js'
import { deliver } from '../../../src/domain/endpoints/deliveries/deliver.js'
import { disableConnection } from '../../../src/domain/lines/connections.js'
import { createLineEventFeed } from '../../../src/domain/endpoints/line-events.js'
import { describeContext } from '../../helpers/context.js'
import { failure } from '../../helpers/failure.js'
import { createLine, lineForEachTest, own } from '../../helpers/factories.js'
import { startReceiver, type ReceivedRequest } from '../../helpers/services/receiver.js'
import { openForSuite, openForEachTest } from '../../helpers/suite.js'
import { textEventOf, verifyEvent, ago, changeRows, receiveForDelivery, countRows } from '../fixtures.js'
import { expectRefusal } from '../refusal.js'

describeContext('what an endpoint gets from its owner', (context) => {
  describe('a signing secret', () => {
    const receiver = openForSuite(startReceiver)

    const line = lineForEachTest(context, () => ({ outgoingUrl: receiver.url }))

    const reveal = () => revealSigningSecret(context, ...own(line))
    const rotate = (options?: { overlapSeconds: number }) =>
      rotateSigningSecret(context, ...own(line), options)

    const signersOf = (request: ReceivedRequest | undefined, ...secrets: string[]) =>
      secrets.map((secret) => {
        try {
          verifyEvent(request, secret)
          return true
        } catch {
          return false
        }
      })

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
      expect(signersOf(request, secret, line.signingSecret)).to.deep.equal([true, true])
      await sendTestEvent(context, ...own(line))
      expect(signersOf(receiver.requests.at(-1), secret, line.signingSecret)).to.deep.equal([true, true])
      const { endpoint } = await getConnection(context, line.userId, line.lineId)
      const leftMs = endpoint!.previousSecretUntil!.getTime() - Date.now()
      expect(leftMs).to.be.within(86_300_000, 86_400_000)
    })

    it('does not sign any more after that', async () => {
      const secret = await rotate()
      await changeRows(context, 'endpoints', line.endpointId, {
        previous_secret_until: ago(context, '1 second'),
      })
      const request = await sent()
      expect(signersOf(request, secret, line.signingSecret)).to.deep.equal([true, false])
      await sendTestEvent(context, ...own(line))
      expect(signersOf(receiver.requests.at(-1), secret, line.signingSecret)).to.deep.equal([true, false])
      expect(await findPublicKeys(context, line.endpointId)).to.deep.equal([publicKeyOf(secret)])
    })

    it('is not ended by a rotation that is repeated while it signs too', async () => {
      const second = await rotate()
      await expectRefusal(
        rotate(),
        409,
        /^overlapSeconds: the previous secret still works until \d{4}-\S+ \d\d:\d\d UTC, .*, or end both immediately \(0\)$/,
      )
      expect(await reveal()).to.equal(second)
      expect(signersOf(await sent(), line.signingSecret, second)).to.deep.equal([true, true])
    })

    it('that may have leaked ends with all before it by a rotation without an overlap', async () => {
      const second = await rotate()
      const third = await rotate({ overlapSeconds: 0 })
      expect(signersOf(await sent(), line.signingSecret, second, third)).to.deep.equal([false, false, true])
      const fourth = await rotate({ overlapSeconds: 60 })
      expect(signersOf(await sent(), third, fourth)).to.deep.equal([true, true])
      const { endpoint } = await getConnection(context, line.userId, line.lineId)
      expect(endpoint!.previousSecretUntil!.getTime() - Date.now()).to.be.within(30_000, 60_000)
    })
  })

  describe('a test event', () => {
    const receiver = openForEachTest(startReceiver)

    const line = lineForEachTest(context, () => ({ outgoingUrl: receiver.url }))

    const send = () => sendTestEvent(context, ...own(line))
    const answerWith = (status: number, body = '') => {
      receiver.answerWith((response) => {
        response.statusCode = status
        response.end(body)
      })
    }

    it('is posted at once, signed, from the line’s own number', async () => {
      const { durationMs, ...result } = await send()
      expect(result).to.deep.equal({
        delivered: true,
        responseStatus: 200,
        failure: null,
        responseExcerpt: 'ok',
      })
      expect(durationMs).to.be.within(0, 20_000)
      expect(verifyEvent(receiver.requests[0], line.signingSecret)).to.deep.equal({
        ...{ ...textEventOf(line), payload: 'This is a test event', fromNumber: line.number },
      })
    })

    it('is an example of the type that was asked for', async () => {
      const types = testEventTypesOf({ lineId: line.lineId, applicationId: null })
      for (const type of types) await sendTestEvent(context, ...own(line), type)
      expect(receiver.requests.map(({ body }) => (JSON.parse(body) as { type: string }).type)).to.deep.equal(
        types,
      )
      expect((await failure(sendTestEvent(context, ...own(line), 'lineDisconnected'))).message).to.match(
        /^type must be one of inboundText, /,
      )
    })

    it('is not kept, whatever comes of it', async () => {
      const tables = ['messages', 'events', 'deliveries', 'delivery_attempts']
      const counts = () => Promise.all(tables.map((table) => countRows(context, table)))
      const before = await counts()
      await send()
      answerWith(500)
      await send()
      expect(await counts()).to.deep.equal(before)
    })

    it('that fails is told, not tried again, and no fault of the endpoint', async () => {
      answerWith(500, '<b>broken</b>')
      expect(await send()).to.include({
        delivered: false,
        responseStatus: 500,
        failure: 'http_500',
        responseExcerpt: '<b>broken</b>',
      })
      expect(receiver.requests).to.have.length(1)
      const endpoint = await context
        .db('endpoints')
        .where({ user_id: line.userId })
        .first<object>('consecutive_failure_count', 'failing_since', 'disabled_at')
      expect(endpoint).to.deep.equal({ consecutive_failure_count: 0, failing_since: null, disabled_at: null })
    })

    it('that is answered 410 does not disable the endpoint', async () => {
      answerWith(410)
      expect(await send()).to.include({ failure: 'http_410' })
      answerWith(200)
      expect(await send()).to.include({ delivered: true })
    })

    it('that reaches nobody has the failure’s name and no answer', async () => {
      await receiver.close()
      expect(await send()).to.include({
        delivered: false,
        responseStatus: null,
        failure: 'connect',
        responseExcerpt: null,
      })
    })

    it('goes to listeners too if that is asked for, at most 100 in an hour, and is kept no longer', async () => {
      const { lineId, userId } = await createLine(context)
      const forListeners = () => triggerEvent(context, userId, lineId, 'optOut')
      const feed = createLineEventFeed(context, lineId, { from: new Date(Date.now() - 1000) })
      expect(await forListeners()).to.include({ delivered: false, failure: 'no_url' })
      const { events } = await feed.next()
      expect(events.map(({ type, lineId: of, messageId }) => [type, of, messageId])).to.deep.equal([
        ['optOut', lineId, null],
      ])
      for (let n = 1; n < 100; n += 1) await forListeners()
      await expectRefusal(forListeners(), 429)
      await context.db('test_events').update({ created_at: ago(context, '61 minutes') })
      await forListeners()
      expect(await countRows(context, 'test_events')).to.equal(1)
      expect(receiver.requests).to.have.length(0)
    })

    it('needs the connection to be enabled', async () => {
      await disableConnection(context, line.userId, line.lineId)
      await expectRefusal(send(), 409)
      expect(receiver.requests).to.have.length(0)
    })
  })
})
