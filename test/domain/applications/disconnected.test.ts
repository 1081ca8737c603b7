import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { deleteApplication, updateApplication } from '../../../src/domain/applications/applications.js'
import { sendHeldEvents } from '../../../src/domain/endpoints/deliveries/held-events.js'
import { enableEndpoint } from '../../../src/domain/endpoints/endpoints.js'
import {
  authorizeLines,
  endAuthorization,
  endAuthorizations,
} from '../../../src/domain/applications/authorizations.js'
import { deliver } from '../../../src/domain/endpoints/deliveries/deliver.js'
import { sendDeliveryAgain } from '../../../src/domain/endpoints/deliveries/send-again.js'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, own, type TestLine } from '../../helpers/factories.js'
import { startReceiver } from '../../helpers/services/receiver.js'
import { openForEachTest } from '../../helpers/suite.js'
import { until } from '../../helpers/until.js'
import { connect, createApplication } from './applications.js'
import { deliveryRow, inboundText, type DeliveryRow } from '../fixtures.js'

describeContext('the event lineDisconnected', (context) => {
  const receiver = openForEachTest(startReceiver)
  let line: TestLine
  let application: Awaited<ReturnType<typeof createApplication>>

  beforeEach(async () => {
    line = await createLine(context)
    application = await createApplication(context, {
      webhookUrl: receiver.url,
      optInEvents: ['lineDisconnected'],
    })
    await connect(context, application, line)
  })

  const deliveries = (of = application) =>
    context
      .db('deliveries')
      .where({ application_id: of.id })
      .orderBy('id')
      .select<(DeliveryRow & { type: string })[]>('*')
  const attempt = ({ id, endpoint_id: endpointId }: DeliveryRow) => deliver(context, id, endpointId)
  const received = () =>
    receiver.requests.map(
      ({ headers, body }) =>
        new Webhook(application.signingSecret!).verify(body, headers as Record<string, string>) as object,
    )
  const eventOf = ({ lineId, userId, number }: TestLine) => ({
    type: 'lineDisconnected',
    payload: '',
    fromNumber: number,
    toNumber: number,
    userId,
    lineId,
  })
  const disconnect = () => endAuthorization(context, line.userId, application.id, line.lineId)

  const WAYS: [string, () => Promise<unknown>][] = [
    ['the user disconnects the line', disconnect],
    ['the user disconnects the application', () => endAuthorizations(context, line.userId, application.id)],
    [
      'the user chooses another line instead',
      async () => connect(context, application, await createLine(context, { userId: line.userId })),
    ],
  ]

  for (const [name, takeAway] of WAYS) {
    describe(`when ${name}`, () => {
      it('goes out once, signed, with the six fields', async () => {
        await takeAway()
        const [row, ...others] = await deliveries()
        expect(others).to.deep.equal([])
        expect(row).to.include({ status: 'pending', type: 'lineDisconnected', user_id: line.userId })
        expect(await attempt(row!)).to.deep.equal({ kind: 'delivered' })
        expect(await attempt(row!)).to.deep.equal({ kind: 'skipped' })
        expect(received()).to.deep.equal([eventOf(line)])
      })

      it('goes to no application that did not ask for it', async () => {
        await updateApplication(context, application.userId, application.id, { optInEvents: [] })
        await takeAway()
        expect(await deliveries()).to.deep.equal([])
      })

      it('is the only one that still goes out', async () => {
        await receiveMessage(context, inboundText(line))
        await takeAway()
        await receiveMessage(context, inboundText(line))
        const kinds = []
        for (const row of await deliveries()) kinds.push([row.type, (await attempt(row)).kind])
        expect(kinds).to.deep.equal([
          ['inboundText', 'skipped'],
          ['lineDisconnected', 'delivered'],
        ])
        expect(received()).to.deep.equal([eventOf(line)])
      })
    })
  }

  it('is enqueued at once', async () => {
    await disconnect()
    const [row] = await deliveries()
    const jobs = () => context.queues.existingJobs('deliver-event', [{ id: row!.id, generation: 0 }])
    await until('it has a job', async () => (await jobs()).size === 1)
  })

  it('is made for each line that is taken away, and for no other', async () => {
    const { userId } = line
    const [second, kept] = [await createLine(context, { userId }), await createLine(context, { userId })]
    const choose = (...chosen: TestLine[]) =>
      authorizeLines(context, {
        applicationId: application.id,
        userId,
        lineIds: chosen.map(({ lineId }) => lineId),
        scopes: ['messages:connect'],
      })
    await choose(line, second, kept)
    await choose(kept)
    for (const row of await deliveries()) await attempt(row)
    expect(received()).to.have.deep.members([eventOf(line), eventOf(second)])
  })

  it('is made for no other application, and not while nothing is disconnected', async () => {
    const other = await createApplication(context, {
      webhookUrl: receiver.url,
      optInEvents: ['lineDisconnected'],
    })
    await connect(context, other, line)
    await connect(context, application, line)
    expect(await deliveries()).to.deep.equal([])
    await disconnect()
    expect([(await deliveries()).length, (await deliveries(other)).length]).to.deep.equal([1, 0])
    await disconnect().catch(() => undefined)
    expect(await deliveries()).to.have.length(1)
  })

  it('goes also to an application that may only send', async () => {
    await connect(context, application, line, ['messages:write'])
    await disconnect()
    const [row] = await deliveries()
    expect(await attempt(row!)).to.deep.equal({ kind: 'delivered' })
  })

  it('does not come back when the line does', async () => {
    await disconnect()
    await connect(context, application, line)
    const [told] = await deliveries()
    expect(await attempt(told!)).to.deep.equal({ kind: 'delivered' })
    await receiveMessage(context, inboundText(line))
    const [, text, ...others] = await deliveries()
    expect(others).to.deep.equal([])
    expect(await attempt(text!)).to.deep.equal({ kind: 'delivered' })

    await disconnect()
    expect((await deliveries()).map(({ type }) => type)).to.deep.equal([
      'lineDisconnected',
      'inboundText',
      'lineDisconnected',
    ])
  })

  it('is held while the webhook URL is disabled, and can be sent then', async () => {
    await context
      .db('endpoints')
      .where({ user_id: application.userId })
      .update({ disabled_at: new Date(), disabled_reason: 'failing' })
    await disconnect()
    const [row] = await deliveries()
    expect(row).to.include({ status: 'held' })
    await enableEndpoint(context, ...own(application))
    expect(await sendHeldEvents(context, ...own(application))).to.equal(1)
    expect(await attempt(row!)).to.deep.equal({ kind: 'delivered' })
    await sendDeliveryAgain(context, line.userId, row!.id)
    expect(await attempt(row!)).to.deep.equal({ kind: 'delivered' })
    expect(received()).to.have.length(2)
  })

  it('goes nowhere without a webhook URL', async () => {
    await updateApplication(context, application.userId, application.id, { webhookUrl: null })
    await disconnect()
    expect(await deliveries()).to.deep.equal([])
  })

  it('is not made when the application is deleted, and one that waits ends then', async () => {
    const other = await createLine(context)
    await connect(context, application, other)
    await disconnect()
    await deleteApplication(context, application.userId, application.id)
    const [row, ...others] = await deliveries()
    expect(others).to.deep.equal([])
    expect(row).to.include({ status: 'exhausted', last_failure: 'disconnected' })

    await context.db('deliveries').where({ id: row!.id }).update({ status: 'pending' })
    expect(await attempt(row!)).to.deep.equal({ kind: 'exhausted', failure: 'disconnected' })
    expect(await deliveryRow(context, row!.id)).to.include({ status: 'exhausted', attempt_count: 0 })
    expect(receiver.requests).to.deep.equal([])
  })
})
