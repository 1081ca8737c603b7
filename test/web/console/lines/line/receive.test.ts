import { expect } from 'chai'
import { addEndpoint } from '../../../../../src/domain/endpoints/endpoints.js'
import { forEachTest } from '../../../../helpers/suite.js'
import { expectFault, expectSentTo } from '../../support.js'
import { describeConsole, wordsAt, wordsOf } from './line-page.js'

describeConsole("a line's tab Receive", ({ context, receiver, openLine }) => {
  const line = forEachTest(() => openLine({ outgoingUrl: receiver.url }))

  it('saves and removes the URL', async () => {
    const bare = await openLine()
    const { url } = receiver
    expectSentTo(
      await bare.submit('outgoing-webhook', { url: ` ${url} ` }),
      `${bare.path}/receive?done=url-saved#outgoing-webhook`,
    )
    expect(await bare.page('/receive')).to.include(`value="${url}"`)
    expectSentTo(
      await bare.submit('outgoing-webhook', { url: '' }),
      `${bare.path}/receive?done=url-removed#outgoing-webhook`,
    )
    expect(await bare.page('/receive'))
      .not.to.include(url)
      .and.not.include('/console/endpoints/')
  })

  it('says what is wrong with a URL at its form, with what was typed still in it', async () => {
    const { status, text } = await line.submit('outgoing-webhook', { url: 'http://10.1.2.3/events' })
    expect(status).to.equal(400)
    expect(text).to.match(/\/outgoing-webhook"(?:(?!<\/form>).)*role="alert"[^>]*>Your server's URL: /s)
    expect(text).to.include('value="http://10.1.2.3/events"')
    expect(text, 'the browser shows that part').to.match(/role="alert"[^>]* autofocus/)
    expect(await line.page('/receive')).to.include(`value="${receiver.url}"`)
  })

  it('adds an endpoint, and lists it with its state', async () => {
    const refused = await line.submit('endpoints', { url: 'ftp://x', name: 'CRM' })
    expectFault(refused, 400, /^Endpoint URL: /)
    expect(refused.text).to.include('value="ftp://x"').and.include('value="CRM"')

    const added = await line.submit('endpoints', { url: receiver.url, name: 'CRM' })
    const [, to = '', id = ''] =
      /^(\/console\/endpoints\/([\w-]+))\?done=endpoint-added$/.exec(added.headers.get('location') ?? '') ??
      []
    expect(await wordsAt(line.browser, `${to}?done=endpoint-added`)).to.include('Endpoint added.')
    const listed = await line.page('/receive')
    expect(listed).to.include(`href="${to}"`)
    expect(wordsOf(listed)).to.match(/CRM 127\.0\.0\.1:\d+ not called yet/)

    await line.browser.submit(`${to}/pause`)
    const paused = await context
      .db('endpoints')
      .where({ line_id: line.lineId })
      .whereNotNull('paused_at')
      .pluck<string[]>('id')
    expect(paused).to.deep.equal([id])
    expect(await line.words()).to.include('Needs attention paused')
  })

  it('offers no more endpoints than there may be, and none without a connection', async () => {
    const written = { url: receiver.url }
    const { userId, lineId } = line
    for (let n = 0; n < 10; n += 1) await addEndpoint(context, userId, { lineId }, written)
    expect(await line.words('/receive')).to.include(
      'This line has 10 endpoints, the maximum. Delete one to add another.',
    )
    const refused = await line.submit('endpoints', written)
    expectFault(
      refused,
      409,
      'A line can have up to 10 endpoints in addition to its outgoing webhook. Delete one first',
    )
    await line.submit('connection/disconnect')
    const left = [...(await line.page('/receive')).matchAll(/\/console\/endpoints\/([\w-]+)/g)]
    expect(left.map(([, id]) => id)).to.deep.equal([line.endpointId])
  })
})
