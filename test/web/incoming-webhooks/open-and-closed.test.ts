import { expect } from 'chai'
import { disableConnection, disconnect, enableConnection } from '../../../src/domain/lines/connections.js'
import {
  createIncomingWebhook,
  regenerateToken,
  removeIncomingWebhook,
} from '../../../src/domain/lines/incoming-webhooks.js'
import { setLineStatus } from '../../../src/domain/lines/lines.js'
import { createLine, messageBody, type TestLine } from '../../helpers/factories.js'
import { describeWeb } from '../../helpers/web/web.js'
import { expectAccepted, expectRefused, messagesOf } from '../support.js'

describeWeb('an incoming webhook', ({ context, web }) => {
  let line: TestLine

  beforeEach(async () => {
    line = await createLine(context)
  })

  const send = (token = line.token) =>
    web.post(`/webhooks/lineId/${line.lineId}?token=${token}`, messageBody())

  async function expectGone(): Promise<void> {
    expectRefused(await send(), 404, "URL doesn't exist")
    expectRefused(await send('wrong'), 404, "URL doesn't exist")
    expect(await messagesOf(context, line.lineId)).to.deep.equal([])
  }

  it('refuses its old token from the moment of a regeneration', async () => {
    const { token } = await regenerateToken(context, line.userId, line.lineId)
    expectRefused(await send(), 403, 'URL is invalid')
    expectAccepted(await send(token))
  })

  it('takes both tokens while an overlap lasts, and the new one only after it', async () => {
    const { token } = await regenerateToken(context, line.userId, line.lineId, 3600)
    expectAccepted(await send())
    expectAccepted(await send(token))
    await context.db.raw(
      `update incoming_webhooks set previous_token_until = now() - interval '1 second' where line_id = ?`,
      [line.lineId],
    )
    expectRefused(await send(), 403, 'URL is invalid')
    expectAccepted(await send(token))
  })

  it('keeps only the last token in an overlap', async () => {
    const second = await regenerateToken(context, line.userId, line.lineId, 3600)
    const third = await regenerateToken(context, line.userId, line.lineId, 3600)
    expectRefused(await send(), 403, 'URL is invalid')
    expectAccepted(await send(second.token))
    expectAccepted(await send(third.token))
  })

  it('ends an overlap with a regeneration without one', async () => {
    const second = await regenerateToken(context, line.userId, line.lineId, 3600)
    const third = await regenerateToken(context, line.userId, line.lineId)
    expectRefused(await send(second.token), 403, 'URL is invalid')
    expectAccepted(await send(third.token))
  })

  it('answers 404 once it is deleted, and a new one has a new token', async () => {
    await removeIncomingWebhook(context, line.userId, line.lineId)
    await expectGone()
    const { url, token } = await createIncomingWebhook(context, line.userId, line.lineId)
    expect(token).not.to.equal(line.token)
    expectRefused(await send(), 403, 'URL is invalid')
    const { pathname, search } = new URL(url)
    expectAccepted(await web.post(pathname + search, messageBody()))
  })

  it('answers 404 once its line is disconnected, and is still deleted when the line is connected again', async () => {
    await disconnect(context, line.userId, line.lineId)
    await expectGone()
    await enableConnection(context, line.userId, line.lineId)
    await expectGone()
  })

  it('answers 404 while the connection is disabled, and works with the same URL when it is enabled again', async () => {
    await disableConnection(context, line.userId, line.lineId)
    await expectGone()
    await enableConnection(context, line.userId, line.lineId)
    expectAccepted(await send())
  })

  it('answers 404 while the line is disabled, and works with the same URL when it is active again', async () => {
    await setLineStatus(context, line.userId, line.lineId, 'disabled')
    await expectGone()
    await setLineStatus(context, line.userId, line.lineId, 'active')
    expectAccepted(await send())
  })

  it('of another line is not touched by any of it', async () => {
    const other = await createLine(context)
    await regenerateToken(context, line.userId, line.lineId)
    await disconnect(context, line.userId, line.lineId)
    await setLineStatus(context, line.userId, line.lineId, 'disabled')
    expectAccepted(await web.post(other.webhookPath, messageBody()))
  })
})
