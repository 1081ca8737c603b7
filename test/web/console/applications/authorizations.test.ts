import { expect } from 'chai'
import { listAuthorizedLines } from '../../../../src/database/applications/authorizations.js'
import { authorizeLines, endAuthorizations } from '../../../../src/domain/applications/authorizations.js'
import { deliver } from '../../../../src/domain/endpoints/deliveries/deliver.js'
import { connect, createApplication } from '../../../domain/applications/applications.js'
import { changeRows, receiveForDelivery } from '../../../domain/fixtures.js'
import { createLine } from '../../../helpers/factories.js'
import { describeConsole, wordsAt, wordsOf } from '../lines/line/line-page.js'
import { expectFault, expectSentTo } from '../support.js'
import { messageOfEvent } from '../../support.js'

const PATH = '/console/authorized-applications'

describeConsole('authorized applications in the console', ({ context, receiver, openLine }) => {
  const open = async () => {
    const line = await openLine({ name: 'Shop' })
    const application = await createApplication(context, {
      name: 'Auto <i>Reply</i>',
      website: 'https://example.com',
    })
    await connect(context, application, line)
    const page = async () => (await line.browser.get(PATH)).text
    const connected = async () =>
      (await listAuthorizedLines(context.db, application.id, line.userId)).map(({ id }) => id)
    return { line, application, page, connected, path: `${PATH}/${application.id}` }
  }

  it('are listed with their owner, permissions in words, and last activity', async () => {
    const { line, application, page } = await open()
    const html = await page()
    expect(html).to.include('Auto &lt;i>Reply&lt;/i>').and.include('href="https://example.com"')
    expect(wordsOf(html))
      .to.include('By Grace')
      .and.include('receive events, read messages, send')
      .and.include('Never Never Disconnect…')
    const sent = { last_sent_at: new Date('2026-02-03T04:05:06Z') }
    await changeRows(context, 'application_lines', { application_id: application.id }, sent)
    expect(wordsOf(await page())).to.include('2026-02-03 04:05:06 UTC Never Disconnect…')
    expect(await page()).to.include(`href="/console/lines/${line.lineId}"`)
  })

  it('name their other permissions', async () => {
    const { line, application, page } = await open()
    await authorizeLines(context, {
      applicationId: application.id,
      userId: line.userId,
      lineIds: [line.lineId],
      scopes: ['messages:write', 'lines:read', 'lines:write', 'contacts:read', 'contacts:write'],
    })
    expect(wordsOf(await page()))
      .to.include('names, numbers and states of all your lines')
      .and.include('can rename lines')
      .and.include('see your contacts')
      .and.include('name, block and unblock contacts')
      .and.include('Shop send ')
  })

  it('lose one line', async () => {
    const { line, path, connected, application } = await open()
    const second = await createLine(context, { userId: line.userId })
    await authorizeLines(context, {
      applicationId: application.id,
      userId: line.userId,
      lineIds: [line.lineId, second.lineId],
      scopes: ['messages:connect'],
    })
    const done = await line.browser.submit(`${path}/lines/${second.lineId}/disconnect`)
    expectSentTo(done, `${PATH}?done=application-line-disconnected`)
    expect(await connected()).to.deep.equal([line.lineId])
  })

  it('are disconnected as a whole, and an old page’s form says that it is so', async () => {
    const { line, path, page, connected } = await open()
    const done = await line.browser.submit(`${path}/disconnect`)
    expectSentTo(done, `${PATH}?done=application-disconnected`)
    expect(await connected()).to.deep.equal([])
    expect(wordsOf(await page())).to.include('No application can use your lines.')
    const again = await line.browser.submit(`${path}/lines/${line.lineId}/disconnect`)
    expect([again.status, again.text.includes('role="alert"')]).to.deep.equal([404, true])
  })

  it('stand on the line’s page', async () => {
    const { line, application } = await open()
    expect(await line.page('/access')).to.include(`href="${PATH}#${application.id}"`)
    const other = await openLine()
    expect(await other.words('/access')).to.include('No application can use this line.')
  })

  it('are named in a message’s timeline, without their private details', async () => {
    const line = await openLine()
    const webhookUrl = `${receiver.url}?key=theirs`
    const application = await createApplication(context, { name: 'Notes', webhookUrl })
    await connect(context, application, line)
    receiver.answerWith((response) => response.end('their words'))
    const delivery = await receiveForDelivery(context, line)
    await deliver(context, delivery.id, delivery.endpoint_id)
    const eventMessageId = await messageOfEvent(context, delivery.event_id)
    const { text } = await line.browser.get(`/console/messages/${eventMessageId}`)
    expect(wordsOf(text)).to.include(`Delivery to Notes ${new URL(webhookUrl).origin} delivered`)
    expect(text).not.to.include('theirs').and.not.to.include('their words')
    expect(await wordsAt(line.browser, '/console/activity')).to.include('Text to Notes')

    await endAuthorizations(context, line.userId, application.id)
    const again = await line.browser.submit(
      `/console/messages/${eventMessageId}/deliveries/${delivery.id}/send-again`,
    )
    expectFault(again, 409, /^The application is no longer connected to the line/)
  })
})
