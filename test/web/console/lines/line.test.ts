import { expect } from 'chai'
import { setLineStatus } from '../../../../src/domain/lines/lines.js'
import { newId } from '../../../../src/ids.js'
import { moveToAnotherCarrier } from '../../../domain/fixtures.js'
import { browse } from '../../../helpers/web/browser-session.js'
import { createLine, messageBody } from '../../../helpers/factories.js'
import { describeConsole, wordsOf } from './line/line-page.js'
import { expectFault, expectSentTo } from '../support.js'

describeConsole("a line's page in the console", ({ context, web, receiver, openLine }) => {
  it('names the line and links to its activity', async () => {
    const { page, number, lineId } = await openLine({ name: 'Support' })
    const html = await page()
    expect(html).to.include('<h1><bdi dir="auto">Support</bdi></h1>')
    expect(wordsOf(html)).to.include(number)
    expect(html).to.include(`href="/console/activity?line=${lineId}"`)
  })

  it('has its facts in a list, each with the way to its section', async () => {
    const { page } = await openLine({ outgoingUrl: receiver.url })
    expect(wordsOf(await page())).to.include(
      'Connection on Webhook on Endpoint not called yet Held 0 events Rate limit 0 of 30 a minute',
    )
  })

  it('renames the line, and says what is wrong with a name at its form', async () => {
    const { submit, page, path } = await openLine()
    expectSentTo(await submit('name', { name: ' <b>Sales</b> ' }), `${path}?done=renamed`)
    expect(await page('?done=renamed'))
      .to.include('<h1><bdi dir="auto">&lt;b>Sales&lt;/b></bdi></h1>')
      .and.include('Line renamed.')
    const refused = await submit('name', { name: ' ' })
    expect(refused.status).to.equal(400)
    expect(refused.text).to.match(/action="[^"]+\/name"[^>]*>(?:(?!<\/form>).)*Name must have 1 to 100 char/s)
  })

  it('enables, rests and disconnects the developer connection', async () => {
    const { submit, page, path, webhookPath } = await openLine({ outgoingUrl: receiver.url })
    const post = async () => (await web.post(webhookPath, messageBody())).status
    expectSentTo(await submit('connection/disable'), `${path}/access?done=disabled#connection`)
    expect(await post()).to.equal(404)
    expect(wordsOf(await page('/send'))).to.include(
      'The URL currently returns 404 because the developer connection is off.',
    )
    expect(wordsOf(await page('/access'))).to.include(
      'The incoming webhook does not accept messages, and your endpoints get no events. ' +
        'API tokens and authorized applications can still send from this line.',
    )
    expectSentTo(await submit('connection/enable'), `${path}/access?done=enabled#connection`)
    expect(await post()).to.equal(200)
    expect(await page('/access?done=enabled')).to.include('Developer connection enabled.')
    expect(wordsOf(await page('/danger'))).to.include(
      'never works again. The outgoing webhook URL and its signing secret',
    )
    expectSentTo(await submit('connection/disconnect'), `${path}/access?done=disconnected#connection`)
    expect(await post()).to.equal(404)
    const words = wordsOf(await page('/receive'))
    expect(words).to.include(receiver.url)
    expect(words).to.include('The developer connection is off')
  })

  it('of a line at a real carrier says nothing of the phone simulator, which does not reach it', async () => {
    const elsewhere = await createLine(context)
    await moveToAnotherCarrier(context, elsewhere)
    const browser = await browse(context, web, elsewhere.userId)
    for (const path of ['', '/send?show=webhook']) {
      const { text } = await browser.get(`/console/lines/${elsewhere.lineId}${path}`)
      if (path === '') expect(wordsOf(text)).to.include('Carrier another')
      expect(text.match(/href="\/simulator/g), 'only in the navigation').to.have.length(1)
    }
  })

  it('says why nothing goes on a disabled line', async () => {
    const line = await openLine()
    await setLineStatus(context, line.userId, line.lineId, 'disabled')
    expect(await line.words())
      .to.include('This line is disabled. It does not send or receive')
      .and.include('ask your operator')
    expect(await line.words('/send')).to.include(
      'The URL currently returns 404 because the line is disabled.',
    )
    expect(await line.words('/access'))
      .to.include('It takes effect when the line itself is enabled again.')
      .and.not.include('Your programs can send')
  })

  it('says why a form of an old page is refused, although it is no longer there', async () => {
    const { submit } = await openLine({ outgoingUrl: receiver.url })
    await submit('connection/disable')
    for (const form of ['outgoing-webhook', 'endpoints']) {
      const refused = await submit(form, { url: receiver.url })
      expectFault(refused, 409, /^This line's developer connection is off/)
      expect(refused.text).to.include(`URL<textarea readonly rows="1" dir="auto">${receiver.url}</textarea>`)
    }
    const twice = await submit('incoming-webhook')
    expectFault(twice, 409, /^This line's developer connection is off/)
    expect(twice.text, 'nothing was entered').not.to.include('textarea readonly')
  })

  it('lists nothing that nobody entered when the button for missed events is gone', async () => {
    const { submit, endpointId, browser } = await openLine({ outgoingUrl: receiver.url })
    await submit('connection/disable')
    const refused = await browser.submit(`/console/endpoints/${endpointId}/replay`, {
      ...{ since: new Date(0).toISOString(), outcome: 'undelivered', key: newId() },
    })
    expectFault(refused, 409, /^This line's developer connection is off/)
    expect(refused.text).not.to.include('textarea readonly')
  })
})
