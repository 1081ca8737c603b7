import { expect } from 'chai'
import { cancelMessage, releaseDue, rescheduleMessage } from '../../../src/domain/messages/scheduling.js'
import { type SendOptions } from '../../../src/domain/messages/send-options.js'
import { postMessages, type NewMessage } from '../../../src/domain/messages/post.js'
import { sendMessage } from '../../../src/domain/messages/send.js'
import type { IncomingWebhookMessage } from '../../../src/domain/messages/submit.js'
import { endAuthorizations } from '../../../src/domain/applications/authorizations.js'
import { releaseScheduled } from '../../../src/database/messages/scheduling.js'
import { readMessageRows } from '../../../src/database/operating/overview/queues.js'
import { sweep } from '../../../src/domain/sweep.js'
import { UserError } from '../../../src/errors.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { failure } from '../../helpers/failure.js'
import { startReceiver } from '../../helpers/services/receiver.js'
import { openForSuite } from '../../helpers/suite.js'
import { until } from '../../helpers/until.js'
import {
  submit,
  ago,
  changeRows,
  ANNA,
  BEN,
  claimMessage,
  hasMessageJob,
  messageRow,
  queueMessage,
  sendWhenDue,
  takenMessages,
  untilLocked,
  UNLIMITED,
  post as postFrom,
} from '../fixtures.js'
import { expectRefusal } from '../refusal.js'
import { connect, createApplication } from '../applications/applications.js'

const inMs = (ms: number) => new Date(Date.now() + ms)
const HOUR = 3_600_000
const DAY = 24 * HOUR

describeContext('a message for later', (context) => {
  const receiver = openForSuite(startReceiver)
  let line: TestLine

  beforeEach(async () => {
    line = await createLine(context, UNLIMITED)
  })

  const post = (overrides: Partial<NewMessage> = {}) => postFrom(context, line, overrides)
  const submitted = (overrides: Partial<IncomingWebhookMessage> = {}) =>
    submit(context, line.lineId, overrides)
  const come = (id: string) =>
    changeRows(context, 'messages', { id, status: 'scheduled' }, { due_at: ago(context, '1 second') })
  const statusOf = async (id: string) => (await messageRow(context, id)).status

  it('is nothing to anybody until its time, and is sent then, after what was accepted meanwhile', async () => {
    const sendAt = inMs(DAY)
    const { id, ...shown } = await post({ sendAt, clientRef: 'order 7' })
    expect(shown).to.deep.include({ status: 'scheduled', sendAt, clientRef: 'order 7', expiresAt: null })
    expect(await hasMessageJob(context, id, 0)).to.equal(false)
    // A job for it, whoever made it, does nothing; nor does the sweep, nor is it an old queue.
    expect(await sendMessage(context, id)).to.deep.equal({ kind: 'skipped' })
    await changeRows(context, 'messages', id, { created_at: inMs(-DAY) })
    expect(await sweep(context)).to.equal(0)
    expect(await releaseDue(context)).to.equal(0)
    expect(await readMessageRows(context.db)).to.include({ waitingCount: 0, oldestMs: null })

    const sooner = await post()
    expect(await sendMessage(context, sooner.id)).to.deep.equal({ kind: 'sent' })
    const waiting = await queueMessage(context, line)
    await come(id)
    expect(await releaseDue(context)).to.equal(1)
    expect(await messageRow(context, id)).to.include({ status: 'queued', job_generation: 1 })
    await until('it has a job', () => hasMessageJob(context, id, 1))
    expect(await sendMessage(context, id)).to.deep.equal({ kind: 'behind' })
    expect(await sendMessage(context, waiting)).to.deep.equal({ kind: 'sent' })
    // It was accepted longer ago than a message may be old; it counts from its time.
    expect(await sendWhenDue(context, id)).to.deep.equal({ kind: 'sent' })
    expect(await takenMessages(context, ANNA)).to.include(id)
    expect(await releaseDue(context)).to.equal(0)
  })

  it('whose time is over is sent at once, and has none', async () => {
    const { id, ...shown } = await post({ sendAt: inMs(-DAY) })
    expect(shown).to.include({ status: 'queued', sendAt: null })
    await until('it has a job', () => hasMessageJob(context, id, 0))
  })

  it('counts in no window of the webhook, and is released once by however many', async () => {
    await changeRows(context, 'lines', line.lineId, { messages_per_number_per_minute: 2 })
    const later = await Promise.all(Array.from({ length: 5 }, () => submitted({ sendAt: inMs(HOUR) })))
    expect(later.map(({ outcome }) => outcome)).to.deep.equal(Array<string>(5).fill('accepted'))
    const usedOf = ({ windows }: Awaited<ReturnType<typeof submitted>>) => [
      windows!.toNumber.used,
      windows!.line.used,
    ]
    expect(usedOf(await submitted())).to.deep.equal([1, 1])
    const last = await submitted({ sendAt: inMs(HOUR) })
    expect([last.outcome, ...usedOf(last)]).to.deep.equal(['accepted', 1, 1])
    expect((await submitted()).outcome).to.equal('accepted')
    expect((await submitted()).outcome).to.equal('rate_limited')
    const ids = [...later, last].map(({ messageId }) => messageId!)
    for (const id of ids) await come(id)
    const counts = await Promise.all([releaseDue(context), releaseDue(context), releaseDue(context)])
    expect(counts.reduce((sum, count) => sum + count)).to.equal(ids.length)
    for (const id of ids) expect((await messageRow(context, id)).job_generation).to.equal(1)
  })

  /** Two that are due. The one that is due since longer was accepted later. @returns their ids, that one first */
  async function twoDue(): Promise<[sooner: string, later: string]> {
    const later = await post({ sendAt: inMs(2 * HOUR) })
    const sooner = await post({ sendAt: inMs(HOUR) })
    await changeRows(context, 'messages', later.id, { due_at: ago(context, '1 second') })
    await changeRows(context, 'messages', sooner.id, { due_at: ago(context, '2 seconds') })
    return [sooner.id, later.id]
  }

  it('is queued in the order of the times, whichever was accepted first', async () => {
    const [sooner, later] = await twoDue()
    expect(await releaseDue(context)).to.equal(2)
    const inOrder = context.db('messages').where({ line_id: line.lineId }).orderBy('position')
    expect(await inOrder.pluck('id')).to.deep.equal([sooner, later])
  })

  it('is queued before those that are due since later, if not all fit in one batch', async () => {
    const [sooner, later] = await twoDue()
    for (const id of [sooner, later]) {
      const { requeued } = await releaseScheduled(context.db, 1)
      expect(requeued.map((each) => each.id)).to.deep.equal([id])
    }
  })

  it('stays for later if it gets another time while it is about to be released', async () => {
    const { id } = await post({ sendAt: inMs(HOUR) })
    await come(id)
    let releasing: Promise<number> | undefined
    await context.db.transaction(async (trx) => {
      await trx('messages')
        .where({ id })
        .update({ due_at: inMs(HOUR) })
      releasing = releaseDue(context)
      await untilLocked(context)
    })
    expect(await releasing).to.equal(0)
    expect(await statusOf(id)).to.equal('scheduled')
  })

  it('is bounded by the line, and a key tells it from another request', async () => {
    await context.db.raw(
      `insert into messages (id, user_id, line_id, direction, source, from_number, to_number, text, status, due_at)
       select nth_id(new_id(), n), ?::uuid, ?::uuid, 'outbound', 'api', ?, ?, 'x', 'scheduled', now() + interval '1 day'
       from generate_series(1, max_scheduled_per_line() - 1) n`,
      [line.userId, line.lineId, line.number, BEN],
    )
    const one = await post({ sendAt: inMs(HOUR), idempotencyKey: 'k' })
    const refused = post({ sendAt: inMs(HOUR) })
    await expectRefusal(
      refused,
      429,
      'Too many messages from this line are waiting. Try again when some have been sent',
    )
    expect(await failure(refused)).to.include({ retryAfterSeconds: 10 })
    expect((await post({ sendAt: one.sendAt!, idempotencyKey: 'k' })).id).to.equal(one.id)
    await expectRefusal(post({ idempotencyKey: 'k' }), 422)
    const now = await post()
    expect(now.status).to.equal('queued')
    await expectRefusal(rescheduleMessage(context, line.userId, now.id, inMs(HOUR)), 409)
  })

  it('is refused in words', async () => {
    const wrong: [SendOptions, string][] = [
      [{ sendAt: inMs(30 * DAY + HOUR) }, 'sendAt can be at most 30 days ahead'],
      [{ expiresAt: inMs(-1) }, 'expiresAt must be in the future'],
      [{ sendAt: inMs(HOUR), expiresAt: inMs(HOUR / 2) }, 'expiresAt must be later than sendAt'],
      [{ clientRef: '' }, 'clientRef must have 1 to 200 characters'],
      [{ clientRef: 'é'.repeat(201) }, 'clientRef must have 1 to 200 characters'],
      [{ clientRef: 'a\0' }, 'clientRef contains a NUL character, which cannot be stored'],
    ]
    for (const [given, words] of wrong) {
      await expectRefusal(post(given), 400, words)
      await expectRefusal(submitted(given), 400, words)
    }
    expect((await post({ clientRef: '💬'.repeat(200) })).clientRef).to.equal('💬'.repeat(200))
  })

  it('gets another time until a carrier is asked, and the next one to its number gets its turn', async () => {
    const first = await post()
    const second = await post()
    expect(await sendMessage(context, second.id)).to.deep.equal({ kind: 'behind' })
    const moved = await rescheduleMessage(context, line.userId, first.id, inMs(HOUR))
    expect(moved).to.include({ status: 'scheduled' })
    await until('the next has a job', () => hasMessageJob(context, second.id, 1))
    expect(await sendMessage(context, second.id)).to.deep.equal({ kind: 'sent' })

    const sendAt = inMs(2 * HOUR)
    expect(await rescheduleMessage(context, line.userId, first.id, sendAt)).to.deep.include({ sendAt })
    await rescheduleMessage(context, line.userId, first.id, inMs(-HOUR))
    expect(await releaseDue(context)).to.equal(1)
    const { claim } = await claimMessage(context, first.id)
    for (const act of [
      () => rescheduleMessage(context, line.userId, first.id, sendAt),
      () => cancelMessage(context, line.userId, first.id),
    ]) {
      await expectRefusal(act(), 409, /It is being sent|It is sending/)
    }
    await context.batched.settleMessage({ id: first.id, claim, status: 'sent' })
    const other = await createLine(context)
    await expectRefusal(cancelMessage(context, other.userId, second.id), 404)
    await expectRefusal(rescheduleMessage(context, line.userId, first.id, inMs(31 * DAY)), 400)
    const acts = await context.db('audit_log').where({ subject_id: first.id }).pluck<string[]>('action')
    expect(acts).to.deep.equal(Array<string>(3).fill('message.rescheduled'))
  })

  it('gets no other time after a carrier was asked, even if that did not take it', async () => {
    const { id } = await post()
    const { claim } = await claimMessage(context, id)
    await context.batched.settleMessage({ id, claim, status: 'queued', error: 'carrier_unavailable' })
    await expectRefusal(rescheduleMessage(context, line.userId, id, inMs(HOUR)), 409, /It is being sent/)
  })

  it('is sent immediately when it is moved to a time in the past, however long ago', async () => {
    const { id } = await post({ sendAt: inMs(7 * DAY) })
    await changeRows(context, 'messages', id, { created_at: ago(context, '3 days') })
    const since = Date.now()
    const moved = await rescheduleMessage(context, line.userId, id, inMs(-2 * DAY))
    // It may wait for its turn as long as a message that was sent now.
    expect(moved.sendAt!.getTime()).to.be.within(since - 1000, Date.now() + 1000)
    expect(await releaseDue(context)).to.equal(1)
    expect(await sendMessage(context, id)).to.deep.equal({ kind: 'sent' })
  })

  it('is cancelled, once, whether it waits for its time or its turn', async () => {
    const first = await post()
    const second = await post()
    await sendMessage(context, second.id)
    expect(await cancelMessage(context, line.userId, first.id)).to.include({
      status: 'failed',
      error: 'cancelled',
    })
    await until('the next has a job', () => hasMessageJob(context, second.id, 1))
    const later = await post({ sendAt: inMs(HOUR) })
    await cancelMessage(context, line.userId, later.id)
    await cancelMessage(context, line.userId, later.id)
    await come(later.id)
    expect(await releaseDue(context)).to.equal(0)
    const acts = await context.db('audit_log').where({ subject_id: later.id }).pluck<string[]>('action')
    expect(acts).to.deep.equal(['message.cancelled'])
    // What waits for its window keeps its time.
    await changeRows(context, 'messages', second.id, { not_before: inMs(HOUR) })
    const another = await post({ sendAt: inMs(HOUR) })
    await cancelMessage(context, line.userId, another.id)
    expect((await messageRow(context, second.id)).not_before).to.be.an.instanceOf(Date)
  })

  it('fails when it expires, in the queue or before, and hands its turn on; the events tell its clientRef', async () => {
    const asking = { outgoingUrl: receiver.url, optInEvents: ['messageStatus'] }
    line = await createLine(context, { ...UNLIMITED, ...asking })
    const queued = await post({ expiresAt: inMs(HOUR), clientRef: 'a' })
    const next = await post({ clientRef: 'b' })
    const scheduled = await post({ sendAt: inMs(HOUR), expiresAt: inMs(2 * HOUR), clientRef: 'c' })
    const refused = rescheduleMessage(context, line.userId, scheduled.id, inMs(3 * HOUR))
    await expectRefusal(refused, 400, 'expiresAt must be later than sendAt')
    await sendMessage(context, next.id)
    await releaseDue(context)
    expect(await statusOf(queued.id)).to.equal('queued')
    await context
      .db('messages')
      .whereIn('id', [queued.id, scheduled.id])
      .update({ expires_at: inMs(-1000) })
    await releaseDue(context)
    for (const { id } of [queued, scheduled]) {
      expect(await messageRow(context, id)).to.include({ status: 'failed', error: 'expired' })
    }
    await until('the next has a job', () => hasMessageJob(context, next.id, 1))
    // A worker that comes before the sweep sees it too.
    await changeRows(context, 'messages', next.id, { expires_at: inMs(-1) })
    expect(await sendWhenDue(context, next.id)).to.deep.equal({ kind: 'failed', error: 'expired' })
    const payloads = await context
      .db('events')
      .where({ line_id: line.lineId, type: 'messageStatus' })
      .orderBy('id')
      .pluck<string[]>('payload')
    const told = payloads.map((each) => JSON.parse(each) as { clientRef: string; status: string })
    expect(told.map(({ clientRef, status }) => `${clientRef} ${status}`)).to.have.members([
      'a failed',
      'b failed',
      'c failed',
    ])
  })

  const changesOfMind: [what: string, change: (applicationId: string) => Promise<unknown>][] = [
    ['has ended the connection', (id) => endAuthorizations(context, line.userId, id, line.lineId)],
    ['no longer lets it send', (id) => connect(context, { id }, line, ['lines:read', 'contacts:write'])],
  ]
  for (const [what, change] of changesOfMind) {
    it(`of an application fails when its user ${what} meanwhile`, async () => {
      const { id: applicationId } = await createApplication(context)
      await connect(context, { id: applicationId }, line)
      const from = { applicationId, sendAt: inMs(HOUR) }
      const [sent, waiting, ended] = [await post(from), await post(from), await post(from)]
      for (const { id } of [sent, waiting]) await come(id)
      await releaseDue(context)
      expect(await sendWhenDue(context, sent.id)).to.include({ kind: 'sent' })
      expect(await statusOf(waiting.id)).to.equal('queued')
      await change(applicationId)
      await come(ended.id)
      expect(await releaseDue(context)).to.equal(0)
      expect(await sendWhenDue(context, waiting.id)).to.deep.equal({ kind: 'failed', error: 'disconnected' })
      for (const { id } of [waiting, ended]) {
        expect(await messageRow(context, id)).to.include({ status: 'failed', error: 'disconnected' })
      }
    })
  }

  it('comes in batches, each message by itself and in their order', async () => {
    const other = await createLine(context)
    const message = (overrides: Partial<NewMessage>): NewMessage => ({
      ...{
        userId: line.userId,
        applicationId: undefined,
        lineId: line.lineId,
        toNumber: ANNA,
        text: 'Hello',
      },
      ...{ idempotencyKey: undefined, ...overrides },
    })
    const outcomes = await postMessages(context, [
      ...Array.from({ length: 250 }, (_, n) => message({ text: String(n), idempotencyKey: `k${n}` })),
      message({ toNumber: 'nobody' }),
      message({ lineId: other.lineId }),
      message({ idempotencyKey: 'k0', text: '0' }),
    ])
    const ids = outcomes.slice(0, 250)
    expect(ids.every((id) => typeof id === 'string')).to.equal(true)
    expect(outcomes.slice(250).map((each) => (each instanceof UserError ? each.status : each))).to.deep.equal(
      [400, 404, ids[0]],
    )
    const inOrder = await context
      .db('messages')
      .where({ line_id: line.lineId })
      .orderBy('position')
      .pluck('id')
    expect(inOrder).to.deep.equal(ids)
  })
})
