import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { findEndpointsOfLine } from '../../../src/database/endpoints/deliveries/creating.js'
import { findConnection } from '../../../src/database/lines/developer-connections.js'
import { listLineHealth } from '../../../src/database/lines/line-health.js'
import { listTroubledEndpoints } from '../../../src/database/operating/overview/endpoints.js'
import { listAudit } from '../../../src/domain/operating/audit.js'
import {
  disableConnection,
  disconnect,
  enableConnection,
  setLineEndpointUrl,
} from '../../../src/domain/lines/connections.js'
import { saveContact } from '../../../src/domain/lines/contacts.js'
import { deliver } from '../../../src/domain/endpoints/deliveries/deliver.js'
import { sendHeldEvents } from '../../../src/domain/endpoints/deliveries/held-events.js'
import { tryLineEventsNow } from '../../../src/domain/endpoints/deliveries/try-now.js'
import { pauseLineEndpoint, resumeLineEndpoint } from '../../../src/domain/endpoints/endpoint-pauses.js'
import { changePolicy, getPolicy } from '../../../src/domain/endpoints/endpoint-policies.js'
import {
  addLineEndpoint,
  changeLineEndpoint,
  deleteLineEndpoint,
  enableLineEndpoint,
  getLineEndpoint,
  listLineEndpoints,
  MAX_LINE_ENDPOINTS,
  type WrittenEndpoint,
} from '../../../src/domain/endpoints/line-endpoints.js'
import { needOfLine } from '../../../src/domain/lines/line-needs.js'
import { getOwnLine } from '../../../src/domain/lines/lines.js'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { ownerOf } from '../../../src/domain/operating/pauses.js'
import { revealSigningSecret, rotateSigningSecret } from '../../../src/domain/endpoints/signing-secrets.js'
import { sendTestEvent } from '../../../src/domain/endpoints/test-event.js'
import { newId } from '../../../src/ids.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { startReceiver } from '../../helpers/services/receiver.js'
import { openForSuite } from '../../helpers/suite.js'
import { connect, createApplication } from '../applications/applications.js'
import { ANNA, deliveryRow, inboundText, type DeliveryRow } from '../fixtures.js'
import { refusal } from '../refusal.js'

describeContext("a line's further endpoints", (context) => {
  const receiver = openForSuite(startReceiver)
  let line: TestLine

  beforeEach(async () => {
    line = await createLine(context, { outgoingUrl: receiver.url })
    receiver.requests.length = 0
    receiver.answerWith((response) => response.end())
  })

  const urlOf = (name: string) => receiver.url.replace('events', name)
  const add = (written: WrittenEndpoint = { url: urlOf('second') }) =>
    addLineEndpoint(context, line.userId, line.lineId, written)

  /** The line receives a text: what comes of it, in the order of the deliveries. */
  async function receive(overrides: Parameters<typeof inboundText>[1] = {}): Promise<DeliveryRow[]> {
    const outcome = await receiveMessage(context, inboundText(line, overrides))
    if (outcome.kind !== 'received') throw new Error('the carrier id was not new')
    return context
      .db('deliveries as d')
      .join('events as e', 'e.id', 'd.event_id')
      .where({ 'e.message_id': outcome.messageId })
      .orderBy('d.id')
      .select<DeliveryRow[]>('d.*')
  }
  const attempt = async (delivery: DeliveryRow | undefined) => {
    if (delivery === undefined) throw new Error('there is no such delivery')
    await context.db('deliveries').where({ id: delivery.id }).update({ due_at: context.db.fn.now() })
    return deliver(context, delivery.id, delivery.endpoint_id)
  }

  it('get each event too, signed by their own secrets, and only of the types that they want', async () => {
    const application = await createApplication(context, { webhookUrl: urlOf('application') })
    await connect(context, application, line)
    const { endpoint, signingSecret } = await add({ name: ' CRM ', url: ` ${urlOf('second')} ` })
    expect(endpoint).to.include({ name: 'CRM', url: urlOf('second'), lineId: line.lineId, disabledAt: null })
    const third = await add({ url: urlOf('third'), optInEvents: ['optOut'] })
    const policyOwner = {
      ...({ of: 'line', id: line.lineId, userId: line.userId, furtherId: third.endpoint.id } as const),
    }
    await changePolicy(context, policyOwner, { declinedEvents: ['inboundText'], ordered: true })
    expect(await getPolicy(context, { ...policyOwner, furtherId: endpoint.id })).to.include({
      ordered: false,
    })

    const deliveries = await receive()
    const { endpointId: first } = (await findConnection(context.db, line.userId, line.lineId))!
    expect(deliveries.map(({ endpoint_id }) => endpoint_id)).to.deep.equal([
      first,
      endpoint.id,
      application.application.endpointId,
    ])
    for (const each of deliveries) expect(await attempt(each)).to.deep.equal({ kind: 'delivered' })
    const secrets = [line.signingSecret, signingSecret, application.signingSecret ?? '']
    for (const [at, { headers, body }] of receiver.requests.entries()) {
      const verify = (secret: string) => () =>
        new Webhook(secret).verify(body, headers as Record<string, string>)
      expect(verify(secrets[at]!)).not.to.throw()
      expect(verify(secrets[(at + 1) % 3]!)).to.throw()
      expect(headers['webhook-id']).to.equal(deliveries[0]!.event_id)
    }
    expect(receiver.requests.map(({ path }) => path)).to.deep.equal(['/events', '/second', '/application'])

    await receive({ content: { type: 'inboundText', text: 'STOP' } })
    const optOuts = await context.db('deliveries').where({ type: 'optOut' }).pluck<string[]>('endpoint_id')
    expect(optOuts).to.deep.equal([third.endpoint.id])
    await saveContact(context, line.userId, ANNA, { blocked: true })
    expect(await receive()).to.deep.equal([])
  })

  it('are ten at most, also if they are added at the same time', async () => {
    const answers = await Promise.allSettled(Array.from({ length: 12 }, () => add()))
    const refused = answers.flatMap((each) => (each.status === 'rejected' ? [each.reason as Error] : []))
    expect(refused).to.have.length(2)
    expect(await refusal(add())).to.deep.equal({
      status: 409,
      message: 'a line may have up to 10 endpoints beside its outgoing webhook URL: delete one first',
    })
    const endpoints = await listLineEndpoints(context, line.userId, line.lineId)
    expect(endpoints).to.have.length(MAX_LINE_ENDPOINTS)
    expect(await receive()).to.have.length(MAX_LINE_ENDPOINTS + 1)
    await deleteLineEndpoint(context, line.userId, line.lineId, endpoints[0]!.id)
    await add()
  })

  it('are paused, disabled and tried again each for itself', async () => {
    const { endpoint } = await add()
    const of = [context, line.userId, line.lineId] as const
    const now = () => getLineEndpoint(...of, endpoint.id)

    await pauseLineEndpoint(context, ownerOf(line.userId), line.userId, line.lineId, endpoint.id)
    const [first, waiting] = await receive()
    expect(await attempt(first)).to.deep.equal({ kind: 'delivered' })
    expect(await attempt(waiting)).to.include({ kind: 'early' })
    expect(await refusal(tryLineEventsNow(...of, endpoint.id))).to.include({ status: 409 })
    expect((await now()).pausedAt).to.be.a('date')
    await resumeLineEndpoint(context, ownerOf(line.userId), line.userId, line.lineId, endpoint.id)

    receiver.answerWith((response) => response.writeHead(500).end())
    expect(await attempt(waiting)).to.include({ kind: 'retry' })
    expect(await tryLineEventsNow(...of, endpoint.id)).to.equal(1)
    expect(await tryLineEventsNow(...of)).to.equal(0)
    receiver.answerWith((response) => response.writeHead(410).end())
    expect(await attempt(waiting)).to.include({ kind: 'held' })
    expect(await now()).to.include({ disabledReason: 'gone', consecutiveFailureCount: 2 })
    expect((await findConnection(context.db, line.userId, line.lineId))?.endpointDisabledAt).to.equal(null)

    const { endpoints } = await listTroubledEndpoints(context.db)
    expect(endpoints.find(({ id }) => id === endpoint.id)).to.include({
      lineId: line.lineId,
      lineNumber: line.number,
      heldCount: 1,
    })
    const health = (await listLineHealth(context.db, line.userId))[0]!
    expect(needOfLine(await getOwnLine(...of), health)).to.deep.equal({
      of: 'further endpoint',
      text: 'a further endpoint is disabled, and its events are held',
    })

    expect((await receive()).map(({ status }) => status)).to.deep.equal(['pending', 'held'])
    expect((await refusal(sendHeldEvents(...of, endpoint.id))).message).to.match(/enable it again first/)
    await enableLineEndpoint(...of, endpoint.id)
    expect(await sendHeldEvents(...of)).to.equal(0)
    expect(await sendHeldEvents(...of, endpoint.id)).to.equal(2)
    receiver.answerWith((response) => response.end())
    expect(await attempt(waiting)).to.deep.equal({ kind: 'delivered' })

    const rotated = await rotateSigningSecret(...of, endpoint.id)
    expect(await revealSigningSecret(...of, endpoint.id)).to.equal(rotated)
    expect(await revealSigningSecret(...of)).to.equal(line.signingSecret)
    expect((await now()).previousSecretUntil).to.be.a('date')
    expect(await sendTestEvent(...of, 'voiceMail', { furtherId: endpoint.id })).to.include({
      delivered: true,
    })
    expect(receiver.requests.at(-1)).to.include({ path: '/second' })

    await disableConnection(...of)
    expect(await receive()).to.deep.equal([])
    expect(await refusal(sendTestEvent(...of, 'inboundText', { furtherId: endpoint.id }))).to.include({
      status: 409,
    })
    expect(await refusal(add())).to.include({ status: 409 })
    await enableConnection(...of)
    expect(await receive()).to.have.length(2)
  })

  it('end what waits for them when they are deleted, and when the line is disconnected', async () => {
    const { endpoint } = await add()
    const of = [context, line.userId, line.lineId] as const
    const [first, waiting] = await receive()
    const [, held] = await receive()
    await context.db('deliveries').where({ id: held!.id }).update({ status: 'held' })
    const [, late] = await receive()
    await pauseLineEndpoint(context, ownerOf(line.userId), line.userId, line.lineId, endpoint.id)
    await deleteLineEndpoint(...of, endpoint.id)
    for (const { id } of [waiting!, held!]) {
      expect(await deliveryRow(context, id)).to.include({ status: 'exhausted', last_failure: 'disconnected' })
    }
    await context.db('deliveries').where({ id: late!.id }).update({ status: 'pending', last_failure: null })
    expect(await attempt(late)).to.deep.equal({ kind: 'exhausted', failure: 'disconnected' })
    expect(await deliveryRow(context, late!.id)).to.include({ last_failure: 'disconnected' })
    expect(await attempt(first)).to.deep.equal({ kind: 'delivered' })
    expect(receiver.requests.map(({ path }) => path)).to.deep.equal(['/events'])
    expect(await receive()).to.have.length(1)
    expect(await refusal(getLineEndpoint(...of, endpoint.id))).to.deep.equal({
      status: 404,
      message: 'no such endpoint',
    })

    const other = await add()
    const [, ended] = await receive()
    await disconnect(...of)
    expect(await deliveryRow(context, ended!.id)).to.include({ status: 'exhausted' })
    expect(await listLineEndpoints(...of)).to.deep.equal([])
    await enableConnection(...of)
    expect(await refusal(revealSigningSecret(...of, other.endpoint.id))).to.include({ status: 404 })
    expect(await receive()).to.have.length(1)
  })

  it('work without an outgoing webhook URL, which comes first when it is there again', async () => {
    await setLineEndpointUrl(context, line.userId, line.lineId, undefined)
    const { endpoint } = await add()
    expect((await receive()).map(({ endpoint_id }) => endpoint_id)).to.deep.equal([endpoint.id])
    await setLineEndpointUrl(context, line.userId, line.lineId, receiver.url)
    const found = await findEndpointsOfLine(context.db, line.lineId)
    expect(found.map(({ endpointId }) => endpointId === endpoint.id)).to.deep.equal([false, true])
  })

  it('are nobody else’s, refuse what cannot be called, and stand in the audit log without their URLs', async () => {
    const { endpoint } = await add({ url: urlOf('second?token=hush') })
    const of = [context, line.userId, line.lineId] as const
    const change = (written: WrittenEndpoint) => refusal(changeLineEndpoint(...of, endpoint.id, written))
    expect(await change({ url: 'ftp://x' }))
      .to.include({ status: 400 })
      .and.have.property('message')
    expect((await change({ url: 'ftp://x' })).message).to.match(/^url: /)
    expect((await change({ url: '' })).message).to.match(/^url: /)
    expect((await change({ name: 'x'.repeat(101) })).message).to.match(/^name must have/)
    expect((await change({ optInEvents: ['lineDisconnected'] })).message).to.match(/^optInEvents may name/)
    expect((await change({})).message).to.match(/^give name, url/)
    expect(await refusal(add({ name: 'x' }))).to.include({ status: 400 })

    const { endpointId: first } = (await findConnection(context.db, line.userId, line.lineId))!
    const others = await createLine(context, { outgoingUrl: receiver.url })
    for (const [userId, lineId, id, what] of [
      [others.userId, line.lineId, endpoint.id, 'line'],
      [line.userId, newId(), endpoint.id, 'line'],
      [others.userId, others.lineId, endpoint.id, 'endpoint'],
      [line.userId, line.lineId, first!, 'endpoint'],
      [line.userId, line.lineId, 'no id', 'endpoint'],
    ] as const) {
      const its = [context, userId, lineId, id] as const
      const policyOwner = { of: 'line', id: lineId, userId, furtherId: id } as const
      for (const ask of [
        () => getLineEndpoint(...its),
        () => changeLineEndpoint(...its, { url: 'no URL' }),
        () => enableLineEndpoint(...its),
        () => deleteLineEndpoint(...its),
        () => revealSigningSecret(...its),
        () => rotateSigningSecret(...its),
        () => sendHeldEvents(...its),
        () => tryLineEventsNow(...its),
        () => pauseLineEndpoint(context, ownerOf(userId), userId, lineId, id),
        () => sendTestEvent(context, userId, lineId, 'inboundText', { furtherId: id, listeners: true }),
        () => getPolicy(context, policyOwner),
        () => changePolicy(context, policyOwner, { nothing: 'known' }),
      ]) {
        expect(await refusal(ask())).to.deep.equal({ status: 404, message: `no such ${what}` })
      }
    }

    await changeLineEndpoint(...of, endpoint.id, { name: 'CRM', url: urlOf('new') })
    await changeLineEndpoint(...of, endpoint.id, { name: 'CRM' })
    await rotateSigningSecret(...of, endpoint.id)
    await deleteLineEndpoint(...of, endpoint.id)
    const rows = await listAudit(context, { subjectId: line.lineId }, { limit: 4 })
    expect(rows.map(({ action }) => action).reverse()).to.deep.equal([
      'line.endpoint.added',
      'line.endpoint.changed',
      'line.signing_secret.rotated',
      'line.endpoint.deleted',
    ])
    for (const { after } of rows) expect(after).to.include({ endpointId: endpoint.id })
    expect(JSON.stringify(rows)).not.to.include('hush')
  })
})
