import { expect } from 'chai'
import type { Context } from '../../../../src/domain/context.js'
import { setLineStatus } from '../../../../src/domain/lines/lines.js'
import { sendMessage } from '../../../../src/domain/messages/send.js'
import { newId } from '../../../../src/ids.js'
import { Unavailable } from '../../../../src/errors.js'
import { sweep } from '../../../../src/domain/sweep.js'
import { describeContext, joinService } from '../../../helpers/context.js'
import { createLine, type TestLine } from '../../../helpers/factories.js'
import { failure } from '../../../helpers/failure.js'
import {
  receiveNew,
  ago,
  messageRow,
  queueMessage,
  takenMessages,
  withCarrier,
  ahead,
  loseWorker,
  sendWhenDue,
  UNLIMITED,
} from '../../fixtures.js'

describeContext('a job that sends a message', (context) => {
  const sameService = joinService(context)

  it('hands a queued message to the carrier of its line and keeps the carrier’s id', async () => {
    const line = await createLine(context)
    const id = await queueMessage(context, line, { text: 'Hello, world' })
    expect(await sendMessage(context, id)).to.deep.equal({ kind: 'sent' })

    const row = await messageRow(context, id)
    expect(row).to.include({ status: 'sent', error: null, attempt_count: 1, lease_until: null })
    expect(row.sent_at).to.be.a('date')
    const taken = await context.db('simulator_outbox').where({ message_id: id }).select<object[]>()
    expect(taken).to.have.length(1)
    expect(taken[0]).to.deep.include({
      carrier_message_id: row.carrier_message_id,
      from_number: line.number,
      to_number: row.to_number,
      text: 'Hello, world',
      media_urls: [],
    })
    expect(
      await context
        .db('carrier_message_ids')
        .where({ message_id: id })
        .select('carrier', 'carrier_message_id'),
    ).to.deep.equal([{ carrier: 'simulator', carrier_message_id: row.carrier_message_id }])
  })

  for (const status of ['sending', 'sent', 'delivered', 'failed', 'unknown']) {
    it(`leaves a message alone that is ${status}`, async () => {
      const id = await queueMessage(context, await createLine(context), { status, attempt_count: 1 })
      const before = await messageRow(context, id)
      expect(await sendMessage(context, id)).to.deep.equal({ kind: 'skipped' })
      expect(await messageRow(context, id)).to.deep.equal(before)
      expect(await context.db('simulator_outbox').where({ message_id: id }).select()).to.deep.equal([])
    })
  }

  it('does nothing for an id that is no message', async () => {
    expect(await sendMessage(context, newId())).to.deep.equal({ kind: 'skipped' })
  })

  it('sends once when two processes work on the same message at the same time', async () => {
    const line = await createLine(context)
    const id = await queueMessage(context, line)
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) => sendMessage(n % 2 === 0 ? context : sameService, id)),
    )
    expect(outcomes.filter(({ kind }) => kind === 'sent')).to.have.length(1)
    expect(outcomes.filter(({ kind }) => kind === 'skipped')).to.have.length(19)
    expect((await takenMessages(context)).filter((taken) => taken === id)).to.have.length(1)
    expect(await messageRow(context, id)).to.include({ status: 'sent', attempt_count: 1 })
  })

  for (const [error, prepare] of [
    [
      'expired',
      (line: TestLine) => queueMessage(context, line, { created_at: ago(context, '4 hours 1 second') }),
    ],
    [
      'opted_out',
      async (line: TestLine) => {
        const id = await queueMessage(context, line)
        await receiveNew(context, line, { content: { type: 'inboundText', text: 'Stop' } })
        return id
      },
    ],
    [
      'line_disabled',
      async (line: TestLine) => {
        await setLineStatus(context, line.userId, line.lineId, 'disabled')
        return queueMessage(context, line)
      },
    ],
  ] as const) {
    it(`fails a message for good, without asking the carrier: ${error}`, async () => {
      const id = await prepare(await createLine(context))
      const unasked = withCarrier(context, () => Promise.reject(new Error('the carrier was asked')))
      expect(await sendMessage(unasked, id)).to.deep.equal({ kind: 'failed', error })
      expect(await messageRow(context, id)).to.include({ status: 'failed', error, attempt_count: 0 })
    })
  }

  it('fails a message of a line whose carrier is not set up here', async () => {
    const id = await queueMessage(context, await createLine(context))
    const carriers = { ...context.carriers, get: () => Promise.resolve(undefined) }
    const error = 'carrier_missing'
    expect(await sendMessage({ ...context, carriers }, id)).to.deep.equal({ kind: 'failed', error })
    expect(await messageRow(context, id)).to.include({ status: 'failed', error })
  })

  it('sends a message that is just younger than its time to live', async () => {
    const created_at = ago(context, '3 hours 59 minutes')
    const id = await queueMessage(context, await createLine(context), { created_at })
    expect(await sendMessage(context, id)).to.deep.equal({ kind: 'sent' })
  })

  for (const [what, kind, columns] of [
    ['is over', 'skipped', () => ({ status: 'delivered' })],
    ['fails', 'failed', () => ({ created_at: ago(context, '1 day') })],
  ] as const) {
    it(`takes no place in the windows for a message that ${what}`, async () => {
      const line = await createLine(context, { messagesPerNumberPerMinute: 1 })
      const over = await queueMessage(context, line, columns())
      const fresh = await queueMessage(context, line)
      expect(await sendMessage(context, over)).to.include({ kind })
      expect(await sendMessage(context, fresh)).to.deep.equal({ kind: 'sent' })
    })
  }

  describe('a worker that is late', () => {
    let line: TestLine

    beforeEach(async () => {
      line = await createLine(context, UNLIMITED)
    })

    const realNow = performance.now.bind(performance)
    afterEach(() => (performance.now = realNow))
    /** The process was stopped for longer than its claim lasts. */
    const wakeLate = () => (performance.now = () => realNow() + 30_000)

    /** Between the claim and its answer something happens. */
    function afterClaim(what: (id: string) => Promise<unknown>): Context {
      const claimMessage: Context['batched']['claimMessage'] = async (request) => {
        const answer = await context.batched.claimMessage(request)
        await what(request.id)
        return answer
      }
      const carrierless = withCarrier(context, () => {
        throw new Error('the carrier was called')
      })
      return { ...carrierless, batched: { ...context.batched, claimMessage } }
    }

    it('because it was stopped after its claim gives the message back unsent, also when its lease is over', async () => {
      const id = await queueMessage(context, line)
      const stopped = afterClaim(async () => {
        await loseWorker(context, 'messages', [id])
        await sweep(context)
        expect(await messageRow(context, id)).to.include({ status: 'unknown' })
        wakeLate()
      })
      expect(await sendMessage(stopped, id)).to.deep.equal({ kind: 'wait', ms: 0, reason: 'too_late' })
      expect(await messageRow(context, id)).to.include({
        status: 'queued',
        attempt_count: 0,
        handed_over_at: null,
      })
      expect(await sendMessage(context, id)).to.deep.equal({ kind: 'sent' })
    })

    it('leaves it unknown when the next one to the number was sent meanwhile: it would come out of order', async () => {
      const [first, second] = [await queueMessage(context, line), await queueMessage(context, line)]
      const stopped = afterClaim(async () => {
        await loseWorker(context, 'messages', [first])
        await sweep(context)
        expect(await sendMessage(context, second)).to.deep.equal({ kind: 'sent' })
        wakeLate()
      })
      expect(await sendMessage(stopped, first)).to.include({ reason: 'too_late' })
      expect(await messageRow(context, first)).to.include({ status: 'unknown', error: 'worker_lost' })
    })

    it('because the answer to its claim was lost gives the message back', async () => {
      const id = await queueMessage(context, line)
      const lost = afterClaim(() => Promise.reject(new Unavailable('Postgres is not available')))
      expect(await failure(sendMessage(lost, id))).to.be.instanceOf(Unavailable)
      expect(await messageRow(context, id)).to.include({ status: 'queued', attempt_count: 0 })
      expect(await sendMessage(context, id)).to.deep.equal({ kind: 'sent' })
    })

    it('does not take a message that another one has claimed since', async () => {
      const id = await queueMessage(context, line)
      let taken = ''
      const late = afterClaim(async () => {
        const { claim_id: claim } = await messageRow(context, id)
        const back = { id, claim: claim!, status: 'queued' } as const
        await context.batched.settleMessage(back)
        taken = (await sendWhenDue(context, id)).kind
        throw new Unavailable('Postgres is not available')
      })
      await failure(sendMessage(late, id))
      expect(taken).to.equal('sent')
      expect(await messageRow(context, id)).to.include({ status: 'sent' })
    })

    it('or early does nothing with a message whose time has not come by Postgres’s clock', async () => {
      const id = await queueMessage(context, line, {
        not_before: ahead(context, '1 minute'),
      })
      const outcome = await sendMessage(context, id)
      if (outcome.kind !== 'wait') throw new Error(outcome.kind)
      expect(outcome).to.include({ reason: 'early' })
      expect(outcome.ms).to.be.within(50_000, 60_000)
      expect(await messageRow(context, id)).to.include({ status: 'queued', attempt_count: 0 })
    })
  })
})
