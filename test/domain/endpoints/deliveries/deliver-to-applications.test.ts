import { expect } from 'chai'
import { listDeliveries } from '../../../../src/database/endpoints/deliveries/reading.js'
import { updateApplication } from '../../../../src/domain/applications/applications.js'
import { sendHeldEvents } from '../../../../src/domain/endpoints/deliveries/held-events.js'
import { enableEndpoint } from '../../../../src/domain/endpoints/endpoints.js'
import { sendTestEvent } from '../../../../src/domain/endpoints/test-event.js'
import { authorizeLines, endAuthorizations } from '../../../../src/domain/applications/authorizations.js'
import { disableConnection } from '../../../../src/domain/lines/connections.js'
import { deliver } from '../../../../src/domain/endpoints/deliveries/deliver.js'
import { findEvents, getDelivery } from '../../../../src/domain/endpoints/deliveries/delivery-history.js'
import { sendDeliveryAgain } from '../../../../src/domain/endpoints/deliveries/send-again.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine, lineForEachTest, own } from '../../../helpers/factories.js'
import { startReceiver } from '../../../helpers/services/receiver.js'
import { openForEachTest } from '../../../helpers/suite.js'
import {
  deliveriesOf,
  receiveNew,
  textEventOf,
  verifyEvent,
  changeRows,
  deliveryRow,
  type DeliveryRow,
} from '../../fixtures.js'
import { expectRefusal } from '../../refusal.js'
import { connect, createApplication, FIELDS, endpointOf } from '../../applications/applications.js'
import { openings } from '../../../helpers/openings.js'

describeContext('events for applications', (context) => {
  const open = openings()
  const receiver = openForEachTest(startReceiver)
  let application: Awaited<ReturnType<typeof createApplication>>

  const line = lineForEachTest(context)
  beforeEach(async () => {
    application = await createApplication(context, { webhookUrl: `${receiver.url}?key=secret` })
    await connect(context, application, line)
  })

  /** The line receives a text; gives the deliveries that come of it, the line's own first. */
  const receive = async (to = line): Promise<DeliveryRow[]> =>
    deliveriesOf(context, await receiveNew(context, to))
  const receiveOne = async () => {
    const [row, ...others] = await receive()
    expect(others).to.deep.equal([])
    return row!
  }
  const attempt = ({ id, endpoint_id: endpointId }: DeliveryRow) => deliver(context, id, endpointId)

  it('are delivered like a line’s own, and signed with the application’s secret', async () => {
    expect(await attempt(await receiveOne())).to.deep.equal({ kind: 'delivered' })
    expect(verifyEvent(receiver.requests[0], application.signingSecret!)).to.deep.equal(textEventOf(line))
  })

  it('go to the line’s own server and to each application that may have them, under one id', async () => {
    const server = await open(startReceiver())
    const both = await createLine(context, { outgoingUrl: server.url })
    const second = await createApplication(context, { webhookUrl: receiver.url })
    const sender = await createApplication(context, { webhookUrl: receiver.url })
    const silent = await createApplication(context)
    await connect(context, application, both)
    await connect(context, second, both)
    await connect(context, sender, both, ['messages:write'])
    await connect(context, silent, both)
    const deliveries = await receive(both)
    expect(deliveries).to.have.length(3)
    for (const each of deliveries) expect(await attempt(each)).to.deep.equal({ kind: 'delivered' })
    const ids = [...server.requests, ...receiver.requests].map(({ headers }) => headers['webhook-id'])
    expect([server.requests.length, receiver.requests.length, new Set(ids).size]).to.deep.equal([1, 2, 1])
    verifyEvent(server.requests[0], both.signingSecret)
  })

  it('do not depend on the line’s developer connection', async () => {
    await disableConnection(context, line.userId, line.lineId)
    expect(await attempt(await receiveOne())).to.deep.equal({ kind: 'delivered' })
  })

  it('are only those of connected lines', async () => {
    const other = await createLine(context, { userId: line.userId })
    expect(await receive(other)).to.deep.equal([])
    await connect(context, application, other)
    expect(await receive(other)).to.have.length(1)
    expect(await receive(line), 'the choice from before is replaced').to.deep.equal([])
  })

  it('note when the application last received something', async () => {
    const lastReceived = () =>
      context
        .db('application_lines')
        .where({ application_id: application.id, line_id: line.lineId })
        .first<{ at: Date | null }>({ at: 'last_received_at' })
    expect((await lastReceived()).at).to.equal(null)
    await receiveOne()
    const { at } = await lastReceived()
    expect(at).to.be.a('date')
    await receiveOne()
    expect((await lastReceived()).at).to.deep.equal(at)
  })

  describe('end when', () => {
    it('the line is disconnected, also those that wait', async () => {
      const waiting = await receiveOne()
      const held = await receiveOne()
      await changeRows(context, 'deliveries', held.id, { status: 'held' })
      await endAuthorizations(context, line.userId, application.id, line.lineId)
      for (const { id } of [waiting, held]) {
        expect(await deliveryRow(context, id)).to.include({
          status: 'exhausted',
          last_failure: 'disconnected',
        })
      }
      expect(await attempt(waiting)).to.deep.equal({ kind: 'skipped' })
      expect(await receive()).to.deep.equal([])
      expect(receiver.requests).to.deep.equal([])
    })

    it('the worker finds it disconnected, whatever the row said before', async () => {
      const row = await receiveOne()
      await context.db('application_lines').where({ line_id: line.lineId }).delete()
      expect(await attempt(row)).to.deep.equal({ kind: 'exhausted', failure: 'disconnected' })
      expect(await deliveryRow(context, row.id)).to.include({
        status: 'exhausted',
        last_failure: 'disconnected',
        attempt_count: 0,
      })
      expect(receiver.requests).to.deep.equal([])
    })

    it('nobody can send one again after that, and what had arrived still looks so', async () => {
      const row = await receiveOne()
      expect(await attempt(row)).to.deep.equal({ kind: 'delivered' })
      await endAuthorizations(context, line.userId, application.id, line.lineId)
      await expectRefusal(
        sendDeliveryAgain(context, line.userId, row.id),
        409,
        'The application is no longer connected to the line, so this event can no longer be sent to it',
      )
      expect(await deliveryRow(context, row.id)).to.include({ status: 'delivered', last_failure: null })
    })

    it('the application may send only', async () => {
      const row = await receiveOne()
      const { userId, lineId } = line
      const scopes = ['messages:write'] as const
      await authorizeLines(context, { applicationId: application.id, userId, lineIds: [lineId], scopes })
      expect(await attempt(row)).to.deep.equal({ kind: 'exhausted', failure: 'disconnected' })
    })
  })

  it('stay with other users when one disconnects', async () => {
    const other = await createLine(context)
    await connect(context, application, other)
    const [kept] = await receive(other)
    await receiveOne()
    await endAuthorizations(context, line.userId, application.id)
    expect(await attempt(kept!)).to.deep.equal({ kind: 'delivered' })
    expect(await receive(other)).to.have.length(1)
  })

  it('are held while the endpoint is disabled, and sent when its owner says so', async () => {
    receiver.answerWith((response) => {
      response.statusCode = 410
      response.end()
    })
    expect(await attempt(await receiveOne())).to.deep.equal({ kind: 'held' })
    expect((await endpointOf(context, application)).disabled_reason).to.equal('gone')
    const { id, status } = await receiveOne()
    expect(status).to.equal('held')

    const send = () => sendHeldEvents(context, ...own(application))
    await expectRefusal(send(), 409)
    await enableEndpoint(context, ...own(application))
    expect(await send()).to.equal(2)
    receiver.answerWith((response) => response.end())
    expect(await attempt(await deliveryRow(context, id))).to.deep.equal({ kind: 'delivered' })
  })

  it('are held for a webhook URL that was taken away', async () => {
    const row = await receiveOne()
    await updateApplication(context, application.userId, application.id, { webhookUrl: null })
    expect(await attempt(row)).to.deep.equal({ kind: 'held' })
    expect(await receive()).to.deep.equal([])

    await updateApplication(context, application.userId, application.id, { webhookUrl: receiver.url })
    expect(await sendHeldEvents(context, ...own(application))).to.equal(1)
    expect(await attempt(row)).to.deep.equal({ kind: 'delivered' })
    verifyEvent(receiver.requests[0], application.signingSecret!)
  })

  it('can be tried out by the application’s owner, as of no line', async () => {
    const result = await sendTestEvent(context, ...own(application))
    expect(result).to.include({ delivered: true, responseStatus: 200, failure: null })
    const event = verifyEvent(receiver.requests[0], application.signingSecret!)
    expect(event).to.include({ type: 'inboundText', userId: application.userId })
  })

  it('show the line’s owner nothing that is the application’s own', async () => {
    receiver.answerWith((response) => response.end('the application’s own words'))
    const row = await receiveOne()
    await attempt(row)
    const origin = new URL(receiver.url).origin
    const delivery = await getDelivery(context, line.userId, row.id)
    expect(delivery).to.include({ applicationId: application.id, applicationName: FIELDS.name, url: origin })
    expect(delivery.attempts[0]).to.include({
      ...{ responseStatus: 200, responseExcerpt: null, responseHeaders: null, requestHeaders: null },
    })
    const [listed] = await listDeliveries(context.db, line.userId, { lineId: line.lineId }, { limit: 1 })
    expect(listed).to.include({ id: row.id, url: origin })
    const [event] = await findEvents(context, line.userId, delivery.messageId ?? '')
    expect(event?.deliveries[0]?.attempts[0]?.responseExcerpt).to.equal(null)
  })

  it('are whole for an owner who connected a line of their own', async () => {
    const theirs = await createLine(context, { userId: application.userId })
    await connect(context, application, theirs)
    const [row] = await receive(theirs)
    await attempt(row!)
    const delivery = await getDelivery(context, theirs.userId, row!.id)
    expect(delivery.url).to.equal(`${receiver.url}?key=secret`)
    expect(delivery.attempts[0]).to.include({ responseExcerpt: 'ok' })
  })
})
