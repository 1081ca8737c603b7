import { expect } from 'chai'
import type { CarrierReason } from '../../../src/carrier-reasons.js'
import { CarrierRejected } from '../../../src/carriers/carrier.js'
import { disableConnection } from '../../../src/domain/lines/connections.js'
import { MAX_CRASHES } from '../../../src/domain/crashes.js'
import { deliver } from '../../../src/domain/endpoints/deliveries/deliver.js'
import { setLineStatus } from '../../../src/domain/lines/lines.js'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { receiveReceipt } from '../../../src/domain/messages/receipts.js'
import { countMessageCrash, sendMessage } from '../../../src/domain/messages/send.js'
import { sendSimulatedReceipts } from '../../../src/domain/simulator/simulator.js'
import { sweep } from '../../../src/domain/sweep.js'
import { newId } from '../../../src/ids.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { startReceiver } from '../../helpers/services/receiver.js'
import { openForSuite } from '../../helpers/suite.js'
import { until } from '../../helpers/until.js'
import {
  sendNew,
  textEventOf,
  verifyEvent,
  changeRows,
  ANNA,
  claimMessage,
  hasDeliveryJob,
  inboundText,
  loseWorker,
  messageRow,
  queueMessage,
  UNLIMITED,
  withCarrier,
  type DeliveryRow,
} from '../fixtures.js'
import { connect, createApplication } from '../applications/applications.js'

const REJECTED_NUMBER = '+15005550001'
const UNKNOWN_NUMBER = '+15005550004'

interface Told {
  messageId: string
  status: string
  error: string | null
  carrierCode: string | null
  carrierReason: string | null
  clientRef: string | null
  price: string | null
  currency: string | null
}

describeContext('the event messageStatus', (context) => {
  const receiver = openForSuite(startReceiver)
  let line: TestLine

  beforeEach(async () => {
    receiver.requests.length = 0
    line = await openLine(['messageStatus'])
  })

  const openLine = (optInEvents: string[]) =>
    createLine(context, { ...UNLIMITED, outgoingUrl: receiver.url, optInEvents })

  const events = (of = line) =>
    context
      .db('events')
      .where({ line_id: of.lineId, type: 'messageStatus' })
      .orderBy('id')
      .select<{ id: string; payload: string; message_id: string }[]>()
  const told = async (of = line) => (await events(of)).map(({ payload }) => JSON.parse(payload) as Told)
  const saying = (messageId: string, status: string, error: string | null = null) => ({
    ...{ messageId, status, error, carrierCode: null, carrierReason: null, clientRef: null },
    ...{ price: null, currency: null },
  })
  const statuses = async (of = line) => (await told(of)).map(({ status }) => status)
  const deliveries = (of = line) =>
    context
      .db('deliveries')
      .where({ line_id: of.lineId, type: 'messageStatus' })
      .orderBy('id')
      .select<(DeliveryRow & { application_id: string | null })[]>()
  const attempt = ({ id, endpoint_id: endpointId }: DeliveryRow) => deliver(context, id, endpointId)

  it('tells that a message was sent, signed, with the six fields', async () => {
    const id = await sendNew(context, line)
    const [delivery] = await deliveries()
    await until('it has a job', () => hasDeliveryJob(context, delivery!.id, 0))
    expect(await attempt(delivery!)).to.deep.equal({ kind: 'delivered' })
    const [request] = receiver.requests
    const payload = JSON.stringify(saying(id, 'sent'))
    const expected = { ...textEventOf(line), type: 'messageStatus', payload }
    expect(verifyEvent(request, line.signingSecret)).to.deep.equal(expected)
    expect((await events())[0]).to.include({ message_id: id, id: request?.headers['webhook-id'] })
  })

  it('tells each state once, whatever is said twice', async () => {
    const id = await sendNew(context, line)
    const { carrier_message_id: carrierMessageId } = await messageRow(context, id)
    const receipt = { carrierAccount: 'simulator', carrierMessageId: carrierMessageId! }
    for (const status of ['sent', 'delivered', 'delivered', 'sent', 'failed'] as const) {
      await receiveReceipt(context, { ...receipt, status })
    }
    expect(await statuses()).to.deep.equal(['sent', 'delivered'])
    const { status, claim_id: claim } = await messageRow(context, id)
    expect(status).to.equal('delivered')
    await context.batched.settleMessage({ id, claim: claim!, status: 'sent' })
    expect(await statuses()).to.deep.equal(['sent', 'delivered'])
  })

  it('tells each state once when the answer and receipts come at the same moment', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, n) => queueMessage(context, line, { to_number: `${ANNA}${n}` })),
    )
    const claims = await Promise.all(ids.map((id) => claimMessage(context, id)))
    await Promise.all(
      ids.flatMap((id, n) => {
        const receipt = { carrierAccount: 'simulator', carrierMessageId: `${id}/c`, messageId: id }
        const settlement = {
          ...receipt,
          carrier: 'simulator',
          id,
          claim: claims[n]!.claim,
          lineId: line.lineId,
          toNumber: `${ANNA}${n}`,
        }
        return [
          context.batched.settleMessage({ ...settlement, status: 'sent' }),
          receiveReceipt(context, { ...receipt, status: 'sent' }),
          receiveReceipt(context, { ...receipt, status: 'delivered' }),
          receiveReceipt(context, { ...receipt, status: 'delivered' }),
        ]
      }),
    )
    const all = (await told()).map(({ messageId, status }) => `${messageId} ${status}`)
    expect(all).to.have.length(new Set(all).size)
    expect(all).to.include.members(ids.map((id) => `${id} delivered`))
    for (const id of ids) {
      expect(await messageRow(context, id)).to.include({ status: 'delivered', carrier_message_id: `${id}/c` })
    }
  })

  it('tells what the carrier has said by then that the message costs, exactly', async () => {
    const id = await queueMessage(context, line)
    const { claim } = await claimMessage(context, id)
    const of = { carrierAccount: 'simulator', carrierMessageId: newId() }
    const charge = { price: '0.00790', currency: 'USD', segmentCount: 1 }
    await context.batched.settleMessage({ ...of, id, claim, carrier: 'simulator', status: 'sent', charge })
    await receiveReceipt(context, { ...of, status: 'delivered' })
    const [late, early] = [await sendNew(context, line), await sendNew(context, line)]
    for (const [messageId, said] of [
      [late, {}],
      [early, { charge: { ...charge, price: '12', currency: 'EUR' } }],
    ] as const) {
      const { carrier_message_id: carrierMessageId } = await messageRow(context, messageId)
      await receiveReceipt(context, {
        ...{ carrierAccount: 'simulator', carrierMessageId: carrierMessageId!, status: 'delivered' },
        ...said,
      })
    }
    const all = (await told()).map(({ messageId, status, price, currency }) => [
      messageId,
      status,
      price,
      currency,
    ])
    expect(all).to.have.deep.members([
      [id, 'sent', '0.00790', 'USD'],
      [id, 'delivered', '0.00790', 'USD'],
      [late, 'sent', null, null],
      [late, 'delivered', null, null],
      [early, 'sent', null, null],
      [early, 'delivered', '12', 'EUR'],
    ])
  })

  it('tells a receipt’s error and the carrier’s code', async () => {
    const id = await queueMessage(context, line, { status: 'unknown' })
    await receiveReceipt(context, {
      carrierAccount: 'simulator',
      carrierMessageId: newId(),
      messageId: id,
      status: 'failed',
      error: 'a "bad" number',
      carrierCode: '30003',
    })
    const expected = { ...saying(id, 'failed', 'a "bad" number'), carrierCode: '30003' }
    expect(await told()).to.deep.equal([expected])
  })

  it('tells what a receipt’s code means, where it is known', async () => {
    const receipt = { carrierAccount: 'simulator', carrierKind: 'twilio', status: 'failed' } as const
    for (const carrierCode of ['30003', '39999']) {
      const messageId = await queueMessage(context, line, { status: 'unknown' })
      await receiveReceipt(context, { ...receipt, carrierMessageId: newId(), messageId, carrierCode })
    }
    expect((await told()).map(({ carrierReason }) => carrierReason)).to.deep.equal(['unreachable', null])
  })

  it('tells what the code of a refusal means, where it is known', async () => {
    await context.db('carrier_accounts').insert({ id: newId(), name: 'twilio-main', kind: 'twilio' })
    await context.db('lines').where({ id: line.lineId }).update({ carrier: 'twilio-main' })
    const refuse = (code: string, reason?: CarrierReason) => () =>
      Promise.reject(new CarrierRejected('no', code, false, false, reason))
    const expected: (CarrierReason | null)[] = ['blocked_by_recipient', null, 'no_credit']
    const kept: unknown[] = []
    for (const [code, reason] of [['21610'], ['39999'], ['39998', 'no_credit']] as const) {
      const id = await queueMessage(context, line)
      await sendMessage(withCarrier(context, refuse(code, reason)), id)
      kept.push((await messageRow(context, id)).carrier_reason)
    }
    expect((await told()).map(({ carrierReason }) => carrierReason)).to.deep.equal(expected)
    expect(kept).to.deep.equal(expected)
  })

  it('tells what receipts of the simulator say', async () => {
    await sendNew(context, line)
    await context.db('simulator_outbox').update({ taken_at: new Date(0) })
    await sendSimulatedReceipts(context)
    expect(await statuses()).to.deep.equal(['sent', 'delivered'])
  })

  it('tells that a carrier refused, and that nobody knows', async () => {
    await sendNew(context, line, { to_number: REJECTED_NUMBER })
    await sendNew(context, line, { to_number: UNKNOWN_NUMBER })
    expect(await statuses()).to.deep.equal(['failed', 'unknown'])
  })

  it('tells nothing of a message that goes back to the queue', async () => {
    const id = await queueMessage(context, line, { to_number: '+15005550003' })
    expect(await sendMessage(context, id)).to.include({ kind: 'wait' })
    expect(await statuses()).to.deep.equal([])
  })

  it('tells of a message that may not be sent any more', async () => {
    const id = await sendNew(context, line, { created_at: '2020-01-01T00:00:00Z' })
    await sendMessage(context, id)
    expect(await told()).to.deep.equal([saying(id, 'failed', 'expired')])
  })

  it('tells of a message whose worker is lost, and what is heard of it later', async () => {
    const id = await queueMessage(context, line)
    await claimMessage(context, id)
    await loseWorker(context, 'messages', [id])
    await sweep(context)
    await sweep(context)
    expect(await told()).to.deep.equal([saying(id, 'unknown', 'worker_lost')])
    const receipt = { carrierAccount: 'simulator', carrierMessageId: newId(), messageId: id } as const
    await receiveReceipt(context, { ...receipt, status: 'sent' })
    expect(await statuses()).to.deep.equal(['unknown', 'sent'])
  })

  it('tells of a message that was given up, and lets the next one to its number go', async () => {
    const id = await queueMessage(context, line)
    const next = await queueMessage(context, line)
    for (let n = 1; n < MAX_CRASHES; n += 1) await countMessageCrash(context, id)
    expect(await statuses()).to.deep.equal([])
    await countMessageCrash(context, id)
    expect(await statuses()).to.deep.equal(['failed'])
    expect(await messageRow(context, next)).to.include({ job_generation: 1 })
  })

  for (const [what, optInEvents, prepare] of [
    ['a line that asked for nothing', []],
    ['a line that asked for something else', ['optOut']],
    [
      'a line whose connection is off',
      ['messageStatus'],
      ({ userId, lineId }: TestLine) => disableConnection(context, userId, lineId),
    ],
    [
      'a line that is off',
      ['messageStatus'],
      ({ userId, lineId }: TestLine) => setLineStatus(context, userId, lineId, 'disabled'),
    ],
  ] as [string, string[], ((of: TestLine) => Promise<unknown>)?][]) {
    it(`is not made for ${what}, nor for a message that is received`, async () => {
      const other = await openLine(optInEvents)
      await receiveMessage(context, inboundText(other))
      await prepare?.(other)
      await sendNew(context, other)
      expect([await events(other), await deliveries(other)]).to.deep.equal([[], []])
    })
  }

  it('is held while the endpoint is disabled', async () => {
    await changeRows(context, 'endpoints', { user_id: line.userId }, { disabled_at: new Date() })
    await sendNew(context, line)
    expect((await deliveries()).map(({ status }) => status)).to.deep.equal(['held'])
  })

  describe('for applications', () => {
    const open = async (
      optInEvents: string[],
      scopes: Parameters<typeof connect>[3] = ['messages:connect'],
    ) => {
      const application = await createApplication(context, { webhookUrl: receiver.url, optInEvents })
      await connect(context, application, line, scopes)
      return application
    }

    it('goes to each that asked for it and has the line’s events, as one event', async () => {
      const application = await open(['messageStatus'])
      await open([])
      await open(['messageStatus'], ['messages:write'])
      await sendNew(context, line)
      expect(await events()).to.have.length(1)
      expect((await deliveries()).map((each) => each.application_id)).to.have.members([null, application.id])
    })
  })
})
