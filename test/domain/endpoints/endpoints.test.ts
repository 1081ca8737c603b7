import { expect } from 'chai'
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
import { endAuthorizations } from '../../../src/domain/applications/authorizations.js'
import { saveContact } from '../../../src/domain/lines/contacts.js'
import { deliver } from '../../../src/domain/endpoints/deliveries/deliver.js'
import { sendHeldEvents } from '../../../src/domain/endpoints/deliveries/held-events.js'
import { tryEndpointNow } from '../../../src/domain/endpoints/deliveries/try-now.js'
import { changePolicy, getPolicy } from '../../../src/domain/endpoints/policies.js'
import {
  addEndpoint,
  changeEndpoint,
  deleteEndpoint,
  enableEndpoint,
  getEndpoint,
  listEndpoints,
  MAX_LINE_ENDPOINTS,
  type EndpointCaller,
  type WrittenEndpoint,
} from '../../../src/domain/endpoints/endpoints.js'
import { describeCause, causesOfLine } from '../../../src/domain/operating/causes.js'
import { getOwnLine } from '../../../src/domain/lines/lines.js'
import { COMMAND_LINE, ownerOf, pauseEndpoint, resumeEndpoint } from '../../../src/domain/operating/pauses.js'
import { revealSigningSecret, rotateSigningSecret } from '../../../src/domain/endpoints/signing-secrets.js'
import { sendTestEvent } from '../../../src/domain/endpoints/test-event.js'
import { newId } from '../../../src/ids.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, lineForEachTest, own } from '../../helpers/factories.js'
import { startReceiver } from '../../helpers/services/receiver.js'
import { openForSuite } from '../../helpers/suite.js'
import {
  deliveriesOf,
  receiveNew,
  verifyEvent,
  changeRows,
  ANNA,
  deliveryRow,
  inboundText,
  type DeliveryRow,
  withoutRoom,
} from '../fixtures.js'
import { expectRefusal } from '../refusal.js'
import { connect, createApplication } from '../applications/applications.js'

describeContext('the endpoints of a line', (context) => {
  const receiver = openForSuite(startReceiver)

  const line = lineForEachTest(context, () => ({ outgoingUrl: receiver.url }))
  beforeEach(() => {
    receiver.requests.length = 0
    receiver.answerWith((response) => response.end())
  })

  const urlOf = (name: string) => receiver.url.replace('events', name)
  const add = (written: WrittenEndpoint = { url: urlOf('second') }) =>
    addEndpoint(context, line.userId, { lineId: line.lineId }, written)
  const one = (endpointId: string) => [context, ...own({ ...line, endpointId })] as const
  const pause = async (id: string) =>
    pauseEndpoint(context, ownerOf(line.userId), await getEndpoint(...one(id)))

  /** The line receives a text: what comes of it, in the order of the deliveries. */
  async function receive(overrides: Parameters<typeof inboundText>[1] = {}): Promise<DeliveryRow[]> {
    return deliveriesOf(context, await receiveNew(context, line, overrides))
  }
  const attempt = async (delivery: DeliveryRow | undefined) => {
    if (delivery === undefined) throw new Error('there is No such delivery')
    await changeRows(context, 'deliveries', delivery.id, { due_at: context.db.fn.now() })
    return deliver(context, delivery.id, delivery.endpoint_id)
  }

  it('get each event too, signed by their own secrets, and only of the types that they want', async () => {
    const application = await createApplication(context, { webhookUrl: urlOf('application') })
    await connect(context, application, line)
    const { endpoint, signingSecret } = await add({ name: ' CRM ', url: ` ${urlOf('second')} ` })
    expect(endpoint).to.include({ name: 'CRM', url: urlOf('second'), lineId: line.lineId, disabledAt: null })
    const third = await add({ url: urlOf('third'), optInEvents: ['optOut'] })
    await changePolicy(...one(third.endpoint.id), { declinedEvents: ['inboundText'], ordered: true })
    expect(await getPolicy(...one(endpoint.id))).to.include({ ordered: false })

    const deliveries = await receive()
    expect(deliveries.map(({ endpoint_id }) => endpoint_id)).to.deep.equal([
      line.endpointId,
      endpoint.id,
      application.application.endpointId,
    ])
    for (const each of deliveries) expect(await attempt(each)).to.deep.equal({ kind: 'delivered' })
    const secrets = [line.signingSecret, signingSecret, application.signingSecret ?? '']
    for (const [at, request] of receiver.requests.entries()) {
      const verify = (secret: string) => () => verifyEvent(request, secret)
      expect(verify(secrets[at]!)).not.to.throw()
      expect(verify(secrets[(at + 1) % 3]!)).to.throw()
      expect(request.headers['webhook-id']).to.equal(deliveries[0]!.event_id)
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
    await expectRefusal(
      add(),
      409,
      'A line can have up to 10 endpoints in addition to its outgoing webhook. Delete one first',
    )
    const endpoints = await listEndpoints(context, { userId: line.userId }, { lineId: line.lineId })
    expect(endpoints.map(({ isOutgoingWebhook }) => isOutgoingWebhook)).to.deep.equal([
      true,
      ...Array<boolean>(MAX_LINE_ENDPOINTS).fill(false),
    ])
    expect(await receive()).to.have.length(MAX_LINE_ENDPOINTS + 1)
    await deleteEndpoint(...one(endpoints[1]!.id))
    await add()
  })

  it('are paused, disabled and tried again each for itself', async () => {
    const { endpoint } = await add()
    const of = [context, line.userId, line.lineId] as const
    const its = one(endpoint.id)
    const now = () => getEndpoint(...its)

    await pause(endpoint.id)
    const [first, waiting] = await receive()
    expect(await attempt(first)).to.deep.equal({ kind: 'delivered' })
    expect(await attempt(waiting)).to.include({ kind: 'early' })
    await expectRefusal(tryEndpointNow(...its), 409)
    expect((await now()).pausedAt).to.be.a('date')
    await resumeEndpoint(context, ownerOf(line.userId), await now())

    receiver.answerWith((response) => response.writeHead(500).end())
    expect(await attempt(waiting)).to.include({ kind: 'retry' })
    const [answers] = causesOfLine(
      await getOwnLine(...of),
      (await listLineHealth(context.db, line.userId))[0],
    )
    expect(describeCause(answers!)).to.equal('Endpoint answers HTTP 500')
    expect(answers!.whose[0]).to.include({ waitingAt: endpoint.id })
    expect(await tryEndpointNow(...its)).to.equal(1)
    expect(await tryEndpointNow(...one(line.endpointId))).to.equal(0)
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
    const [cause] = causesOfLine(await getOwnLine(...of), health)
    expect(describeCause(cause!)).to.equal('Endpoint is disabled: HTTP 410 Gone')
    expect(cause!.whose[0]!.cure).to.include({ at: 'endpoint', endpointId: endpoint.id })

    expect((await receive()).map(({ status }) => status)).to.deep.equal(['pending', 'held'])
    await expectRefusal(sendHeldEvents(...its), 409, /Enable it first/)
    await enableEndpoint(...its)
    expect(await sendHeldEvents(...one(line.endpointId))).to.equal(0)
    expect(await sendHeldEvents(...its)).to.equal(2)
    receiver.answerWith((response) => response.end())
    expect(await attempt(waiting)).to.deep.equal({ kind: 'delivered' })

    const rotated = await rotateSigningSecret(...its)
    expect(await revealSigningSecret(...its)).to.equal(rotated)
    expect(await revealSigningSecret(...one(line.endpointId))).to.equal(line.signingSecret)
    expect((await now()).previousSecretUntil).to.be.a('date')
    expect(await sendTestEvent(...its, 'voiceMail')).to.include({ delivered: true })
    expect(receiver.requests.at(-1)).to.include({ path: '/second' })

    await disableConnection(...of)
    expect(await receive()).to.deep.equal([])
    await expectRefusal(sendTestEvent(...its), 409)
    await expectRefusal(add(), 409)
    await enableConnection(...of)
    expect(await receive()).to.have.length(2)
  })

  it('are deleted also if Postgres fails when what waits for them is to end', async () => {
    const { endpoint } = await add()
    await withoutRoom(context, 'update on deliveries', () => deleteEndpoint(...one(endpoint.id)))
    await expectRefusal(getEndpoint(...one(endpoint.id)), 404)
  })

  it('end what waits for them when they are deleted, and when the line is disconnected', async () => {
    const { endpoint } = await add()
    const of = [context, line.userId, line.lineId] as const
    const [first, waiting] = await receive()
    const [, held] = await receive()
    await changeRows(context, 'deliveries', held!.id, { status: 'held' })
    const [, late] = await receive()
    await pause(endpoint.id)
    await deleteEndpoint(...one(endpoint.id))
    for (const { id } of [waiting!, held!]) {
      expect(await deliveryRow(context, id)).to.include({ status: 'exhausted', last_failure: 'disconnected' })
    }
    await changeRows(context, 'deliveries', late!.id, { status: 'pending', last_failure: null })
    expect(await attempt(late)).to.deep.equal({ kind: 'exhausted', failure: 'disconnected' })
    expect(await deliveryRow(context, late!.id)).to.include({ last_failure: 'disconnected' })
    expect(await attempt(first)).to.deep.equal({ kind: 'delivered' })
    expect(receiver.requests.map(({ path }) => path)).to.deep.equal(['/events'])
    expect(await receive()).to.have.length(1)
    await expectRefusal(getEndpoint(...one(endpoint.id)), 404, 'No such endpoint')

    const other = await add()
    const [, ended] = await receive()
    await disconnect(...of)
    expect(await deliveryRow(context, ended!.id)).to.include({ status: 'exhausted' })
    const left = await listEndpoints(context, { userId: line.userId }, { lineId: line.lineId })
    expect(left.map(({ id }) => id)).to.deep.equal([line.endpointId])
    await enableConnection(...of)
    await expectRefusal(revealSigningSecret(...one(other.endpoint.id)), 404)
    expect(await receive()).to.have.length(1)
  })

  it('end what fails after they are deleted, or after the line is disconnected', async () => {
    const { endpoint } = await add()
    const application = await createApplication(context, { webhookUrl: urlOf('application') })
    await connect(context, application, line)
    const leave = [
      () => deleteEndpoint(...one(endpoint.id)),
      () => endAuthorizations(context, line.userId, application.id, line.lineId),
    ]
    const [, ...deliveries] = await receive()
    for (const [n, delivery] of deliveries.entries()) {
      receiver.answerWith((response) => {
        void leave[n]!().then(() => response.writeHead(500).end())
      })
      await attempt(delivery)
      expect(await deliveryRow(context, delivery.id)).to.include({
        status: 'exhausted',
        last_failure: 'disconnected',
        attempt_count: 1,
      })
    }
  })

  it('work without an outgoing webhook URL, which comes first when it is there again', async () => {
    await setLineEndpointUrl(context, line.userId, line.lineId, undefined)
    const { endpoint } = await add()
    expect((await receive()).map(({ endpoint_id }) => endpoint_id)).to.deep.equal([endpoint.id])
    await setLineEndpointUrl(context, line.userId, line.lineId, receiver.url)
    const found = await findEndpointsOfLine(context.db, line.lineId)
    expect(found.map(({ endpointId }) => endpointId === endpoint.id)).to.deep.equal([false, true])
  })

  it('keep what waits while the outgoing webhook has no URL, and end it when it is deleted', async () => {
    const [waiting] = await receive()
    await setLineEndpointUrl(context, line.userId, line.lineId, undefined)
    expect(await attempt(waiting)).to.deep.equal({ kind: 'held' })
    await setLineEndpointUrl(context, line.userId, line.lineId, receiver.url)
    expect(await revealSigningSecret(...one(line.endpointId))).to.equal(line.signingSecret)
    expect(await sendHeldEvents(...one(line.endpointId))).to.equal(1)

    await deleteEndpoint(...one(line.endpointId))
    expect(await deliveryRow(context, waiting!.id)).to.include({ status: 'exhausted' })
    await setLineEndpointUrl(context, line.userId, line.lineId, receiver.url)
    const connection = (await findConnection(context.db, line.userId, line.lineId))!
    expect(connection.endpointId).to.be.a('string').and.not.to.equal(line.endpointId)
    expect(await revealSigningSecret(...one(connection.endpointId!))).not.to.equal(line.signingSecret)
  })

  it('refuse what cannot be called, and stand in the audit log without their URLs', async () => {
    const { endpoint } = await add({ url: urlOf('second?token=hush') })
    const its = one(endpoint.id)
    for (const [written, words] of [
      [{ url: 'ftp://x' }, /^url: /],
      [{ url: '' }, /^url: /],
      [{ name: 'x'.repeat(101) }, /^name must have/],
      [{ optInEvents: ['lineDisconnected'] }, /^optInEvents can contain/],
      [{}, /one of name, url/],
    ] satisfies [WrittenEndpoint, RegExp][])
      await expectRefusal(changeEndpoint(...its, written), 400, words)
    await expectRefusal(add({ name: 'x' }), 400)

    await changeEndpoint(...its, { name: 'CRM', url: urlOf('new') })
    await changeEndpoint(...its, { name: 'CRM' })
    await rotateSigningSecret(...its)
    await deleteEndpoint(...its)
    const rows = await listAudit(context, { subjectId: line.lineId }, { limit: 4 })
    expect(rows.map(({ action }) => action).reverse()).to.deep.equal([
      'endpoint.added',
      'endpoint.changed',
      'endpoint.secret.rotated',
      'endpoint.deleted',
    ])
    for (const { after } of rows) expect(after).to.include({ endpointId: endpoint.id })
    expect(JSON.stringify(rows)).not.to.include('hush')
  })
})

describeContext('an endpoint of a line or an application', (context) => {
  const URL = 'http://127.0.0.1:9/events'
  let application: Awaited<ReturnType<typeof createApplication>>

  const line = lineForEachTest(context, { outgoingUrl: URL })
  beforeEach(async () => {
    application = await createApplication(context, { userId: line.userId, webhookUrl: URL })
  })

  /** Everything that is done with one. */
  const ACTS: [what: string, act: (caller: EndpointCaller, id: string) => Promise<unknown>][] = [
    ['seen', (caller, id) => getEndpoint(context, caller, id)],
    ['changed', (caller, id) => changeEndpoint(context, caller, id, { name: 'CRM' })],
    ['enabled', (caller, id) => enableEndpoint(context, caller, id)],
    ['asked for its secret', (caller, id) => revealSigningSecret(context, caller, id)],
    ['given another secret', (caller, id) => rotateSigningSecret(context, caller, id, { overlapSeconds: 0 })],
    ['asked for its policy', (caller, id) => getPolicy(context, caller, id)],
    ['given another policy', (caller, id) => changePolicy(context, caller, id, { ordered: true })],
    ['tried now', (caller, id) => tryEndpointNow(context, caller, id)],
    ['sent what is held', (caller, id) => sendHeldEvents(context, caller, id)],
    ['tested', (caller, id) => sendTestEvent(context, caller, id)],
    ['deleted', (caller, id) => deleteEndpoint(context, caller, id)],
  ]

  const KINDS: [what: string, find: () => Promise<string>][] = [
    ['the outgoing webhook of a line', () => Promise.resolve(line.endpointId)],
    [
      'another endpoint of a line',
      async () =>
        (await addEndpoint(context, line.userId, { lineId: line.lineId }, { url: URL })).endpoint.id,
    ],
    ['the webhook of an application', () => Promise.resolve(application.endpointId)],
  ]
  for (const [kind, find] of KINDS) {
    it(`such as ${kind} is for its owner and for operators, and for nobody else`, async () => {
      const id = await find()
      const stranger = await createLine(context)
      const other = await createApplication(context, { webhookUrl: URL })
      const strangers: EndpointCaller[] = [
        { userId: stranger.userId },
        { userId: line.userId, lineId: stranger.lineId },
        { applicationId: other.id },
      ]
      for (const [what, act] of ACTS) {
        for (const caller of strangers) {
          await expectRefusal(act(caller, id), 404, 'No such endpoint', what)
        }
        for (const wrong of [newId(), 'no id'])
          await expectRefusal(act({ userId: line.userId }, wrong), 404, undefined, what)
      }
      for (const [, act] of ACTS.slice(0, -1)) await act({ isOperator: true }, id)
      for (const [, act] of ACTS) await act({ userId: line.userId }, id.toUpperCase())
      await expectRefusal(getEndpoint(context, { userId: line.userId }, id), 404)
    })

    it(`such as ${kind} stays paused by an operator until an operator resumes it`, async () => {
      const id = await find()
      const now = () => getEndpoint(context, { userId: line.userId }, id)
      await pauseEndpoint(context, COMMAND_LINE, await now())
      await expectRefusal(resumeEndpoint(context, ownerOf(line.userId), await now()), 403)
      await expectRefusal(tryEndpointNow(context, { userId: line.userId }, id), 409)
      await resumeEndpoint(context, COMMAND_LINE, await now())
      expect((await now()).pausedAt).to.equal(null)
    })
  }

  it('is reached by its application alone, by an access token of whoever authorized it', async () => {
    const caller = { applicationId: application.id }
    expect(await getEndpoint(context, caller, application.endpointId)).to.include({ lineId: null })
    await expectRefusal(getEndpoint(context, caller, line.endpointId), 404)
  })

  it('is the only one of an application, which may have another after it was deleted', async () => {
    const add = () => addEndpoint(context, line.userId, { applicationId: application.id }, { url: URL })
    await expectRefusal(add(), 409, 'This application already has an endpoint. Change that one instead')
    await deleteEndpoint(context, ...own(application))
    expect((await add()).endpoint).to.include({ applicationId: application.id, lineId: null, url: URL })
    const { userId } = await createLine(context)
    await expectRefusal(addEndpoint(context, userId, { applicationId: application.id }, { url: URL }), 404)
  })

  it('is listed by line, application and state', async () => {
    const { userId, lineId } = line
    const ids = async (filter: Parameters<typeof listEndpoints>[2], caller: EndpointCaller = { userId }) =>
      (await listEndpoints(context, caller, filter)).map(({ id }) => id)
    await changeRows(context, 'endpoints', application.endpointId, { disabled_at: new Date() })
    expect(await ids({})).to.have.members([line.endpointId, application.endpointId])
    expect(await ids({ lineId })).to.deep.equal([line.endpointId])
    expect(await ids({ applicationId: application.id })).to.deep.equal([application.endpointId])
    expect(await ids({ state: 'disabled' })).to.deep.equal([application.endpointId])
    expect(await ids({ state: 'new' })).to.deep.equal([line.endpointId])
    expect(await ids({}, { userId, lineId })).to.deep.equal([line.endpointId])
    expect(await ids({ lineId: newId() }, { userId, lineId })).to.deep.equal([])
    expect(await ids({}, { applicationId: application.id })).to.deep.equal([application.endpointId])
    expect(await ids({ applicationId: newId() }, { applicationId: application.id })).to.deep.equal([])
  })
})
