import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import {
  CarrierOutcomeUnknown,
  CarrierRejected,
  CarrierThrottled,
  CarrierUnavailable,
} from '../../../../src/carriers/carrier.js'
import { MAGIC_NUMBERS } from '../../../../src/carriers/simulator.js'
import { receiveReceipt } from '../../../../src/domain/messages/receipts.js'
import { closeTraces, openTraces } from '../../../../src/telemetry/traces.js'
import { describeContext } from '../../../helpers/context.js'
import { lineForEachTest } from '../../../helpers/factories.js'
import { spansOf } from '../../../helpers/process/spans.js'
import { startReceiver } from '../../../helpers/services/receiver.js'
import {
  ago,
  changeRows,
  dueAfterMs,
  messageRow,
  queueMessage,
  takenMessages,
  UNLIMITED,
  withCarrier,
  sendWhenDue,
} from '../../fixtures.js'

describeContext('what a carrier answers', (context) => {
  /** Only for a carrier that never answers: on a busy machine a good one takes as long. */
  const impatient = () => ({ ...context, config: { ...context.config, carrierTimeoutMs: 200 } })

  const line = lineForEachTest(context, UNLIMITED)

  it('“wait” moves the message to the moment that the carrier named and is not an attempt', async () => {
    const id = await queueMessage(context, line, { to_number: MAGIC_NUMBERS.throttled })
    const since = Date.now()
    const outcome = await sendWhenDue(context, id)
    if (outcome.kind !== 'wait') throw new Error(`outcome ${outcome.kind}`)
    expect(outcome.reason).to.equal('throttled')
    expect(outcome.ms).to.be.within(1, 2000)
    expect(await messageRow(context, id)).to.include({
      status: 'queued',
      attempt_count: 0,
      error: 'throttled',
      lease_until: null,
    })
    expect(await dueAfterMs(context, 'messages', id, since)).to.be.within(outcome.ms - 5, outcome.ms + 10_000)

    await changeRows(context, 'messages', id, { created_at: ago(context, '1 minute') })
    expect(await sendWhenDue(context, id)).to.deep.equal({ kind: 'sent' })
    expect(await messageRow(context, id)).to.include({ status: 'sent', attempt_count: 1, error: null })
  })

  for (const retryInMs of [Number.NaN, Number.POSITIVE_INFINITY, 1e15, -5]) {
    it(`“wait” for ${retryInMs} ms is brought into bounds`, async () => {
      const id = await queueMessage(context, line)
      const throttling = withCarrier(context, () => Promise.reject(new CarrierThrottled(retryInMs)))
      const outcome = await sendWhenDue(throttling, id)
      if (outcome.kind !== 'wait') throw new Error(`outcome ${outcome.kind}`)
      expect(outcome.ms).to.be.within(0, 24 * 3_600_000)
      expect(await messageRow(context, id)).to.include({ status: 'queued', attempt_count: 0 })
    })
  }

  it('“not known” names the parts that it has taken, also if its time was over', async () => {
    const id = await queueMessage(context, line)
    const heeding = withCarrier(impatient(), (_, signal) =>
      new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => setImmediate(resolve))
      }).then(() => {
        throw new CarrierOutcomeUnknown('a later part was not taken in time', {
          carrierPartIds: ['p1', 'p2'],
        })
      }),
    )
    expect((await sendWhenDue(heeding, id)).kind).to.equal('unknown')
    const ids = await context.db('carrier_message_ids').where({ message_id: id }).pluck('carrier_message_id')
    expect(ids).to.have.members(['p1', 'p2'])
    expect(await messageRow(context, id)).to.include({ status: 'unknown', carrier_message_id: null })
  })

  it('“taken” with an id that is longer than an index holds is sent, and its receipt finds it', async () => {
    for (const carrierMessageId of [
      randomBytes(3000).toString('base64'),
      '\u{1F4F1}'.repeat(2000),
      '\0sent-1',
    ]) {
      const id = await queueMessage(context, line)
      const wordy = withCarrier(context, () => Promise.resolve({ carrierMessageId }))
      expect(await sendWhenDue(wordy, id)).to.deep.equal({ kind: 'sent' })
      expect((await messageRow(context, id)).carrier_message_id).to.have.lengthOf.below(200)
      const receipt = { carrierAccount: 'simulator', carrierMessageId, status: 'delivered' } as const
      expect(await receiveReceipt(context, receipt)).to.equal(true)
      expect(await messageRow(context, id)).to.include({ status: 'delivered' })
    }
  })

  it('“taken” with such an id has it in its trace as in its row', async () => {
    const collector = await startReceiver()
    const endpoint = `http://127.0.0.1:${collector.port}`
    await openTraces('test', { version: '1', traces: { endpoint, headers: {}, share: 1 } }, context.log)
    const id = await queueMessage(context, line)
    try {
      const wordy = withCarrier(context, () => Promise.resolve({ carrierMessageId: 'x'.repeat(5000) }))
      await sendWhenDue(wordy, id)
    } finally {
      await closeTraces()
      await collector.close()
    }
    const span = spansOf(collector.requests).find(({ name }) => name === 'send message')
    const { carrier_message_id: stored } = await messageRow(context, id)
    expect(span?.attributes['linehook.carrier.message_id']).to.equal(stored)
  })

  it('“not available” counts, and the message is tried again with a growing wait until it works', async () => {
    const id = await queueMessage(context, line, { to_number: MAGIC_NUMBERS.unavailableTwice })
    for (const [attempt, ms] of [
      [1, 1000],
      [2, 2000],
    ] as const) {
      const since = Date.now()
      const outcome = await sendWhenDue(context, id)
      if (outcome.kind !== 'wait') throw new Error(`outcome ${outcome.kind}`)
      expect(outcome.reason).to.equal('unavailable')
      expect(outcome.ms).to.be.within(0.8 * ms, 1.2 * ms)
      expect(await messageRow(context, id)).to.include({
        status: 'queued',
        attempt_count: attempt,
        error: 'carrier_unavailable',
        lease_until: null,
      })
      expect(await dueAfterMs(context, 'messages', id, since)).to.be.within(
        outcome.ms - 5,
        outcome.ms + 10_000,
      )
    }
    expect(await sendWhenDue(context, id)).to.deep.equal({ kind: 'sent' })
    expect(await messageRow(context, id)).to.include({ status: 'sent', attempt_count: 3, error: null })
    expect((await takenMessages(context)).filter((taken) => taken === id)).to.have.length(1)
  })

  it('“not available” waits 5 minutes at most', async () => {
    const id = await queueMessage(context, line, { attempt_count: 40 })
    const away = withCarrier(context, () => Promise.reject(new CarrierUnavailable('no connection')))
    const outcome = await sendWhenDue(away, id)
    if (outcome.kind !== 'wait') throw new Error(`outcome ${outcome.kind}`)
    expect(outcome.ms).to.be.within(240_000, 360_000)
  })

  it('“rejected” fails the message with the carrier’s reason', async () => {
    const id = await queueMessage(context, line, { to_number: MAGIC_NUMBERS.rejected })
    const error = 'simulator: this number rejects every message'
    expect(await sendWhenDue(context, id)).to.deep.equal({ kind: 'failed', error })
    expect(await messageRow(context, id)).to.include({
      status: 'failed',
      error,
      attempt_count: 1,
      sent_at: null,
    })
  })

  it('“rejected” with a reason that Postgres cannot hold is kept without what it cannot hold', async () => {
    const id = await queueMessage(context, line)
    const rejecting = withCarrier(context, () => Promise.reject(new CarrierRejected('no\0 way \ud800')))
    expect(await sendWhenDue(rejecting, id)).to.include({ kind: 'failed' })
    expect(await messageRow(context, id)).to.include({ status: 'failed', error: 'no way \ufffd' })
  })

  for (const [what, toNumber] of [
    ['an outcome that is not known', MAGIC_NUMBERS.outcomeUnknown],
    ['no response in time', MAGIC_NUMBERS.neverAnswers],
  ] as const) {
    it(`${what} makes the message unknown, and it is never sent again by itself`, async () => {
      const id = await queueMessage(context, line, { to_number: toNumber })
      expect(await sendWhenDue(impatient(), id)).to.deep.equal({
        kind: 'unknown',
        error: 'carrier_outcome_unknown',
      })
      expect(await messageRow(context, id)).to.include({
        status: 'unknown',
        error: 'carrier_outcome_unknown',
        attempt_count: 1,
        lease_until: null,
        sent_at: null,
      })
      expect(await sendWhenDue(context, id)).to.deep.equal({ kind: 'skipped' })
    })
  }

  const rejecting = (thrown: unknown) => () => Promise.reject(thrown)
  for (const [what, send] of [
    ['nothing, from a carrier that does not heed its signal,', () => new Promise<never>(() => undefined)],
    ['an error that no carrier may throw', rejecting(new TypeError('no function'))],
    ['something that is no error', rejecting('oops')],
    ['CarrierOutcomeUnknown', rejecting(new CarrierOutcomeUnknown('reset'))],
    [
      'an error thrown before any promise',
      () => {
        throw new Error('at once')
      },
    ],
  ] as [string, () => Promise<never>][]) {
    it(`${what} counts as unknown: perhaps it was sent`, async () => {
      const id = await queueMessage(context, line)
      const error = 'carrier_outcome_unknown'
      const outcome = await sendWhenDue(withCarrier(impatient(), send), id)
      expect(outcome).to.deep.equal({ kind: 'unknown', error })
      expect(await messageRow(context, id)).to.include({ status: 'unknown', error })
    })
  }

  it('concerns one message: others that are settled in the same moment keep their own outcome', async () => {
    const ids: string[] = []
    for (let n = 0; n < 6; n += 1)
      ids.push(await queueMessage(context, line, { to_number: `+1500555020${n}` }))
    const mixed = withCarrier(context, ({ id }) => {
      const n = ids.indexOf(id)
      if (n === 0) return Promise.reject(new CarrierRejected('\0'))
      if (n === 1) return Promise.reject(new CarrierThrottled(1e15))
      return Promise.resolve({ carrierMessageId: `mixed-${n}` })
    })
    const outcomes = await Promise.all(ids.map((id) => sendWhenDue(mixed, id)))
    expect(outcomes.map(({ kind }) => kind)).to.deep.equal(['failed', 'wait', 'sent', 'sent', 'sent', 'sent'])
  })

  it('sees what it needs: numbers, text, our id, the attempt and the age', async () => {
    const id = await queueMessage(context, line, { text: 'Look', attempt_count: 2 })
    const asked: object[] = []
    const curious = withCarrier(context, (message) => {
      asked.push(message)
      return Promise.resolve({ carrierMessageId: 'curious-1' })
    })
    await sendWhenDue(curious, id)
    const { ageMs, ...message } = asked[0] as { ageMs: number }
    expect(message).to.deep.equal({
      id,
      fromNumber: line.number,
      toNumber: '+15005550101',
      text: 'Look',
      media: [],
      attempt: 3,
    })
    expect(ageMs).to.be.within(0, 60_000)
  })
})
