import { expect } from 'chai'
import { submitToIncomingWebhook, type IncomingWebhookMessage } from '../../../src/domain/messages/submit.js'
import { startProxy } from '../../database/proxy.js'
import { createTestContext, describeContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { createTestRedis } from '../../helpers/services/services.js'
import { until } from '../../helpers/until.js'
import { ANNA, hasMessageJob, messageRow, queueMessages, UNLIMITED } from '../fixtures.js'

describeContext('submitToWebhook', { environment: { MAX_QUEUED_PER_LINE: '3' } }, (context) => {
  let line: TestLine

  beforeEach(async () => {
    line = await createLine(context, UNLIMITED)
  })

  async function submit(overrides: Partial<IncomingWebhookMessage> = {}, by = context) {
    const webhook = await by.batched.findOpenIncomingWebhook(line.lineId)
    const message = { toNumber: ANNA, text: 'Hello', idempotencyKey: undefined, ...overrides }
    return submitToIncomingWebhook(by, webhook!, message)
  }

  it('commits the message and enqueues its job', async () => {
    const { outcome, messageId, windows } = await submit({ text: 'Grüße' })
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
    const answers = await Promise.all(Array.from({ length: 10 }, () => submit({ idempotencyKey: 'k' })))
    const ids = new Set(answers.flatMap(({ messageId }) => messageId ?? []))
    expect(ids.size).to.equal(1)
    expect(answers.filter(({ outcome }) => outcome === 'accepted')).to.have.length(1)
    const [id] = ids
    await until('the message has a job', () => hasMessageJob(context, id!, 0))
    expect(await context.queues.sendMessage.count()).to.equal(jobsBefore + 1)
  })

  it('accepts without Redis', async () => {
    const proxy = await startProxy(await createTestRedis())
    const away = await createTestContext({ DATABASE_URL: context.config.databaseUrl, REDIS_URL: proxy.url })
    try {
      proxy.goDown()
      await until('the connection is lost', () => away.redis.status !== 'ready')
      const { outcome, messageId } = await submit({}, away)
      expect(outcome).to.equal('accepted')
      expect(await messageRow(context, messageId!)).to.include({ status: 'queued' })
    } finally {
      await away.close()
      await proxy.close()
    }
  })

  it('takes nothing for a line of which too many messages wait, until one is over', async () => {
    const [first] = await queueMessages(context, line, 3)
    expect(await submit()).to.include({ outcome: 'line_full', messageId: null })
    await context.db('messages').where({ id: first }).update({ status: 'sent' })
    expect(await submit()).to.include({ outcome: 'accepted' })
  })

  it('answers each of many at once for itself', async () => {
    const other = await createLine(context, { ...UNLIMITED, messagesPerNumberPerMinute: 1 })
    const webhook = await context.batched.findOpenIncomingWebhook(other.lineId)
    const one = (toNumber: string) =>
      submitToIncomingWebhook(context, webhook!, { toNumber, text: 'Hi', idempotencyKey: undefined })
    const answers = await Promise.all([one(ANNA), submit(), one(ANNA), one('+15005550102')])
    expect(answers.map(({ outcome }) => outcome)).to.deep.equal([
      'accepted',
      'accepted',
      'rate_limited',
      'accepted',
    ])
  })
})
