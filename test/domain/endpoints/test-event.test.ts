import { LINE_EVENT_TYPES } from '../../../src/event-types.js'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { disableConnection } from '../../../src/domain/lines/connections.js'
import { createLineEventFeed } from '../../../src/domain/endpoints/line-events.js'
import { sendTestEvent, triggerEvent } from '../../../src/domain/endpoints/test-event.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, own, type TestLine } from '../../helpers/factories.js'
import { startReceiver } from '../../helpers/services/receiver.js'
import { openForEachTest } from '../../helpers/suite.js'
import { countRows } from '../fixtures.js'
import { refusal } from '../refusal.js'

describeContext('a test event', (context) => {
  const receiver = openForEachTest(startReceiver)
  let line: TestLine

  beforeEach(async () => {
    line = await createLine(context, { outgoingUrl: receiver.url })
  })

  const send = () => sendTestEvent(context, ...own(line))
  const answerWith = (status: number, body = '') => {
    receiver.answerWith((response) => {
      response.statusCode = status
      response.end(body)
    })
  }

  it('is posted at once, signed, from the line’s own number', async () => {
    const { durationMs, ...result } = await send()
    expect(result).to.deep.equal({
      delivered: true,
      responseStatus: 200,
      failure: null,
      responseExcerpt: 'ok',
    })
    expect(durationMs).to.be.within(0, 20_000)
    const { body, headers } = receiver.requests[0]!
    expect(new Webhook(line.signingSecret).verify(body, headers as Record<string, string>)).to.deep.equal({
      type: 'inboundText',
      payload: 'A test event from Linehook',
      fromNumber: line.number,
      toNumber: line.number,
      userId: line.userId,
      lineId: line.lineId,
    })
  })

  it('is an example of the type that was asked for', async () => {
    for (const type of LINE_EVENT_TYPES) await sendTestEvent(context, ...own(line), type)
    expect(receiver.requests.map(({ body }) => (JSON.parse(body) as { type: string }).type)).to.deep.equal(
      LINE_EVENT_TYPES,
    )
  })

  it('is not kept, whatever comes of it', async () => {
    await send()
    answerWith(500)
    await send()
    for (const table of ['messages', 'events', 'deliveries', 'delivery_attempts']) {
      expect(await countRows(context, table)).to.equal(0)
    }
  })

  it('that fails is told, not tried again, and no fault of the endpoint', async () => {
    answerWith(500, '<b>broken</b>')
    expect(await send()).to.include({
      delivered: false,
      responseStatus: 500,
      failure: 'http_500',
      responseExcerpt: '<b>broken</b>',
    })
    expect(receiver.requests).to.have.length(1)
    const endpoint = await context
      .db('endpoints')
      .where({ user_id: line.userId })
      .first<object>('consecutive_failure_count', 'failing_since', 'disabled_at')
    expect(endpoint).to.deep.equal({ consecutive_failure_count: 0, failing_since: null, disabled_at: null })
  })

  it('that is answered 410 does not disable the endpoint', async () => {
    answerWith(410)
    expect(await send()).to.include({ failure: 'http_410' })
    answerWith(200)
    expect(await send()).to.include({ delivered: true })
  })

  it('that reaches nobody has the failure’s name and no answer', async () => {
    await receiver.close()
    expect(await send()).to.include({
      delivered: false,
      responseStatus: null,
      failure: 'connect',
      responseExcerpt: null,
    })
  })

  it('goes to listeners too if that is asked for, at most 100 in an hour, and is kept no longer', async () => {
    const { lineId, userId } = await createLine(context)
    const forListeners = () => triggerEvent(context, userId, lineId, 'optOut')
    const feed = createLineEventFeed(context, lineId, { from: new Date(Date.now() - 1000) })
    expect(await forListeners()).to.include({ delivered: false, failure: 'no_url' })
    const { events } = await feed.next()
    expect(events.map(({ type, lineId: of, messageId }) => [type, of, messageId])).to.deep.equal([
      ['optOut', lineId, null],
    ])
    for (let n = 1; n < 100; n += 1) await forListeners()
    expect((await refusal(forListeners())).status).to.equal(429)
    await context.db('test_events').update({ created_at: context.db.raw(`now() - interval '61 minutes'`) })
    await forListeners()
    expect(await countRows(context, 'test_events')).to.equal(1)
    expect(receiver.requests).to.have.length(0)
  })

  it('needs the connection to be enabled', async () => {
    await disableConnection(context, line.userId, line.lineId)
    expect(await refusal(send())).to.include({ status: 409 })
    expect(receiver.requests).to.have.length(0)
  })
})
