import { expect } from 'chai'
import { listDeliveries, type DeliveryFilter } from '../../../../src/database/endpoints/deliveries/reading.js'
import { findEvents, getDelivery } from '../../../../src/domain/endpoints/deliveries/delivery-history.js'
import { sealHeaders } from '../../../../src/domain/endpoints/deliveries/custom-headers.js'
import { remakeBody } from '../../../../src/domain/endpoints/deliveries/sent-request.js'
import type { StoredPolicy } from '../../../../src/database/endpoints/policy.js'
import { receiveMessage } from '../../../../src/domain/messages/receive.js'
import { keepUpload } from '../../../../src/domain/media/uploads.js'
import { newId } from '../../../../src/ids.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine, lineForEachTest, type TestLine } from '../../../helpers/factories.js'
import { copyMedia } from '../../../helpers/media.js'
import { startReceiver } from '../../../helpers/services/receiver.js'
import { openForSuite } from '../../../helpers/suite.js'
import { expectRefusal } from '../../refusal.js'
import {
  changeRows,
  ANNA,
  BEN,
  deliverWhenDue,
  inboundText,
  queueMessage,
  receiveForDelivery,
  receiveManyForDelivery,
} from '../../fixtures.js'
import { MEDIA } from '../../media-samples.js'

describeContext('reading deliveries', (context) => {
  const receiver = openForSuite(startReceiver)
  let stranger: TestLine

  const line = lineForEachTest(context, () => ({ outgoingUrl: receiver.url }))
  beforeEach(async () => {
    stranger = await createLine(context, { outgoingUrl: receiver.url })
  })

  async function find(filter: DeliveryFilter = {}, before?: string, limit = 50): Promise<string[]> {
    const page = before === undefined ? { limit } : { before, limit }
    return (await listDeliveries(context.db, line.userId, filter, page)).map(({ id }) => id)
  }

  async function receive(overrides: Parameters<typeof inboundText>[1] = {}): Promise<string> {
    const outcome = await receiveMessage(context, inboundText(line, overrides))
    if (outcome.kind === 'received' && overrides.content !== undefined) {
      await copyMedia(context, outcome.messageId)
    }
    return (await find({}, undefined, 1))[0]!
  }

  it('gives the user’s, newest first and page by page, and nobody else’s', async () => {
    const ids = (await receiveManyForDelivery(context, line, 5)).map(({ id }) => id).reverse()
    await receiveForDelivery(context, stranger)
    expect(await find()).to.deep.equal(ids)
    const first = await find({}, undefined, 2)
    expect([...first, ...(await find({}, first.at(-1), 3))]).to.deep.equal(ids)
  })

  it('filters by line, and knows no line of another user', async () => {
    const sister = await createLine(context, { userId: line.userId, outgoingUrl: receiver.url })
    const { id } = await receiveForDelivery(context, sister)
    await receiveForDelivery(context, line)
    await receiveForDelivery(context, stranger)
    expect(await find({ lineId: sister.lineId })).to.deep.equal([id])
    expect(await find({ lineId: stranger.lineId })).to.deep.equal([])
  })

  it('filters by the event’s type and by who wrote', async () => {
    const text = await receive()
    const url = await keepUpload(context, 'recording', MEDIA.recording.mp3!)
    const voice = await receive({ fromNumber: BEN, content: { type: 'voiceMail', url } })
    expect(await find({ type: 'voiceMail' })).to.deep.equal([voice])
    expect(await find({ number: ANNA })).to.deep.equal([text])
    expect(await find({ number: BEN, type: 'inboundText' })).to.deep.equal([])
  })

  for (const status of ['pending', 'delivering', 'delivered', 'exhausted', 'held']) {
    it(`filters by the status ${status}`, async () => {
      const [one, other] = await receiveManyForDelivery(context, line, 2)
      await changeRows(context, 'deliveries', one!.id, { status })
      const another = status === 'held' ? 'exhausted' : 'held'
      await changeRows(context, 'deliveries', other!.id, { status: another })
      expect(await find({ status })).to.deep.equal([one!.id])
    })
  }

  it('filters by time', async () => {
    const id = await receive()
    const hour = 3_600_000
    expect(await find({ from: new Date(Date.now() - hour) })).to.deep.equal([id])
    expect(await find({ from: new Date(Date.now() + hour) })).to.deep.equal([])
    expect(await find({ until: new Date(Date.now() - hour) })).to.deep.equal([])
  })

  for (const seconds of [-20, 20]) {
    it(`filters by the time it shows, ${seconds} s from that in its id`, async () => {
      const at = new Date(Date.now() + seconds * 1000)
      const [before, after] = [new Date(at.getTime() - 1), new Date(at.getTime() + 1)]
      const id = await receive()
      await changeRows(context, 'deliveries', id, { created_at: at })
      expect(await find({ from: at, until: after })).to.deep.equal([id])
      expect(await find({ until: at })).to.deep.equal([])
      expect(await find({ from: before })).to.deep.equal([id])
      expect(await find({ from: after })).to.deep.equal([])
    })
  }

  it('gives a delivery with its attempts, in their order', async () => {
    const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
    receiver.answerWith((response) => {
      response.statusCode = 500
      response.end('<b>broken</b>')
    })
    await deliverWhenDue(context, id, endpointId)
    receiver.answerWith((response) => response.end('ok'))
    await deliverWhenDue(context, id, endpointId)
    const { attempts, ...delivery } = await getDelivery(context, line.userId, id)
    expect(delivery).to.include({
      id,
      lineId: line.lineId,
      endpointId,
      url: receiver.url,
      type: 'inboundText',
      fromNumber: ANNA,
      toNumber: line.number,
      status: 'delivered',
      attemptCount: 2,
      lastFailure: null,
    })
    expect(delivery.deliveredAt).to.be.a('date')
    expect(attempts).to.have.length(2)
    expect(attempts[0]).to.include({
      deliveryId: id,
      attemptNumber: 1,
      responseStatus: 500,
      responseExcerpt: '<b>broken</b>',
      failure: 'http_500',
    })
    expect(attempts[0]!.nextAttemptAt).to.be.a('date')
    expect(attempts[1]).to.include({
      attemptNumber: 2,
      responseStatus: 200,
      failure: null,
      nextAttemptAt: null,
    })
  })

  it('has of each attempt what was sent and answered, without secrets, and how long the parts took', async () => {
    const { id, endpoint_id: endpointId, event_id: eventId } = await receiveForDelivery(context, line)
    const setPolicy = (policy: StoredPolicy) =>
      changeRows(context, 'endpoints', endpointId, {
        policy,
        headers_sealed: sealHeaders(context.secrets, endpointId, { 'X-Api-Key': 'very secret' }),
      })
    await setPolicy({ shape: 'cloudevents-binary', signature: 'v1a' })
    receiver.requests.length = 0
    receiver.answerWith((response) => {
      response.writeHead(302, {
        ...{ 'Set-Cookie': ['a=very secret', 'b=1'], 'X-Auth-Token': 'very secret', 'X-Served-By': 'one' },
        ...{ Location: 'https://example.com/sign-in?ticket=very-secret', 'X-Long': 'x'.repeat(300) },
      })
      response.end()
    })
    await deliverWhenDue(context, id, endpointId)
    const headers = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`x-${n}`, 'y'.repeat(200)]))
    receiver.answerWith((response) => response.writeHead(500, headers).end())
    await deliverWhenDue(context, id, endpointId)
    await changeRows(context, 'endpoints', endpointId, { url: 'http://10.0.0.1/' })
    await deliverWhenDue(context, id, endpointId)

    const delivery = await getDelivery(context, line.userId, id)
    const [first, second, third] = delivery.attempts
    if (first === undefined || second === undefined || third === undefined) throw new Error('not three')
    expect(JSON.stringify(delivery)).not.to.match(/very.secret/)
    const { host, connection, 'content-length': length, ...sent } = receiver.requests[0]!.headers
    expect([host, connection, length]).not.to.include(undefined)
    const named = ({ 'X-Api-Key': value, ...others }: Record<string, unknown>) => ({
      ...others,
      'x-api-key': value,
    })
    expect(named(first.requestHeaders ?? {})).to.deep.equal({ ...sent, 'x-api-key': '•••' })
    expect(first.requestHeaders).to.include({ 'webhook-id': eventId, 'ce-id': eventId })
    expect(first.responseHeaders).to.include({
      ...{ 'set-cookie': '•••', 'x-auth-token': '•••', 'x-served-by': 'one' },
      ...{ location: 'https://example.com/sign-in?•••', 'x-long': `${'x'.repeat(255)}…` },
    })
    expect(first.firstByteMs).to.be.a('number')
    expect(first.tlsMs).to.equal(null)
    expect(JSON.stringify(second.responseHeaders)).to.have.length.below(2100)
    // Nothing was sent to an address that may not be called.
    expect(third).to.include({ failure: 'blocked_address', requestHeaders: null, responseHeaders: null })

    const { body } = receiver.requests[0]!
    expect(await remakeBody(context, delivery, first)).to.deep.equal({ text: body, isProven: true })
    await setPolicy({ shape: 'ifttt' })
    expect(await remakeBody(context, delivery, first)).to.deep.equal({
      text: JSON.stringify({ value1: ANNA, value2: 'Hi there', value3: line.number }),
      isProven: false,
    })
    await setPolicy({ shape: 'template', template: '{' })
    expect(await remakeBody(context, delivery, first)).to.equal(undefined)
  })

  it('knows no delivery of another user, none that does not exist, and nothing that is no id', async () => {
    const { id } = await receiveForDelivery(context, stranger)
    for (const wrong of [id, newId(), 'x']) {
      await expectRefusal(getDelivery(context, line.userId, wrong), 404, 'No such delivery')
    }
  })

  describe('of a message', () => {
    it('gives its event and where that went', async () => {
      const { id, event_id: eventId, endpoint_id: endpointId } = await receiveForDelivery(context, line)
      await deliverWhenDue(context, id, endpointId)
      const { messageId } = await getDelivery(context, line.userId, id)
      const [event] = await findEvents(context, line.userId, messageId!)
      expect(event).to.include({ id: eventId, type: 'inboundText' })
      expect(event?.deliveries.map((each) => [each.id, each.attempts.length])).to.deep.equal([[id, 1]])
      expect(await findEvents(context, stranger.userId, messageId!)).to.deep.equal([])
    })

    it('gives an event without deliveries when nobody could get it', async () => {
      const lonely = await createLine(context)
      const outcome = await receiveMessage(context, inboundText(lonely))
      if (outcome.kind !== 'received') throw new Error('it was not received')
      const [event] = await findEvents(context, lonely.userId, outcome.messageId)
      expect(event?.deliveries).to.deep.equal([])
    })

    it('gives nothing for one that a line sent', async () => {
      expect(await findEvents(context, line.userId, await queueMessage(context, line))).to.deep.equal([])
    })
  })
})
