import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { signingSecretPlace } from '../../../../src/domain/endpoints/deliveries/deliver.js'
import { newSigningSecret } from '../../../../src/secrets.js'
import { describeContext, joinService } from '../../../helpers/context.js'
import { createLine, type TestLine } from '../../../helpers/factories.js'
import { startReceiver } from '../../../helpers/services/receiver.js'
import { openForEachTest } from '../../../helpers/suite.js'
import { ANNA, attemptRows, deliverWhenDue, deliveryRow, receiveForDelivery } from '../../fixtures.js'

describeContext('deliver', (context) => {
  const sameService = joinService(context, { PRODUCT_WORD: 'burner' })
  const receiver = openForEachTest(startReceiver)
  let line: TestLine

  beforeEach(async () => {
    line = await createLine(context, { outgoingUrl: receiver.url })
  })

  it('posts the event’s six fields as JSON and notes the success', async () => {
    const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
    expect(await deliverWhenDue(context, id, endpointId)).to.deep.equal({ kind: 'delivered' })

    expect(receiver.requests).to.have.length(1)
    expect(JSON.parse(receiver.requests[0]!.body)).to.deep.equal({
      type: 'inboundText',
      payload: 'Hi there',
      fromNumber: ANNA,
      toNumber: line.number,
      userId: line.userId,
      lineId: line.lineId,
    })
    const row = await deliveryRow(context, id)
    expect(row).to.include({ status: 'delivered', attempt_count: 1, last_failure: null, lease_until: null })
    expect(row.delivered_at).to.be.a('date')
    const attempts = await attemptRows(context, id)
    expect(attempts).to.have.length(1)
    expect(attempts[0]).to.include({
      attempt_number: 1,
      response_status: 200,
      response_excerpt: 'ok',
      failure: null,
      next_attempt_at: null,
    })
    expect(attempts[0]!.duration_ms).to.be.within(0, 20_000)
  })

  it('says the line’s field in the product’s word', async () => {
    const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
    await deliverWhenDue(sameService, id, endpointId)
    expect(Object.keys(JSON.parse(receiver.requests[0]!.body) as object)).to.deep.equal([
      'type',
      'payload',
      'fromNumber',
      'toNumber',
      'userId',
      'burnerId',
    ])
  })

  it('sends these headers and no others', async () => {
    const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
    await deliverWhenDue(context, id, endpointId)
    const { headers, body } = receiver.requests[0]!
    const transport = ['connection', 'content-length', 'host']
    expect(Object.keys(headers)).to.have.members([
      'content-type',
      'user-agent',
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
      ...transport,
    ])
    expect(headers['content-type']).to.equal('application/json')
    expect(headers['user-agent']).to.equal(`Linehook/${context.config.version}`)
    expect(headers['content-length']).to.equal(String(Buffer.byteLength(body)))
  })

  it('signs so that a Standard Webhooks library verifies it, and only under the line’s secret', async () => {
    const { id, endpoint_id: endpointId, event_id: eventId } = await receiveForDelivery(context, line)
    await deliverWhenDue(context, id, endpointId)
    const { headers, body } = receiver.requests[0]!
    expect(headers['webhook-id']).to.equal(eventId)
    const sent = headers as Record<string, string>
    expect(new Webhook(line.signingSecret).verify(body, sent)).to.deep.equal(JSON.parse(body))
    expect(() => new Webhook(newSigningSecret()).verify(body, sent)).to.throw('No matching signature')
    expect(() => new Webhook(line.signingSecret).verify(body.replace('Hi', 'Ho'), sent)).to.throw()
  })

  it('sends the same webhook-id and the same bytes on every attempt', async () => {
    receiver.answerWith((response) => response.writeHead(500).end())
    const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
    for (let n = 0; n < 3; n += 1) {
      expect(await deliverWhenDue(context, id, endpointId)).to.include({ kind: 'retry' })
    }
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).to.equal(1)
    expect(new Set(receiver.requests.map(({ body }) => body)).size).to.equal(1)
    for (const { headers, body } of receiver.requests) {
      new Webhook(line.signingSecret).verify(body, headers as Record<string, string>)
    }
  })

  for (const [overlap, signatureCount] of [
    ['1 hour', 2],
    ['-1 second', 1],
  ] as const) {
    it(`signs with ${signatureCount} secret(s) when the overlap of a rotation ends in ${overlap}`, async () => {
      const previous = newSigningSecret()
      const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
      await context
        .db('endpoints')
        .where({ id: endpointId })
        .update({
          previous_secret_sealed: context.secrets.seal(previous, signingSecretPlace(endpointId)),
          previous_secret_until: context.db.raw('now() + ?::interval', [overlap]),
        })
      await deliverWhenDue(context, id, endpointId)
      const { headers, body } = receiver.requests[0]!
      const sent = headers as Record<string, string>
      expect(sent['webhook-signature']!.split(' ')).to.have.length(signatureCount)
      new Webhook(line.signingSecret).verify(body, sent)
      if (signatureCount === 2) new Webhook(previous).verify(body, sent)
      else expect(() => new Webhook(previous).verify(body, sent)).to.throw()
    })
  }

  for (const status of [201, 202, 204, 299]) {
    it(`takes ${status} for a success`, async () => {
      receiver.answerWith((response) => response.writeHead(status).end())
      const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
      expect(await deliverWhenDue(context, id, endpointId)).to.deep.equal({ kind: 'delivered' })
    })
  }

  it('keeps 16 KiB of the answer, and no NUL', async () => {
    receiver.answerWith((response) => response.end(`\0start ${'é'.repeat(30_000)}`))
    const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
    expect(await deliverWhenDue(context, id, endpointId)).to.deep.equal({ kind: 'delivered' })
    const [attempt] = await attemptRows(context, id)
    expect(attempt!.response_excerpt).to.match(/^start é+\ufffd?$/)
    expect(Buffer.byteLength(attempt!.response_excerpt!)).to.be.within(16_000, 16 * 1024 + 2)
  })

  it('makes one attempt when two processes work on the same delivery at the same time', async () => {
    const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        deliverWhenDue(n % 2 === 0 ? context : sameService, id, endpointId),
      ),
    )
    expect(outcomes.filter(({ kind }) => kind === 'delivered')).to.have.length(1)
    expect(outcomes.filter(({ kind }) => kind === 'skipped')).to.have.length(7)
    expect(receiver.requests).to.have.length(1)
    expect(await attemptRows(context, id)).to.have.length(1)
  })

  for (const status of ['delivering', 'delivered', 'exhausted', 'held']) {
    it(`leaves a delivery alone that is ${status}`, async () => {
      const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
      await context.db('deliveries').where({ id }).update({ status })
      const before = await deliveryRow(context, id)
      expect(await deliverWhenDue(context, id, endpointId)).to.deep.equal({ kind: 'skipped' })
      expect(await deliveryRow(context, id)).to.deep.equal(before)
      expect(receiver.requests).to.deep.equal([])
    })
  }
})
