import { expect } from 'chai'
import { startReplay } from '../../../../src/domain/endpoints/deliveries/replay.js'
import { listAudit } from '../../../../src/domain/operating/audit.js'
import {
  attemptRows,
  changeRows,
  deliverWhenDue,
  queueMessage,
  receiveForDelivery,
} from '../../../domain/fixtures.js'
import { personForEachTest } from '../../../domain/people/people.js'
import { browse } from '../../../helpers/web/browser-session.js'
import { createLine } from '../../../helpers/factories.js'
import { describeWeb } from '../../../helpers/web/web.js'
import { wordsAt, wordsOf } from '../lines/line/line-page.js'
import { expectFault, expectPage, expectSentTo, signedInForEachTest } from '../support.js'
import { messageOfEvent } from '../../support.js'

const NUMBER = '+14155550142'
const TEXT = 'a secret of theirs'

describeWeb("an operator's view of a user's message", ({ context, web }) => {
  const owner = personForEachTest(context)
  const { person: operator, browser } = signedInForEachTest(context, web, 'operator')
  let messageId: string
  let path: string

  beforeEach(async () => {
    const line = await createLine(context, { userId: owner.id })
    messageId = await queueMessage(context, line, {
      ...{ to_number: NUMBER, text: TEXT, status: 'failed', error: 'expired' },
    })
    path = `/console/users/${owner.id}/messages/${messageId}`
  })

  const acts = async () =>
    (await listAudit(context, { actorId: operator.id }, { limit: 10 })).map(
      ({ action, actorId, subjectId, after }) => ({
        ...{ action, actorId, subjectId, after },
      }),
    )

  it('requires a reason, which is recorded before anything is shown', async () => {
    const asked = await browser.get(path)
    expectPage(asked)
    expect(wordsOf(asked.text)).not.to.include(NUMBER).and.not.to.include(TEXT)
    const refused = await browser.submit(`${path}/look`, { reason: ' me ' })
    expectFault(refused, 400, /^Reason must say in 5 to 300 characters why you need access/)
    expect(await acts()).to.deep.equal([])
    expectSentTo(await browser.submit(`${path}/look`, { reason: 'ticket 4711' }), path)
    const shown = await browser.get(path)
    expectPage(shown)
    expect(wordsOf(shown.text)).to.include(TEXT).and.to.include(NUMBER)
    await browser.get(path)
    expect(await acts()).to.deep.equal([
      { action: 'message.viewed', actorId: operator.id, subjectId: messageId, after: null },
      {
        ...{ action: 'user.messages.opened', actorId: operator.id, subjectId: owner.id },
        after: { reason: 'ticket 4711' },
      },
    ])
  })

  it('is read-only: it has no buttons, and forms are refused', async () => {
    await browser.submit(`${path}/look`, { reason: 'ticket 4711' })
    const { text } = await browser.get(path)
    expect(text).not.to.include('send-again').and.not.to.include('href="/console/lines/')
    expect((await browser.submit(`/console/messages/${messageId}/send-again`)).status).to.equal(404)
    expect((await browser.get(`/console/messages/${messageId}`)).status).to.equal(404)
  })

  it('shows of an endpoint’s URL only the host, and no command with it', async () => {
    const url = 'http://127.0.0.1:1/very-secret'
    const line = await createLine(context, { userId: owner.id, outgoingUrl: url })
    const delivery = await receiveForDelivery(context, line)
    await deliverWhenDue(context, delivery.id, delivery.endpoint_id)
    const [attempt] = await attemptRows(context, delivery.id)
    const headers = { 'webhook-signature': 'v1,x' }
    await changeRows(context, 'delivery_attempts', attempt!.id, { request_headers: JSON.stringify(headers) })
    const inboundId = await messageOfEvent(context, delivery.event_id)
    const task = await startReplay(
      context,
      { of: 'line', userId: owner.id, lineId: line.lineId },
      { from: new Date(0), url: 'http://127.0.0.1:9/very-secret' },
    )
    await context.db('replayed_events').insert({
      ...{ task_id: task.id, event_id: delivery.event_id, sent_at: new Date(), attempt_count: 1 },
      response_status: 200,
    })
    const inbound = `/console/users/${owner.id}/messages/${inboundId}`
    await browser.submit(`${inbound}/look`, { reason: 'ticket 4711' })
    const { text } = await browser.get(`${inbound}?attempt=${attempt!.id}&view=request`)
    expect(text)
      .to.include(`href="${inbound}?attempt=`)
      .and.not.match(/very-secret|curl/)
    expect(text).to.include(`href="/queues/queue/deliver-event/${delivery.id}"`)
    expect(wordsOf(text)).to.match(/Replayed to http:\/\/127\.0\.0\.1:9 /)
    expect(wordsOf(text)).to.include('POST http://127.0.0.1:1 ').and.to.include('webhook-signature: v1,x')
  })

  it('counts for this session, this user and half an hour', async () => {
    const look = `/console/search?q=${messageId}`
    const hidden = (await browser.get(look)).text
    expect(hidden).to.include(`href="${path}"`)
    expect(wordsOf(hidden)).not.to.include(NUMBER)
    await browser.submit(`${path}/look`, { reason: 'ticket 4711' })
    const shown = (await browser.get(look)).text
    expect(shown).to.include(`href="${path}"`)
    expect(wordsOf(shown)).to.include(NUMBER)

    const another = await browse(context, web, operator.id)
    expect(await wordsAt(another, look)).not.to.include(NUMBER)
    expect((await another.get(path)).text).not.to.include(TEXT)

    const other = await createLine(context)
    const otherId = await queueMessage(context, other, { text: TEXT })
    const ofOther = await browser.get(`/console/users/${other.userId}/messages/${otherId}`)
    expect(ofOther.text).to.include('Give a reason').and.not.to.include(TEXT)
    const mixed = await browser.get(`/console/users/${owner.id}/messages/${otherId}`)
    expect(mixed.status).to.equal(404)
  })

  it('appears in the user’s account history', async () => {
    await browser.submit(`${path}/look`, { reason: 'ticket 4711' })
    await browser.get(path)
    const history = await (await browse(context, web, owner.id)).get('/console/settings/history')
    expect(wordsOf(history.text)).to.include('viewed the message').and.to.include('ticket 4711')
  })
})
