import { expect } from 'chai'
import type { IncomingWebhookMessage } from '../../../src/domain/messages/submit.js'
import { setLineStatus } from '../../../src/domain/lines/lines.js'
import { getMessage } from '../../../src/domain/messages/get-message.js'
import { sendMessageAgain } from '../../../src/domain/messages/send-again.js'
import { sendMessage } from '../../../src/domain/messages/send.js'
import { isBacklogFull } from '../../../src/domain/messages/submit/backlog.js'
import { Unavailable } from '../../../src/errors.js'
import { newId } from '../../../src/ids.js'
import { createJoinedContext, describeContext } from '../../helpers/context.js'
import { createLine, lineForEachTest } from '../../helpers/factories.js'
import { until } from '../../helpers/until.js'
import {
  submit,
  changeRows,
  ANNA,
  hasMessageJob,
  messageRow,
  queueMessages,
  UNLIMITED,
  countRows,
  queueMessage,
  takenMessages,
  createWithoutRedis,
} from '../fixtures.js'
import { expectRefusal } from '../refusal.js'
import { openings } from '../../helpers/openings.js'
import { failure } from '../../helpers/failure.js'

const NOT_AGAIN = 'Only a failed or unknown message can be resent'

describeContext('accepting a message', { environment: { MAX_QUEUED_PER_LINE: '3' } }, (context) => {
  const open = openings()
  const line = lineForEachTest(context, UNLIMITED)

  const submitted = (overrides: Partial<IncomingWebhookMessage> = {}, by = context) =>
    submit(by, line.lineId, overrides)

  it('commits the message and enqueues its job', async () => {
    const { outcome, messageId, windows } = await submitted({ text: 'Grüße' })
    expect(outcome).to.equal('accepted')
    expect([windows?.toNumber.used, windows?.line.used]).to.deep.equal([1, 1])
    expect(await messageRow(context, messageId!)).to.include({
      direction: 'outbound',
      source: 'webhook',
      status: 'queued',
      from_number: line.number,
      to_number: ANNA,
      text: 'Grüße',
      attempt_count: 0,
      claim_id: null,
      job_generation: 0,
    })
    await until('the message has a job', () => hasMessageJob(context, messageId!, 0))
  })

  it('makes one message and one job of many repeats under one key', async () => {
    const jobsBefore = await context.queues.sendMessage.count()
    const answers = await Promise.all(Array.from({ length: 10 }, () => submitted({ idempotencyKey: 'k' })))
    const ids = new Set(answers.flatMap(({ messageId }) => messageId ?? []))
    expect(ids.size).to.equal(1)
    expect(answers.filter(({ outcome }) => outcome === 'accepted')).to.have.length(1)
    const [id] = ids
    await until('the message has a job', () => hasMessageJob(context, id!, 0))
    expect(await context.queues.sendMessage.count()).to.equal(jobsBefore + 1)
  })

  it('accepts without Redis', async () => {
    const { outcome, messageId } = await submitted({}, await open(createWithoutRedis(context)))
    expect(outcome).to.equal('accepted')
    expect(await messageRow(context, messageId!)).to.include({ status: 'queued' })
  })

  it('takes nothing for a line of which Too many messages are waiting, until one is over', async () => {
    const [first] = await queueMessages(context, line, 3)
    expect(await submitted()).to.include({ outcome: 'line_full', messageId: null })
    await changeRows(context, 'messages', first!, { status: 'sent' })
    expect(await submitted()).to.include({ outcome: 'accepted' })
  })

  describe('sending a message again', () => {
    const again = (id: string, key = newId(), userId = line.userId) =>
      sendMessageAgain(context, userId, id, key, 'console')

    for (const status of ['failed', 'unknown']) {
      it(`makes a new message of one that is ${status}, and leaves that as it is`, async () => {
        const id = await queueMessage(context, line, {
          status,
          error: 'expired',
        })
        const before = await getMessage(context, line.userId, id)
        const made = await again(id)
        expect(made).to.include({
          direction: 'outbound',
          source: 'console',
          type: 'text',
          fromNumber: line.number,
          toNumber: ANNA,
          text: 'Hello',
          mediaUrl: null,
          status: 'queued',
          error: null,
          attemptCount: 0,
          againOf: id,
        })
        expect(await getMessage(context, line.userId, id)).to.deep.equal(before)
        await until('it has a job', () => hasMessageJob(context, made.id, 0))
        expect(await sendMessage(context, made.id)).to.deep.equal({ kind: 'sent' })
        expect(await takenMessages(context)).to.include(made.id)
      })
    }

    it('makes one message for one key, also when both come at the same moment', async () => {
      const id = await queueMessage(context, line, { status: 'failed' })
      const count = await countRows(context, 'messages')
      const key = newId()
      const made = await Promise.all([again(id, key), again(id, key)])
      expect((await again(id, key)).id).to.equal(made[0].id)
      expect(made[1].id).to.equal(made[0].id)
      expect(await countRows(context, 'messages')).to.equal(count + 1)
    })

    it('keeps the options for the carrier', async () => {
      const carrierOptions = { templateId: '1107' }
      const id = await queueMessage(context, line, { status: 'failed', carrier_options: carrierOptions })
      expect((await again(id)).carrierOptions).to.deep.equal(carrierOptions)
    })

    it('leaves it to the worker whether the number has opted out, so that its owner sees what came of it', async () => {
      const id = await queueMessage(context, line, { status: 'failed' })
      await context.db('line_peers').insert({ line_id: line.lineId, number: ANNA, opted_out_at: new Date() })
      const made = await again(id)
      expect(await sendMessage(context, made.id)).to.deep.equal({ kind: 'failed', error: 'opted_out' })
    })

    it('makes another message for another key', async () => {
      const id = await queueMessage(context, line, { status: 'failed' })
      expect((await again(id)).id).not.to.equal((await again(id)).id)
    })

    it('takes the same key for another message as another request', async () => {
      const key = newId()
      const first = await again(await queueMessage(context, line, { status: 'failed' }), key)
      const second = await again(await queueMessage(context, line, { status: 'failed' }), key)
      expect(second.id).not.to.equal(first.id)
    })

    for (const columns of [
      ...['queued', 'sending', 'sent', 'delivered'].map((status) => ({ status })),
      { status: 'failed', direction: 'inbound' },
    ]) {
      it(`is refused for a message that is ${Object.values(columns).join(' and ')}`, async () => {
        await expectRefusal(again(await queueMessage(context, line, columns)), 409, NOT_AGAIN)
      })
    }

    it('is refused for another user’s message, and for none', async () => {
      const id = await queueMessage(context, line, { status: 'failed' })
      const { userId } = await createLine(context)
      for (const wrong of [() => again(id, newId(), userId), () => again(newId()), () => again('x')]) {
        await expectRefusal(wrong(), 404, 'No such message')
      }
    })

    it('is refused while the line is disabled', async () => {
      const id = await queueMessage(context, line, { status: 'failed' })
      await setLineStatus(context, line.userId, line.lineId, 'disabled')
      await expectRefusal(again(id), 409)
    })

    it('is refused where the line may not send any more', async () => {
      const id = await queueMessage(context, line, { status: 'failed' })
      await changeRows(context, 'lines', line.lineId, { allowed_countries: ['GB'] })
      const reason = 'This line may only text numbers in GB. This one is in US'
      await expectRefusal(again(id), 403, `Destination is not allowed. ${reason}`)
    })

    for (const key of ['', 'x'.repeat(256)]) {
      it(`needs a key, unlike one of ${key.length} characters`, async () => {
        const id = await queueMessage(context, line, { status: 'failed' })
        await expectRefusal(again(id, key), 400)
      })
    }

    it('is refused while too many messages of the line wait', async () => {
      const id = await queueMessage(context, line, { status: 'failed' })
      for (let n = 0; n < 3; n += 1) await queueMessage(context, line)
      expect(await failure(again(id))).to.include({ name: 'UserError', status: 429, retryAfterSeconds: 10 })
    })

    it('has to come later while too many messages wait in all', async () => {
      const id = await queueMessage(context, line, { status: 'failed' })
      // Another process: this one would take its own line for full, too.
      const full = await open(createJoinedContext(context, { MAX_QUEUED_MESSAGES: '1' }))
      await queueMessage(context, line)
      // On a busy machine the first look takes longer than a caller waits for it.
      await until('it is full', () => isBacklogFull(full))
      const thrown = await failure(sendMessageAgain(full, line.userId, id, newId(), 'api'))
      expect(thrown).to.be.instanceOf(Unavailable)
    })
  })
})
