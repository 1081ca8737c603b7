import { expect } from 'chai'
import { setLineStatus } from '../../../src/domain/lines/lines.js'
import { ago, changeRows, post } from '../../domain/fixtures.js'
import { createLine, lineForEachTest, messageBody } from '../../helpers/factories.js'
import { describeWeb, withWeb, type Answer } from '../../helpers/web/web.js'
import { until } from '../../helpers/until.js'
import { backdateMessages, expectAccepted, expectRefused, leftOf, messagesOf, newNumber } from '../support.js'

const EXCEEDED = 'Rate limit exceeded'

describeWeb('the limits of an incoming webhook', ({ context, web }) => {
  const line = lineForEachTest(context)

  const send = (toNumber: string, data: Record<string, unknown> = {}, of = line) =>
    web.post(of.webhookPath, messageBody({ toNumber, ...data }))

  async function sendMany(count: number, toNumber: () => string, of = line): Promise<void> {
    // At the same time, because a minute is not long.
    const answers = await Promise.all(Array.from({ length: count }, () => send(toNumber(), {}, of)))
    for (const answer of answers) expectAccepted(answer)
  }

  it('refuse the 6th message to a number within a minute, and leave other numbers and other lines alone', async () => {
    const number = newNumber()
    const since = performance.now()
    await sendMany(5, () => number)
    const answer = await send(number)
    expectRefused(answer, 403, EXCEEDED)
    expect(retryAfter(answer)).to.be.within(leftOf(60, since), 60)
    expect(await messagesOf(context, line.lineId)).to.have.length(5)
    expectAccepted(await send(newNumber()))
    expectAccepted(await send(number, {}, await createLine(context)))
  })

  it('refuse the 31st message in all within a minute', async () => {
    const since = performance.now()
    await sendMany(30, newNumber)
    const answer = await send(newNumber())
    expectRefused(answer, 403, EXCEEDED)
    expect(retryAfter(answer)).to.be.within(leftOf(60, since), 60)
  })

  it('count 60 seconds that slide: a message counts after 59 s and no more after 61 s', async () => {
    const number = newNumber()
    const makeOld = (seconds: number) =>
      changeRows(context, 'messages', { line_id: line.lineId }, { created_at: ago(context, `${seconds} s`) })
    await sendMany(5, () => number)
    await until('a request is answered within a second', async () => {
      const since = performance.now()
      await makeOld(59)
      const answer = await send(number)
      if (leftOf(2, since) < 1) return false
      expectRefused(answer, 403, EXCEEDED)
      return true
    })
    await makeOld(61)
    await sendMany(5, () => number)
    expectRefused(await send(number), 403, EXCEEDED)
  })

  it('give back one message at a time', async () => {
    const number = newNumber()
    const since = performance.now()
    await sendMany(1, () => number)
    await backdateMessages(context, line.lineId, 30)
    await sendMany(4, () => number)
    expect(retryAfter(await send(number))).to.be.within(leftOf(30, since), 30)
    await backdateMessages(context, line.lineId, 31)
    expectAccepted(await send(number))
    expect(retryAfter(await send(number))).to.be.within(leftOf(29, since), 29)
  })

  it('use no allowance for a request that fails a check', async () => {
    const number = newNumber()
    for (const data of [{ text: '' }, { text: 'x'.repeat(1601) }, { text: '\0' }, { toNumber: '1' }]) {
      expect((await send(number, data)).status).to.equal(400)
    }
    expect((await web.post(line.webhookPath.replace('token=', 'token=x'), messageBody())).status).to.equal(
      403,
    )
    await sendMany(5, () => number)
    const again = await Promise.all(Array.from({ length: 30 }, () => send(number)))
    for (const answer of again) expectRefused(answer, 403, EXCEEDED)
    await sendMany(25, newNumber)
    expectRefused(await send(newNumber()), 403, EXCEEDED)
  })

  it('open for nobody else then, and not for a repeat of the same inbound message', async () => {
    const [writer, other] = [newNumber(), newNumber()]
    const inbound = {
      fromNumber: writer,
      toNumber: line.number,
      text: 'Hi',
      messageId: `once-${line.lineId}`,
    }
    await sendMany(5, () => writer)
    await sendMany(5, () => other)
    await web.post('/simulator/inbound', inbound)
    await sendMany(5, () => writer)
    expectRefused(await send(other), 403, EXCEEDED)
    await web.post('/simulator/inbound', inbound)
    expectRefused(await send(writer), 403, EXCEEDED)
  })

  it('are those of the webhook alone: what /v1 sends neither counts nor is refused', async () => {
    const number = newNumber()
    const postByApi = () => post(context, line, { toNumber: number })
    for (let n = 0; n < 6; n += 1) await postByApi()
    await sendMany(5, () => number)
    expectRefused(await send(number), 403, EXCEEDED)
    expect(await postByApi()).to.include({ status: 'queued' })
  })

  it('are settings of the line', async () => {
    const narrow = await createLine(context, { messagesPerNumberPerMinute: 2, messagesPerMinute: 3 })
    const number = newNumber()
    await sendMany(2, () => number, narrow)
    expectRefused(await send(number, {}, narrow), 403, EXCEEDED)
    await sendMany(1, newNumber, narrow)
    expectRefused(await send(newNumber(), {}, narrow), 403, EXCEEDED)
  })

  it('are not forgotten while the line is disabled for a moment', async () => {
    const number = newNumber()
    await sendMany(5, () => number)
    await setLineStatus(context, line.userId, line.lineId, 'disabled')
    await setLineStatus(context, line.userId, line.lineId, 'active')
    expectRefused(await send(number), 403, EXCEEDED)
  })

  it('are answered 429 with RATE_LIMIT_STATUS=429', async () => {
    await withWeb({ RATE_LIMIT_STATUS: '429' }, async (other) => {
      const { webhookPath } = await createLine(other.context, { messagesPerNumberPerMinute: 1 })
      const since = performance.now()
      expectAccepted(await other.web.post(webhookPath, messageBody()))
      const answer = await other.web.post(webhookPath, messageBody())
      expectRefused(answer, 429, EXCEEDED)
      expect(retryAfter(answer)).to.be.within(leftOf(60, since), 60)
    })
  })
})

function retryAfter({ headers }: Answer): number {
  const value = headers.get('retry-after')
  expect(value).to.match(/^\d+$/)
  return Number(value)
}
