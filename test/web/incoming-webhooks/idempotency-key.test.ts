import { expect } from 'chai'
import { openHolder } from '../../database/hold.js'
import { countWaitingForLocks } from '../../domain/fixtures.js'
import { createLine, lineForEachTest, messageBody } from '../../helpers/factories.js'
import { until } from '../../helpers/until.js'
import { describeWeb, joinWeb, type Answer } from '../../helpers/web/web.js'
import { backdateMessages, expectAccepted, expectRefused, messagesOf, newNumber } from '../support.js'

const REUSED = 'Idempotency-Key was used with another body. Use a new key for another message'
const IN_FLIGHT = 'The first request with this Idempotency-Key is still being processed. Try again'

describeWeb('Idempotency-Key', ({ context, web }) => {
  const another = joinWeb(context)
  const line = lineForEachTest(context)

  const send = (key: string, data: Record<string, unknown> = {}, of = line) =>
    web.post(of.webhookPath, messageBody(data), { 'Idempotency-Key': key })
  const backdateKeys = (hours: number) =>
    context
      .db('idempotency_keys')
      .where({ scope_id: line.lineId })
      .update({ created_at: context.db.raw('created_at - make_interval(hours => ?)', [hours]) })

  it('the same key with the same body answers as the first time and sends nothing', async () => {
    const first = await send('order 7')
    expectAccepted(first)
    for (let again = 0; again < 3; again += 1) {
      const repeat = await send('order 7')
      expectAccepted(repeat)
      expect(idOf(repeat)).to.equal(idOf(first))
    }
    expect(await messagesOf(context, line.lineId)).to.have.length(1)
  })

  it('a repeat uses no allowance, and is answered when none is left', async () => {
    const number = newNumber()
    const first = await send('a', { toNumber: number })
    for (let again = 0; again < 10; again += 1) expectAccepted(await send('a', { toNumber: number }))
    for (const key of ['b', 'c', 'd', 'e']) expectAccepted(await send(key, { toNumber: number }))
    expectRefused(await send('f', { toNumber: number }), 403, 'Rate limit exceeded')
    const repeat = await send('a', { toNumber: number })
    expectAccepted(repeat)
    expect(idOf(repeat)).to.equal(idOf(first))
  })

  it('the same key with another text or another number is 422', async () => {
    expectAccepted(await send('k'))
    expectRefused(await send('k', { text: 'Other' }), 422, REUSED)
    expectRefused(await send('k', { toNumber: newNumber() }), 422, REUSED)
    expectAccepted(await send('k'))
    expect(await messagesOf(context, line.lineId)).to.have.length(1)
  })

  it('the same key with another option is 422: it would not be sent as its caller wants', async () => {
    const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
    const options = [
      [{ sendAt: inHours(1) }, { sendAt: inHours(2) }],
      [{ expiresAt: inHours(1) }, { expiresAt: inHours(2) }],
      [{ clientRef: 'order 7' }, { clientRef: 'order 8' }],
      [{ carrierOptions: { templateId: '1107' } }, { carrierOptions: { templateId: '1108' } }],
    ] as const
    const ids: unknown[] = []
    for (const [n, [given, other]] of options.entries()) {
      const first = await send(`k${n}`, given)
      expectAccepted(first)
      for (const changed of [other, {}]) expectRefused(await send(`k${n}`, changed), 422, REUSED)
      expect(idOf(await send(`k${n}`, given))).to.equal(idOf(first))
      ids.push(idOf(first))
    }
    expect((await messagesOf(context, line.lineId)).map(({ id }) => id)).to.have.members(ids)
  })

  it('without a key every request is a message; an empty one is refused, because a repeat would send again', async () => {
    const ids = [
      await web.post(line.webhookPath, messageBody()),
      await web.post(line.webhookPath, messageBody()),
    ].map(idOf)
    expect(new Set(ids)).to.have.property('size', 2)
    expectRefused(await send(''), 400, 'Idempotency-Key is empty. Give a key, or leave it out')
  })

  it('may have 255 characters and no more', async () => {
    const key = 'k'.repeat(255)
    const first = await send(key)
    expectAccepted(first)
    expect(idOf(await send(key))).to.equal(idOf(first))
    expectRefused(await send('k'.repeat(256)), 400, 'Idempotency-Key is too long. Use at most 255 characters')
  })

  it('may be any text that a header carries', async () => {
    const keys = [`'; drop table messages; --`, '{"a":1}', '%00', 'ü', ' a  b ', 'a', 'A', '\\']
    const ids = []
    for (const key of keys) ids.push(idOf(await send(key, { toNumber: newNumber() })))
    expect(new Set(ids)).to.have.property('size', keys.length)
  })

  it('is kept per line', async () => {
    const other = await createLine(context)
    const answers = [await send('k'), await send('k', {}, other)]
    answers.forEach(expectAccepted)
    expect(idOf(answers[0])).not.to.equal(idOf(answers[1]))
    expect(await messagesOf(context, other.lineId)).to.have.length(1)
  })

  it('is kept for 24 hours', async () => {
    const first = await send('k')
    await backdateKeys(23)
    expect(idOf(await send('k'))).to.equal(idOf(first))
    expectRefused(await send('k', { text: 'Other' }), 422, REUSED)

    await backdateKeys(2)
    const later = await send('k', { text: 'Other' })
    expectAccepted(later)
    expect(idOf(later)).not.to.equal(idOf(first))
    expect(idOf(await send('k', { text: 'Other' }))).to.equal(idOf(later))
  })

  it('of a refused request is free again', async () => {
    const number = newNumber()
    await send('invalid', { toNumber: 'nobody' })
    expectAccepted(await send('invalid', { toNumber: number, text: 'valid now' }))

    for (const key of ['b', 'c', 'd', 'e']) expectAccepted(await send(key, { toNumber: number }))
    expectRefused(await send('limited', { toNumber: number }), 403, 'Rate limit exceeded')
    await backdateMessages(context, line.lineId, 61)
    const accepted = await send('limited', { toNumber: number, text: 'another text' })
    expectAccepted(accepted)

    const inbound = { fromNumber: number, toNumber: line.number }
    await web.post('/simulator/inbound', { ...inbound, text: 'STOP' })
    expectRefused(await send('stopped', { toNumber: number }), 403, 'Recipient has opted out')
    await web.post('/simulator/inbound', { ...inbound, text: 'START' })
    expectAccepted(await send('stopped', { toNumber: number, text: 'another text' }))
  })

  it('is 409 at once while the first request is still being accepted, however long that takes, on its line only', async () => {
    const { db } = context
    const other = await createLine(context)
    const holder = await openHolder(db)
    let first: Promise<Answer>
    try {
      await holder.raw('select pg_advisory_xact_lock(hashtextextended(?::uuid::text, 0))', [line.lineId])
      first = send('k')
      await until(
        'the first request waits for the line',
        async () => (await countWaitingForLocks(context)) === 1,
      )
      const repeats = await Promise.all([send('k'), send('k'), send('k', { text: 'Other' })])
      for (const repeat of repeats) expectRefused(repeat, 409, IN_FLIGHT)
      expectAccepted(await send('k', {}, other))
      expect(await countWaitingForLocks(context)).to.equal(1)
    } finally {
      await holder.rollback()
    }
    expectAccepted(await first)
    expect(idOf(await send('k'))).to.equal(idOf(await first))
    expect(await messagesOf(context, line.lineId)).to.have.length(1)
  })

  it('of 50 requests at once at two processes makes one message', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        (n % 2 ? web : another.web).post(line.webhookPath, messageBody(), { 'Idempotency-Key': 'k' }),
      ),
    )
    const [message, ...more] = await messagesOf(context, line.lineId)
    expect(more).to.deep.equal([])
    for (const answer of answers) {
      if (answer.status === 200) expect(idOf(answer)).to.equal(message?.id)
      else expectRefused(answer, 409, IN_FLIGHT)
    }
    expect(answers.some(({ status }) => status === 200)).to.be.true
  })
})

function idOf(answer: Answer | undefined): string | null | undefined {
  return answer?.headers.get('message-id')
}
