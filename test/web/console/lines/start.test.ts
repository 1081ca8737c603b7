import { expect } from 'chai'
import { addLine } from '../../../../src/domain/lines/lines.js'
import { getConnection } from '../../../../src/domain/lines/connection-overview.js'
import { revealSigningSecret } from '../../../../src/domain/endpoints/signing-secrets.js'
import { addUser } from '../../../../src/domain/people/users.js'
import {
  deliverWhenDue,
  queueMessage,
  receiveForDelivery,
  receiveNew,
  type DeliveryRow,
} from '../../../domain/fixtures.js'
import { browse } from '../../../helpers/web/browser-session.js'
import { createLine, messageBody } from '../../../helpers/factories.js'
import { until } from '../../../helpers/until.js'
import { listen } from '../messages/activity/listen.js'
import { describeConsole, wordsAt, wordsOf } from './line/line-page.js'
import { expectFault, expectSentTo } from '../support.js'

describeConsole('the first steps with a line', (site) => {
  const { context, web, receiver, openLine } = site
  const openUser = async (email: string) => {
    const { id: userId } = await addUser(context, { email })
    const browser = await browse(context, web, userId)
    const words = (path: string) => wordsAt(browser, path)
    return { userId, browser, words }
  }

  it('lead from a new line to a server that takes its events, with code that works, and then go away', async () => {
    const { userId, browser, words } = await openUser('first@example.com')
    expect(await words('/console')).not.to.include('Get started')
    const { id: lineId, number } = await addLine(context, {
      userId,
      number: '+15558880101',
      carrierAccount: 'simulator',
    })
    const path = `/console/lines/${lineId}/start`
    const follow = async (form: string, fields?: Record<string, string>) => {
      const answer = await browser.submit(`${path}/${form}`, fields)
      expect(answer.status, answer.text).to.equal(303)
      return browser.get(answer.headers.get('location') ?? '')
    }
    expect(await words('/console'))
      .to.include('Get started')
      .and.include('0 of 3 done')
    expect(await words(`/console/lines/${lineId}`)).to.include('0 of 3 steps done.')
    expect(await words(`${path}?show=send`)).not.to.include('token=')

    const { text: sending } = await follow('incoming-webhook')
    const url = /curl [^<]*? &#39;(http[^<]*?)&#39;/.exec(sending.replaceAll("'", '&#39;'))?.[1] ?? ''
    for (const title of ['curl', 'Node', 'Python', 'Go', 'PHP', 'Ruby']) {
      expect(sending).to.include(`<summary>${title}</summary>`)
    }
    expect(wordsOf(sending).split(url), 'the real URL, once in each language').to.have.length(7)
    const { pathname, search } = new URL(url)
    expect((await web.post(pathname + search, messageBody())).status).to.equal(200)
    expect(await words('/console')).to.include('1 of 3 done')
    expect(await words(path)).to.match(
      new RegExp(`npx linehook listen ${lineId} --forward-to http://localhost:\\d+ --url http`),
    )

    expect((await browser.submit(`${path}/outgoing-webhook`, { url: ' ' })).status).to.equal(400)
    expectFault(
      await browser.submit(`${path}/outgoing-webhook`, { url: 'ftp://example.com' }),
      400,
      'Outgoing webhook URL: The URL starts with ftp:, which is not supported. Use https://.',
    )
    const { text: receiving } = await follow('outgoing-webhook', { url: receiver.url })
    expect(receiving).to.match(
      /3\. Connect your server<\/h2><p role="status" class="notice">Outgoing webhook URL saved/,
    )
    const secret = await revealSigningSecret(
      context,
      { userId },
      (await getConnection(context, userId, lineId)).endpoint?.id ?? '',
    )
    expect(receiving.split(secret), 'the real secret, once in each language').to.have.length(7)
    const line = { ...(await createLine(context)), userId, lineId, number }
    const live = await listen(site, { browser }, `${path}/live`)
    const tested = await browser.submit(`${path}/test-event`)
    expect(wordsOf(tested.text)).to.include('delivered Your server returned HTTP 200.')

    receiver.answerWith((response) => response.writeHead(500).end())
    const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
    await until(
      'the second tick',
      () => live.text.includes('2 of 3 done') && live.text.includes('an event is on its way'),
    )
    await deliverWhenDue(context, id, endpointId)
    expect(await words(path)).to.match(
      /the latest event was not delivered; the attempt ended in \d+ ms\. The server returned HTTP 500\. Check your server's log/,
    )
    receiver.answerWith((response) => response.end())
    await deliverWhenDue(context, id, endpointId)
    await until('the last tick', () => live.text.includes('All done.'))
    await live.close()
    expect(await words(path)).to.match(/your server returned HTTP 200 in \d+ ms\. done All done\./)
    expect(await words('/console')).not.to.include('Get started')
    expect(await words(`/console/lines/${lineId}`)).not.to.include('Get started')
    expect(pathname).to.include(lineId)
  })

  it('show the token and the secret only where they are asked for', async () => {
    const line = await openLine({ outgoingUrl: receiver.url })
    const key = line.signingSecret
    expect(await line.page('/start?show=send'))
      .to.include(line.token)
      .and.not.include(key)
    expect(await line.page('/start?show=receive'))
      .to.include(key)
      .and.not.include(line.token)
    expect(await line.page('/start'))
      .not.to.include(key)
      .and.not.include(line.token)
  })

  it('count neither the sample receiver, nor an automatic reply, nor a test event', async () => {
    const line = await openLine({ outgoingUrl: receiver.url })
    const steps = () => line.words('/start')
    receiver.answerWith((response) => response.writeHead(500).end())
    await line.submit('start/test-event')
    expect(await steps()).to.include('no incoming message has been sent to it yet. Test events do not count.')

    receiver.answerWith((response) => response.end('The sample receiver of Linehook'))
    await receiveNew(context, line, { content: { type: 'inboundText', text: 'STOP' } })
    const { id, endpoint_id: endpointId } = await context
      .db('deliveries')
      .where({ line_id: line.lineId })
      .first<DeliveryRow>()
    await deliverWhenDue(context, id, endpointId)
    expect(await context.db('messages').where({ line_id: line.lineId }).pluck('source')).to.have.members([
      'carrier',
      'service',
    ])
    expect(await steps())
      .to.include('1 of 3 done')
      .and.include('so far, events go to the sample receiver')
    // Elsewhere there are no tabs.
    await context.db('deliveries').where({ id }).update({ status: 'held' })
    expect(await line.page('/start')).to.include(`<a href="${line.path}/receive">where events are sent</a>`)
  })

  it('of a line with a name are to send, because nobody can reply to it', async () => {
    const line = await openLine()
    await context.db('lines').where({ id: line.lineId }).update({ number: 'ACME', name: 'ACME' })
    expect(await line.words()).to.include('Get started with ACME. ')
    const steps = await line.words('/start')
    expect(steps).to.include('Updates automatically.').and.not.include('of 3').and.not.include('text ACME')
    await queueMessage(context, line, { status: 'sent' })
    expect(await line.words('/start')).to.include('All done.')
    expect(await line.words()).not.to.include('Get started')
  })

  it('are linked from the tabs Send and Receive also when they are done', async () => {
    const line = await openLine({ outgoingUrl: receiver.url })
    for (const [tab, query] of [
      ['send', 'show=send#send'],
      ['receive', 'show=receive#connect'],
    ]) {
      expect(await line.page(`/${tab}`)).to.include(`<a href="${line.path}/start?${query}">Code samples</a>`)
    }
  })

  it('are closed for good by the user alone', async () => {
    const { browser, path, page } = await openLine()
    const other = await openLine()
    expectSentTo(await browser.submit('/console/tour/close'), '/console?done=tour-closed')
    expect((await browser.get('/console')).text).not.to.include('Get started')
    expect((await other.browser.get('/console')).text).to.include('Get started')
    const operator = await openLine()
    await context.db('users').where({ id: operator.userId }).update({ role: 'operator' })
    expect((await operator.browser.get('/console/overview')).text).to.include('Get started')
    expectSentTo(await operator.browser.submit('/console/tour/close'), '/console/overview?done=tour-closed')
    expect((await operator.browser.get('/console/overview')).text).not.to.include('Get started')
    // The line's own page goes on to know the way.
    expect(await page()).to.include(`href="${path}/start"`)
  })
})
