import { expect } from 'chai'
import { CarrierOutcomeUnknown, CarrierRejected, CarrierUnavailable } from '../../../src/carriers/carrier.js'
import { MAGIC_NUMBERS } from '../../../src/carriers/simulator.js'
import { runLane } from '../../../src/domain/endpoints/deliveries/lane.js'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { receiveReceipt } from '../../../src/domain/messages/receipts.js'
import { sendMessage } from '../../../src/domain/messages/send.js'
import { sweep } from '../../../src/domain/sweep.js'
import { describeContext } from '../../helpers/context.js'
import { lineForEachTest } from '../../helpers/factories.js'
import { risesOf } from '../../helpers/metrics.js'
import { startReceiver } from '../../helpers/services/receiver.js'
import { openForSuite } from '../../helpers/suite.js'
import {
  sendNew,
  changeRows,
  claimMessage,
  deliverWhenDue,
  inboundText,
  loseWorker,
  messageRow,
  queueMessage,
  receiveForDelivery,
  UNLIMITED,
  withCarrier,
  post,
} from '../fixtures.js'
import { copyMedia } from '../../helpers/media.js'

describeContext('metrics of what workers do', (context) => {
  const receiver = openForSuite(startReceiver)

  const line = lineForEachTest(context, () => ({ ...UNLIMITED, outgoingUrl: receiver.url }))

  const attempts = (outcome: string) =>
    ['linehook_carrier_attempts_total', { carrier: 'simulator', outcome }] as const
  const ended = (outcome: string, reason: string) =>
    ['linehook_message_outcomes_total', { outcome, reason }] as const

  it('count each hand-over by what the carrier answered, and each end of a message', async () => {
    const send = async (answer: () => Promise<never>, toNumber: string) => {
      const id = await queueMessage(context, line, { to_number: toNumber })
      await sendMessage(withCarrier(context, answer), id)
    }
    const rises = await risesOf(
      [
        ...['taken', 'rejected', 'unknown', 'unavailable', 'throttled'].map(attempts),
        ended('sent', 'none'),
        ended('failed', 'carrier'),
        ended('unknown', 'carrier_outcome_unknown'),
        ['linehook_message_wait_seconds_count', { reason: 'unavailable' }],
        ['linehook_message_wait_seconds_count', { reason: 'throttled' }],
        ['linehook_carrier_attempt_duration_seconds_count', { carrier: 'simulator' }],
        ['linehook_message_hand_over_age_seconds_count'],
      ],
      async () => {
        await sendNew(context, line)
        await send(() => Promise.reject(new CarrierRejected('no, +15005550199')), '+15005550110')
        await send(() => Promise.reject(new CarrierOutcomeUnknown('who knows')), '+15005550111')
        await send(() => Promise.reject(new CarrierUnavailable('not now')), '+15005550112')
        await sendNew(context, line, { to_number: MAGIC_NUMBERS.throttled })
      },
    )
    expect(rises).to.deep.equal([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5, 4])
  })

  it("count carriers' codes, in what is not sent and in reports, but no text", async () => {
    const code = (value: string) => ['linehook_carrier_codes_total', { code: value }] as const
    const rises = await risesOf([code('21211'), code('30003'), code('other')], async () => {
      for (const [toNumber, given] of [
        ['+15005550113', '21211'],
        ['+15005550114', '+15005550114'],
      ] as const) {
        const id = await queueMessage(context, line, { to_number: toNumber })
        const rejecting = withCarrier(context, () => Promise.reject(new CarrierRejected('no', given)))
        await sendMessage(rejecting, id)
      }
      const id = await sendNew(context, line)
      const { carrier_message_id: carrierMessageId } = await messageRow(context, id)
      const receipt = { carrierAccount: 'simulator', carrierMessageId: carrierMessageId ?? '' }
      await receiveReceipt(context, { ...receipt, status: 'failed', carrierCode: '30003' })
      await receiveReceipt(context, { ...receipt, status: 'failed', carrierCode: '30003' })
    })
    expect(rises).to.deep.equal([1, 1, 1])
  })

  it('count reports by what they did', async () => {
    const receipts = (outcome: string) =>
      ['linehook_receipts_total', { status: 'delivered', outcome }] as const
    const id = await sendNew(context, line)
    const { carrier_message_id: carrierMessageId } = await messageRow(context, id)
    const receipt = { carrierAccount: 'simulator', status: 'delivered' } as const
    const rises = await risesOf(
      [receipts('changed'), receipts('unchanged'), receipts('of_nothing')],
      async () => {
        await receiveReceipt(context, { ...receipt, carrierMessageId: carrierMessageId ?? '' })
        await receiveReceipt(context, { ...receipt, carrierMessageId: carrierMessageId ?? '' })
        await receiveReceipt(context, { ...receipt, carrierMessageId: 'unheard of' })
      },
    )
    expect(rises).to.deep.equal([1, 1, 1])
  })

  it('count what carriers bring, its repeats, and what is for no line', async () => {
    const inbound = (outcome: string) =>
      ['linehook_inbound_messages_total', { type: 'inboundText', outcome }] as const
    const text = inboundText(line)
    const rises = await risesOf([inbound('received'), inbound('repeat'), inbound('no_line')], async () => {
      await receiveMessage(context, text)
      await receiveMessage(context, text)
      await receiveMessage(context, { ...inboundText(line), toNumber: '+15005550999' }).catch(() => undefined)
    })
    expect(rises).to.deep.equal([1, 1, 1])
  })

  it('count requests to endpoints by what came of them, and by the class of the answer', async () => {
    const given = (outcome: string, answer: string) =>
      ['linehook_delivery_attempts_total', { outcome, answer }] as const
    const rises = await risesOf(
      [
        given('delivered', '2xx'),
        given('retry', '4xx'),
        given('retry', '429'),
        given('retry', '5xx'),
        given('retry', '3xx'),
        given('retry', 'reset'),
        given('held', '410'),
        ['linehook_delivery_attempt_duration_seconds_count'],
      ],
      async () => {
        for (const status of [200, 404, 429, 503, 302, 'reset', 410]) {
          receiver.answerWith((response) => {
            if (typeof status === 'number') response.writeHead(status).end()
            else response.destroy()
          })
          const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
          await deliverWhenDue(context, id, endpointId)
        }
        receiver.answerWith((response) => response.end())
      },
    )
    expect(rises).to.deep.equal([1, 1, 1, 1, 1, 1, 1, 7])
  })

  it('count media by what came of the copy', async () => {
    const fetched = (outcome: string, reason: string) =>
      ['linehook_media_fetches_total', { outcome, reason }] as const
    receiver.answerWith((response) => response.writeHead(404).end())
    const rises = await risesOf(
      [fetched('failed', '4xx'), ['linehook_media_fetch_duration_seconds_count']],
      async () => {
        const { id } = await post(context, line, { mediaUrl: receiver.url })
        await copyMedia(context, id)
      },
    )
    receiver.answerWith((response) => response.end())
    expect(rises).to.deep.equal([1, 1])
  })

  it('count crashes of lanes', async () => {
    const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
    await changeRows(context, 'endpoints', endpointId, { secret_sealed: Buffer.from('not a secret') })
    const rises = await risesOf([['linehook_job_crashes_total', { queue: 'deliver-event' }]], () =>
      runLane(context, endpointId, id),
    )
    expect(rises).to.deep.equal([1])
  })

  it('count what the sweep finds, and the messages that a lost worker leaves unknown', async () => {
    const id = await queueMessage(context, line, { to_number: '+15005550120' })
    await queueMessage(context, line, { to_number: '+15005550120' })
    await claimMessage(context, id)
    await loseWorker(context, 'messages', [id])
    const rises = await risesOf(
      [ended('unknown', 'worker_lost'), ['linehook_sweeper_finds_total', { what: 'expired_messages' }]],
      () => sweep(context),
    )
    expect(rises).to.deep.equal([1, 1])
  })

  it('count jobs that Redis does not take', async () => {
    // The last test of this context.
    context.redis.disconnect()
    const rises = await risesOf([['linehook_jobs_not_enqueued_total', { queue: 'send-message' }]], () =>
      context.queues.enqueueMessages([
        { id: '018f0000-0000-7000-8000-000000000001', generation: 0 },
        { id: '018f0000-0000-7000-8000-000000000002', generation: 0 },
      ]),
    )
    expect(rises).to.deep.equal([2])
  })
})
