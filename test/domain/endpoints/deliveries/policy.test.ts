import { expect } from 'chai'
import { changePolicy, getPolicy } from '../../../../src/domain/endpoints/policies.js'
import { runLane } from '../../../../src/domain/endpoints/deliveries/lane.js'
import { listAudit } from '../../../../src/domain/operating/audit.js'
import { receiveMessage } from '../../../../src/domain/messages/receive.js'
import { describeContext } from '../../../helpers/context.js'
import { lineForEachTest, own } from '../../../helpers/factories.js'
import { startReceiver } from '../../../helpers/services/receiver.js'
import { openForEachTest } from '../../../helpers/suite.js'
import { until } from '../../../helpers/until.js'
import {
  verifyEvent,
  attemptRows,
  deliverWhenDue,
  deliveryRow,
  inboundText,
  receiveForDelivery,
  receiveManyForDelivery,
} from '../../fixtures.js'
import { expectRefusal } from '../../refusal.js'

const environment = { ENDPOINT_MAX_IN_FLIGHT: '8' }

describeContext('the policy of an endpoint', { environment }, (context) => {
  const receiver = openForEachTest(startReceiver)
  const line = lineForEachTest(context, () => ({ outgoingUrl: receiver.url }))

  const change = (fields: Record<string, unknown>) => changePolicy(context, ...own(line), fields)
  /** Only for who is to be given up: on a busy machine a good receiver takes as long. */
  const impatient = (ms: number) => ({ ...context, config: { ...context.config, deliveryTimeoutMs: ms } })
  const attempt = async (by = context) => {
    const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
    return { id, again: () => deliverWhenDue(by, id, endpointId) }
  }

  it('has a retry schedule: a list of waits, or one that has a name', async () => {
    receiver.answerWith((response) => response.writeHead(500).end())
    await change({ retrySchedule: [100, 7] })
    const { id, again } = await attempt()
    expect(await again())
      .to.have.property('ms')
      .within(80_000, 120_000)
    expect(await again())
      .to.have.property('ms')
      .within(5600, 8400)
    expect(await again()).to.deep.equal({ kind: 'exhausted', failure: 'http_500' })
    expect(await deliveryRow(context, id)).to.include({ status: 'exhausted', attempt_count: 3 })

    await change({ retrySchedule: [] })
    expect(await (await attempt()).again()).to.have.property('kind', 'exhausted')
    await change({ retrySchedule: 'short' })
    const short = await attempt()
    for (let n = 1; n < 5; n += 1) expect(await short.again()).to.have.property('kind', 'retry')
    expect(await short.again()).to.have.property('kind', 'exhausted')
  })

  it('has a time-out of its own', async () => {
    await change({ timeoutSeconds: 60 })
    receiver.answerWith((response) => {
      // Long after DELIVERY_TIMEOUT_MS.
      setTimeout(() => response.end(), 600)
    })
    expect(await (await attempt(impatient(200))).again()).to.deep.equal({ kind: 'delivered' })
  })

  it('bounds the requests at once, and takes the bound away again', async () => {
    const held: (() => unknown)[] = []
    receiver.answerWith((response) => held.push(() => response.end()))
    await change({ requestsAtOnce: 1, timeoutSeconds: 60 })
    const [first, second, third] = await receiveManyForDelivery(context, line, 3)
    const running = runLane(context, first!.endpoint_id, first!.id)
    await until('one hangs', () => held.length === 1)
    await runLane(context, first!.endpoint_id, second!.id)
    expect(await deliveryRow(context, second!.id)).to.include({ status: 'pending', attempt_count: 0 })
    await change({ requestsAtOnce: null })
    await runLane(context, first!.endpoint_id, third!.id)
    await until('all hang', () => held.length === 3)
    for (const answer of held) answer()
    await running
    expect(await deliveryRow(context, third!.id)).to.include({ status: 'delivered' })
  })

  it('declines events; others come as before', async () => {
    await change({ declinedEvents: ['inboundText'] })
    const outcome = await receiveMessage(context, inboundText(line))
    expect(outcome.kind).to.equal('received')
    const made = () => context.db('deliveries').where({ line_id: line.lineId }).pluck<string[]>('type')
    expect(await made()).to.deep.equal([])
    await change({ declinedEvents: ['voiceMail'] })
    await receiveForDelivery(context, line)
    expect(await made()).to.deep.equal(['inboundText'])
  })

  it('sends headers of one’s own, whose values are sealed and in no log', async () => {
    const key = 'Bearer very-secret'
    expect(await change({ headers: { authorization: 'old', 'X-One': '1' } })).to.deep.include({
      headerNames: ['authorization', 'X-One'],
    })
    expect(await change({ headers: { Authorization: key, 'X-One': null } })).to.deep.include({
      headerNames: ['Authorization'],
    })
    expect(await (await attempt()).again()).to.deep.equal({ kind: 'delivered' })
    const [request] = receiver.requests
    const headers = request?.headers
    expect(headers).to.include({ authorization: key, 'content-type': 'application/json' })
    expect(headers).not.to.have.property('x-one')
    verifyEvent(request, line.signingSecret)

    const [latest] = await listAudit(context, { subjectId: line.lineId }, { limit: 1 })
    expect(latest).to.deep.include({
      before: { headerNames: ['authorization', 'X-One'], newHeaders: [] },
      after: {
        endpointId: line.endpointId,
        headerNames: ['Authorization'],
        newHeaders: ['Authorization'],
      },
    })
    const { rows } = await context.db.raw<{ rows: { all: string }[] }>(
      `select string_agg(e::text, '') || (select string_agg(a::text, '') from audit_log a) as all from endpoints e`,
    )
    expect(rows[0]!.all).not.to.include('very-secret')
  })

  for (const status of [404, 503, 410]) {
    it(`is not what counts when the receiver answers ${status} and webhook-delivery: stop`, async () => {
      receiver.answerWith((response) =>
        response.writeHead(status, { 'webhook-delivery': 'Stop', 'retry-after': '5' }).end(),
      )
      const { id, again } = await attempt()
      expect(await again()).to.deep.equal({ kind: 'exhausted', failure: 'stopped_by_receiver' })
      expect(await deliveryRow(context, id)).to.include({
        status: 'exhausted',
        last_failure: 'stopped_by_receiver',
      })
      const [row] = await attemptRows(context, id)
      expect(row).to.include({ response_status: status, failure: 'stopped_by_receiver' })
      const isDisabled = await context.db('endpoints').where({ user_id: line.userId }).first<object>()
      expect(isDisabled).to.have.property('disabled_reason', status === 410 ? 'gone' : null)
    })
  }

  it('a success stays one, whatever webhook-delivery says', async () => {
    receiver.answerWith((response) => response.writeHead(204, { 'webhook-delivery': 'stop' }).end())
    expect(await (await attempt()).again()).to.deep.equal({ kind: 'delivered' })
  })

  it('is whole, also where nobody set it, and null stands for the default', async () => {
    const standard = {
      retrySchedule: 'default',
      retryOnTimeout: true,
      timeoutSeconds: null,
      requestsAtOnce: null,
      ordered: false,
      declinedEvents: [],
      shape: 'linehook',
      template: null,
      templateContentType: 'application/json',
      signature: 'v1',
      bothSignaturesUntil: null,
      headerNames: [],
    }
    expect(await getPolicy(context, ...own(line))).to.deep.include(standard)
    expect(await change({ timeoutSeconds: 5, retrySchedule: [1] })).to.deep.include({
      ...standard,
      timeoutSeconds: 5,
      retrySchedule: [1],
    })
    expect(await change({ retrySchedule: null })).to.deep.include({ ...standard, timeoutSeconds: 5 })
    const [latest] = await listAudit(context, { subjectId: line.lineId }, { limit: 1 })
    expect(latest).to.deep.include({
      action: 'endpoint.changed',
      before: { retrySchedule: ['1'] },
      after: { endpointId: line.endpointId, retrySchedule: 'default' },
    })
  })

  const wrong: [Record<string, unknown>, RegExp][] = [
    [{}, /at least one/],
    [{ retries: 3 }, /no field retries. Its fields are retrySchedule/],
    [{ retrySchedule: 'never' }, /retrySchedule must be default, short, long/],
    [{ retrySchedule: [0] }, /1 to 604800 seconds/],
    [{ retrySchedule: Array(21).fill(1) }, /at most 20/],
    [{ retryOnTimeout: 'no' }, /retryOnTimeout must be true or false/],
    [{ timeoutSeconds: 61 }, /timeoutSeconds must be a whole number from 1 to 60/],
    [{ requestsAtOnce: 9 }, /requestsAtOnce must be a whole number from 1 to 8/],
    [{ headers: { Host: 'example.com' } }, /Host is set by Linehook/],
    [{ headers: { 'webhook-id': '1' } }, /webhook-id is set by Linehook/],
    [{ headers: { 'X Y': '1' } }, /each name must be 1 to 100 letters/],
    [{ headers: { 'X-Y': 'a\r\nb: c' } }, /the value of X-Y must have/],
    [{ headers: ['X-Y'] }, /headers must be an object/],
    [
      { headers: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`X-${n}`, '1'])) },
      /headers must have at most 20/,
    ],
    [{ signature: 'rsa' }, /signature must be v1/],
    [{ bothSignaturesUntil: null }, /no field bothSignaturesUntil/],
    [{ shape: 'xml' }, /shape must be one of linehook, cloudevents/],
    [{ declinedEvents: ['messageStatus'] }, /declinedEvents must be a list of inboundText/],
    [{ declinedEvents: ['endpoint.failing'] }, /declinedEvents must be a list of inboundText/],
  ]
  it('is refused by the name of the field that is wrong', async () => {
    for (const [fields, words] of wrong) await expectRefusal(change(fields), 400, words)
  })
})
