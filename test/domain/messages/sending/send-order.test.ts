import { expect } from 'chai'
import { CarrierOutcomeUnknown, CarrierRejected } from '../../../../src/carriers/carrier.js'
import { requeueHeads } from '../../../../src/database/messages/requeueing.js'
import type { Context } from '../../../../src/domain/context.js'
import { setLineStatus } from '../../../../src/domain/lines/lines.js'
import { sendMessage } from '../../../../src/domain/messages/send.js'
import { newId } from '../../../../src/ids.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine } from '../../../helpers/factories.js'
import { until } from '../../../helpers/until.js'
import {
  ago,
  ANNA,
  BEN,
  countWaitingForLocks,
  dueInMs,
  hasMessageJob,
  messageRow,
  queueMessage,
  queueMessages,
  takenMessages,
  UNLIMITED,
  withCarrier,
} from '../../fixtures.js'

describeContext('messages to one number', (context) => {
  it('are sent in their order, each once, by 50 parallel calls', async () => {
    const line = await createLine(context, UNLIMITED)
    const ids = await queueMessages(context, line, 10)
    // Each round ends at least one message, so this ends.
    for (let round = 0; round < ids.length; round += 1) {
      const calls = Array.from({ length: 50 }, (_, n) => sendMessage(context, ids[n % ids.length]!))
      await Promise.all(calls)
    }
    expect(await takenMessages(context, ANNA)).to.deep.equal(ids)
  })

  it('wait for the one before them: the later is behind, and says so in no attempt', async () => {
    const line = await createLine(context)
    const [first, second] = await queueMessages(context, line, 2)
    expect(await sendMessage(context, second!)).to.deep.equal({ kind: 'behind' })
    expect(await messageRow(context, second!)).to.include({ status: 'queued', attempt_count: 0 })
    expect(await messageRow(context, first!)).to.include({ status: 'queued', job_generation: 0 })
    // Far enough ahead that the sweeper does not look at it every second.
    expect(await dueInMs(context, 'messages', second!)).to.be.greaterThan(10_000)
  })

  it('are handed over: the end of one gives the next a new job at once', async () => {
    const line = await createLine(context)
    const [first, second, third] = await queueMessages(context, line, 3)
    await sendMessage(context, second!)
    expect(await sendMessage(context, first!)).to.deep.equal({ kind: 'sent' })
    await until('the second has a new job', () => hasMessageJob(context, second!, 1))
    expect(await messageRow(context, second!)).to.include({ job_generation: 1 })
    expect(await dueInMs(context, 'messages', second!)).to.be.lessThan(1)
    expect(await messageRow(context, third!)).to.include({ job_generation: 0 })
    expect(await sendMessage(context, third!)).to.deep.equal({ kind: 'behind' })
    expect(await sendMessage(context, second!)).to.deep.equal({ kind: 'sent' })
    await until('the third has a new job', () => hasMessageJob(context, third!, 1))
  })

  for (const [what, error, status] of [
    ['was refused', new CarrierRejected('not a number'), 'failed'],
    ['may have been sent', new CarrierOutcomeUnknown('no answer'), 'unknown'],
  ] as const) {
    it(`are handed over also when the one before ${what}`, async () => {
      const line = await createLine(context)
      const [first, second] = await queueMessages(context, line, 2)
      const outcome = await sendMessage(
        withCarrier(context, () => Promise.reject(error)),
        first!,
      )
      expect(outcome.kind).to.equal(status)
      await until('the second has a new job', () => hasMessageJob(context, second!, 1))
    })
  }

  it('are handed over also to one that became behind while the one before was in the carrier’s hands', async () => {
    const line = await createLine(context)
    const first = await queueMessage(context, line)
    let second = ''
    const slow = withCarrier(context, async () => {
      second = await queueMessage(context, line)
      expect(await sendMessage(context, second)).to.deep.equal({ kind: 'behind' })
      return { carrierMessageId: 'slow-1' }
    })
    expect(await sendMessage(slow, first)).to.deep.equal({ kind: 'sent' })
    await until('the second has a new job', () => hasMessageJob(context, second, 1))
  })

  it('are handed over also to one that was accepted while the end of the one before was being written', async () => {
    const line = await createLine(context)
    const first = await queueMessage(context, line)
    // The statement that settles the first stops just before it writes; in that moment the second comes and looks.
    await context.db.raw(`
      create function wait_for_second() returns trigger language plpgsql as $$
      begin
        perform pg_advisory_xact_lock(42);
        return new;
      end $$;
      create trigger wait_for_second before update on messages for each row
        when (old.id = '${first}' and new.status = 'sent') execute function wait_for_second()`)
    const holder = await context.db.transaction()
    try {
      await holder.raw('select pg_advisory_xact_lock(42)')
      const sending = sendMessage(context, first)
      await until('the first waits to be settled', async () => (await countWaitingForLocks(context)) === 1)
      const second = await queueMessage(context, line)
      const next = sendMessage(context, second)
      await until('the second waits for the first', async () => (await countWaitingForLocks(context)) === 2)
      await holder.commit()
      expect(await sending).to.deep.equal({ kind: 'sent' })
      expect(await next).to.deep.equal({ kind: 'sent' })
    } finally {
      await holder.rollback().catch(() => undefined)
      await context.db.raw('drop function wait_for_second cascade')
    }
  })

  it('are handed over also while they are locked, and no other row is held meanwhile', async () => {
    const line = await createLine(context)
    const [first, second] = [
      await queueMessage(context, line, { to_number: ANNA }),
      await queueMessage(context, line, { to_number: BEN }),
    ]
    const conversations = [ANNA, BEN].map((toNumber) => ({ lineId: line.lineId, toNumber }))
    for (const [locked, other] of [
      [first, second],
      [second, first],
    ] as const) {
      const holder = await context.db.transaction()
      await holder('messages').where({ id: locked }).forUpdate().select()
      const requeueing = requeueHeads(context.db, conversations)
      await until('it waits for the locked one', async () => (await countWaitingForLocks(context)) === 1)
      await context.db.transaction((trx) =>
        trx('messages').where({ id: other }).forUpdate().noWait().select(),
      )
      await holder.commit()
      expect((await requeueing).map(({ id }) => id)).to.have.members([first, second])
    }
    expect(await messageRow(context, first)).to.include({ job_generation: 2 })
  })

  it('are not overtaken when an earlier one is committed at the last moment', async () => {
    const line = await createLine(context)
    const earlierId = newId()
    const { rows } = await context.db.raw<{ rows: [{ position: string }] }>(
      `select nextval('message_positions') as position`,
    )
    const later = await queueMessage(context, line)
    const commitThenClaim: Context = {
      ...context,
      batched: {
        ...context.batched,
        claimMessage: async (request) => {
          await queueMessage(context, line, { id: earlierId, position: rows[0].position })
          return context.batched.claimMessage(request)
        },
      },
    }
    expect(await sendMessage(commitThenClaim, later)).to.deep.equal({ kind: 'behind' })
    expect(await messageRow(context, later)).to.include({ status: 'queued', attempt_count: 0 })
    expect(await sendMessage(context, earlierId)).to.deep.equal({ kind: 'sent' })
    await until('the later has a new job', () => hasMessageJob(context, later, 1))
    expect(await sendMessage(context, later)).to.deep.equal({ kind: 'sent' })
  })

  it('are sent in the order in which they were accepted, whatever the clocks of web processes make of their ids', async () => {
    const line = await createLine(context)
    const ids = [
      '01a00000-0000-7000-8000-000000000003',
      '01a00000-0000-7000-8000-000000000001',
      '01a00000-0000-7000-8000-000000000002',
    ]
    for (const messageId of ids) {
      const request = { messageId, lineId: line.lineId, toNumber: ANNA, text: messageId }
      const answer = await context.batched.queueMessage({ ...request, source: 'webhook' })
      expect(answer).to.include({ outcome: 'accepted' })
    }
    for (const [n, id] of ids.entries()) {
      for (const laterId of ids.slice(n + 1)) {
        expect(await sendMessage(context, laterId)).to.deep.equal({ kind: 'behind' })
      }
      expect(await sendMessage(context, id)).to.deep.equal({ kind: 'sent' })
    }
  })

  it('wait neither for messages to another number nor for those of another line', async () => {
    const line = await createLine(context)
    await queueMessage(context, line, { to_number: ANNA })
    for (const [from, to_number] of [
      [line, BEN],
      [await createLine(context), ANNA],
    ] as const) {
      const other = await queueMessage(context, from, { to_number })
      expect(await sendMessage(context, other)).to.deep.equal({ kind: 'sent' })
    }
  })

  it('do not wait for one that failed before it was sent', async () => {
    const line = await createLine(context)
    const expired = await queueMessage(context, line, {
      created_at: ago(context, '1 day'),
    })
    const next = await queueMessage(context, line)
    expect(await sendMessage(context, next)).to.deep.equal({ kind: 'behind' })
    expect(await sendMessage(context, expired)).to.include({ kind: 'failed' })
    await until('the next has a new job', () => hasMessageJob(context, next, 1))
    expect(await sendMessage(context, next)).to.deep.equal({ kind: 'sent' })
  })

  it('keep waiting while the one before is to be tried again', async () => {
    const line = await createLine(context)
    const [first, second] = await queueMessages(context, line, 2, { to_number: '+15005550003' })
    expect(await sendMessage(context, first!)).to.include({ kind: 'wait', reason: 'unavailable' })
    expect(await sendMessage(context, second!)).to.deep.equal({ kind: 'behind' })
    expect(await messageRow(context, second!)).to.include({ job_generation: 0 })
  })

  it('fail together when their line is disabled, whichever is looked at first', async () => {
    const line = await createLine(context)
    const [first, second] = await queueMessages(context, line, 2)
    await setLineStatus(context, line.userId, line.lineId, 'disabled')
    expect(await sendMessage(context, second!)).to.include({ kind: 'failed', error: 'line_disabled' })
    expect(await sendMessage(context, first!)).to.include({ kind: 'failed', error: 'line_disabled' })
  })
})
