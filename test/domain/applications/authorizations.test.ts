import { expect } from 'chai'
import { listAuthorizedLines } from '../../../src/database/applications/authorizations.js'
import { deleteApplication, updateApplication } from '../../../src/domain/applications/applications.js'
import {
  authorizeLines,
  endAuthorizations,
  listAuthorizedApplications,
} from '../../../src/domain/applications/authorizations.js'
import { setLineStatus } from '../../../src/domain/lines/lines.js'
import { newId } from '../../../src/ids.js'
import { sendHeldEvents } from '../../../src/domain/endpoints/deliveries/held-events.js'
import { enableEndpoint } from '../../../src/domain/endpoints/endpoints.js'
import { deliver } from '../../../src/domain/endpoints/deliveries/deliver.js'
import { sendDeliveryAgain } from '../../../src/domain/endpoints/deliveries/send-again.js'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, lineForEachTest, type TestLine, own } from '../../helpers/factories.js'
import { startReceiver } from '../../helpers/services/receiver.js'
import { openForEachTest } from '../../helpers/suite.js'
import { until } from '../../helpers/until.js'
import { expectRefusal } from '../refusal.js'
import {
  changeRows,
  deliveryRow,
  inboundText,
  type DeliveryRow,
  verifyEvent,
  textEventOf,
  withoutRoom,
} from '../fixtures.js'
import { connect, createApplication, countTokens, grantTokens } from './applications.js'

describeContext('lines of applications', (context) => {
  describe('lines connected to applications', () => {
    let second: TestLine
    let applicationId: string

    const line = lineForEachTest(context, { name: 'Shop' })
    beforeEach(async () => {
      second = await createLine(context, { userId: line.userId })
      applicationId = (await createApplication(context)).id
    })

    const choose = (...lineIds: string[]) =>
      authorizeLines(context, { applicationId, userId: line.userId, lineIds, scopes: ['messages:connect'] })
    const connected = async (userId = line.userId) =>
      (await listAuthorizedLines(context.db, applicationId, userId)).map(({ id }) => id)
    const tokenCount = (userId: string) => countTokens(context, { id: applicationId }, userId)
    const grant = (userId: string) => grantTokens(context, { id: applicationId }, userId)

    it('stay connected while they are disabled, when their owner chooses among the active ones', async () => {
      await choose(line.lineId, second.lineId)
      await setLineStatus(context, line.userId, second.lineId, 'disabled')
      await choose(line.lineId)
      expect(await connected()).to.deep.equal([line.lineId, second.lineId])
      await setLineStatus(context, line.userId, second.lineId, 'active')
      await choose(line.lineId)
      expect(await connected()).to.deep.equal([line.lineId])
    })

    it('are those that their owner chose last', async () => {
      await choose(line.lineId, second.lineId, line.lineId)
      expect(await connected()).to.deep.equal([line.lineId, second.lineId])
      await choose(second.lineId)
      expect(await connected()).to.deep.equal([second.lineId])
      const [found] = await listAuthorizedLines(context.db, applicationId, line.userId)
      expect(found).to.deep.equal({
        id: second.lineId,
        name: second.number,
        number: second.number,
        status: 'active',
        scopes: ['messages:connect'],
      })
    })

    it('keep what they did when they are chosen again, with new scopes', async () => {
      await choose(line.lineId)
      const at = new Date('2026-01-01T00:00:00Z')
      await changeRows(context, 'application_lines', { line_id: line.lineId }, { last_sent_at: at })
      await authorizeLines(context, {
        applicationId,
        userId: line.userId,
        lineIds: [line.lineId],
        scopes: ['messages:write'],
      })
      const [application] = await listAuthorizedApplications(context, line.userId)
      expect(application?.lines[0]?.lastSentAt).to.deep.equal(at)
      expect(application?.lines[0]?.scopes).to.deep.equal(['messages:write'])
    })

    it('are at least one', async () => {
      await expectRefusal(choose(), 400, 'lineIds must contain at least one line')
    })

    it('are active lines of the user, or nothing is changed', async () => {
      await choose(line.lineId)
      const stranger = await createLine(context)
      const disabled = await createLine(context, { userId: line.userId })
      await setLineStatus(context, line.userId, disabled.lineId, 'disabled')
      for (const wrong of [stranger.lineId, disabled.lineId, newId(), 'x']) {
        await expectRefusal(choose(second.lineId, wrong), 404)
      }
      expect(await connected()).to.deep.equal([line.lineId])
      expect(await connected(stranger.userId)).to.deep.equal([])
    })

    it('are each user’s own', async () => {
      const other = await createLine(context)
      await choose(line.lineId)
      await connect(context, { id: applicationId }, other)
      expect(await connected()).to.deep.equal([line.lineId])
      expect(await connected(other.userId)).to.deep.equal([other.lineId])
      expect(await listAuthorizedApplications(context, other.userId, line.lineId)).to.deep.equal([])
    })

    it('are listed by application, with who made it', async () => {
      const another = await createApplication(context, { name: 'Notes', website: 'https://example.com' })
      await choose(line.lineId, second.lineId)
      await connect(context, another, line)
      const listed = await listAuthorizedApplications(context, line.userId)
      expect(listed.map(({ name, lines }) => [name, lines.map(({ lineId }) => lineId)])).to.deep.equal([
        ['Auto Reply', [line.lineId, second.lineId]],
        ['Notes', [line.lineId]],
      ])
      expect(listed[1]).to.include({ ownerName: 'Grace', website: 'https://example.com' })
      expect(listed[1]?.lines[0]).to.include({ lineName: 'Shop', lastSentAt: null, lastReceivedAt: null })
      const ofLine = await listAuthorizedApplications(context, line.userId, second.lineId)
      expect(ofLine.map(({ name }) => name)).to.deep.equal(['Auto Reply'])
    })

    it('can be taken away one by one, and with the last one the tokens end', async () => {
      await choose(line.lineId, second.lineId)
      await grant(line.userId)
      await endAuthorizations(context, line.userId, applicationId, line.lineId)
      expect(await connected()).to.deep.equal([second.lineId])
      expect(await tokenCount(line.userId)).to.equal(1)
      await endAuthorizations(context, line.userId, applicationId, second.lineId)
      expect(await tokenCount(line.userId)).to.equal(0)
      expect(await listAuthorizedApplications(context, line.userId)).to.deep.equal([])
    })

    it('can be taken away all at once, with the user’s tokens and nobody else’s', async () => {
      const other = await createLine(context)
      await choose(line.lineId, second.lineId)
      await connect(context, { id: applicationId }, other)
      await grant(line.userId)
      await grant(other.userId)
      await endAuthorizations(context, line.userId, applicationId)
      expect(await connected()).to.deep.equal([])
      expect(await connected(other.userId)).to.deep.equal([other.lineId])
      expect([await tokenCount(line.userId), await tokenCount(other.userId)]).to.deep.equal([0, 1])
    })

    it('are taken away also if Postgres fails when the events that wait are to end', async () => {
      await choose(line.lineId, second.lineId)
      await withoutRoom(context, 'update on deliveries', () =>
        endAuthorizations(context, line.userId, applicationId),
      )
      expect(await connected()).to.deep.equal([])
    })

    it('are taken away by their owner only', async () => {
      const stranger = await createLine(context)
      await choose(line.lineId)
      for (const refused of [
        () => endAuthorizations(context, stranger.userId, applicationId, line.lineId),
        () => endAuthorizations(context, stranger.userId, applicationId),
        () => endAuthorizations(context, line.userId, applicationId, second.lineId),
        () => endAuthorizations(context, line.userId, newId()),
      ]) {
        await expectRefusal(refused(), 404)
      }
      expect(await connected()).to.deep.equal([line.lineId])
    })

    it('go with the application, and its tokens too', async () => {
      const { id, userId } = await createApplication(context)
      applicationId = id
      await choose(line.lineId)
      await grant(line.userId)
      await deleteApplication(context, userId, id)
      expect(await connected()).to.deep.equal([])
      expect(await tokenCount(line.userId)).to.equal(0)
    })

    it('are never connected to an application that is being deleted', async () => {
      for (let n = 0; n < 10; n += 1) {
        const { id, userId } = await createApplication(context)
        applicationId = id
        await Promise.allSettled([deleteApplication(context, userId, id), choose(line.lineId)])
        expect(await connected()).to.deep.equal([])
      }
    })
  })

  describe('the event lineDisconnected', () => {
    const receiver = openForEachTest(startReceiver)
    let application: Awaited<ReturnType<typeof createApplication>>

    const line = lineForEachTest(context)
    const createAsking = () =>
      createApplication(context, { webhookUrl: receiver.url, optInEvents: ['lineDisconnected'] })
    beforeEach(async () => {
      application = await createAsking()
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
      receiver.requests.map((request) => verifyEvent(request, application.signingSecret!) as object)
    const eventOf = (of: TestLine) => ({
      ...{ ...textEventOf(of), type: 'lineDisconnected', payload: '', fromNumber: of.number },
    })
    const disconnect = () => endAuthorizations(context, line.userId, application.id, line.lineId)

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

    it('is not held while its line is disabled', async () => {
      await setLineStatus(context, line.userId, line.lineId, 'disabled')
      await disconnect()
      const [row] = await deliveries()
      expect(await attempt(row!)).to.deep.equal({ kind: 'delivered' })
      expect(received()).to.deep.equal([eventOf(line)])
    })

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
      const other = await createAsking()
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
      const disabled = { disabled_at: new Date(), disabled_reason: 'failing' }
      await changeRows(context, 'endpoints', application.endpointId, disabled)
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

      await changeRows(context, 'deliveries', row!.id, { status: 'pending' })
      expect(await attempt(row!)).to.deep.equal({ kind: 'exhausted', failure: 'disconnected' })
      expect(await deliveryRow(context, row!.id)).to.include({ status: 'exhausted', attempt_count: 0 })
      expect(receiver.requests).to.deep.equal([])
    })
  })
})
