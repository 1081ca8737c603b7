import { expect } from 'chai'
import { describeWith } from '../../../helpers/suite.js'
import { redirectOf, startConsole, wordsOf, type OpenLine } from '../lines/line/line-page.js'

describeWith('the outgoing webhook of a line, and trying it out', startConsole, (site) => {
  let line: OpenLine

  beforeEach(async () => {
    site.receiver.answerWith((response) => response.end('ok'))
    line = await site.openLine({ outgoingUrl: site.receiver.url })
  })

  const testEvent = () => line.act('test-event')

  it('saves and removes the URL', async () => {
    const bare = await site.openLine()
    const { url } = site.receiver
    expect(redirectOf(await bare.submit('outgoing-webhook', { url: ` ${url} ` }))).to.deep.equal([
      303,
      `${bare.path}/receive?done=url-saved#outgoing-webhook`,
    ])
    expect(await bare.page('/receive')).to.include(`value="${url}"`)
    expect(redirectOf(await bare.submit('outgoing-webhook', { url: '' }))).to.deep.equal([
      303,
      `${bare.path}/receive?done=url-removed#outgoing-webhook`,
    ])
    expect(await bare.page('/receive'))
      .not.to.include(url)
      .and.not.include('Send test event')
  })

  it('says what is wrong with a URL at its form, with what was typed still in it', async () => {
    const { status, text } = await line.submit('outgoing-webhook', { url: 'http://10.1.2.3/events' })
    expect(status).to.equal(400)
    expect(text).to.match(/\/outgoing-webhook"(?:(?!<\/form>).)*role="alert"[^>]*>outgoing webhook URL: /s)
    expect(text).to.include('value="http://10.1.2.3/events"')
    expect(text, 'the browser shows that part').to.match(/role="alert"[^>]* autofocus/)
    expect(await line.page('/receive')).to.include(`value="${site.receiver.url}"`)
  })

  it('has a check box for each event that a line can have besides', async () => {
    const boxes = (html: string) =>
      [...html.matchAll(/<input[^>]*name="optInEvents" value="(\w+)"( checked)?/g)].map(
        ([, type, checked]) => [type, checked !== undefined],
      )
    expect(boxes(await line.endpointPage())).to.deep.equal([
      ['messageStatus', false],
      ['optOut', false],
    ])
    const { url } = site.receiver
    const ticked = await line.act('fields', { url, name: '', optInEvents: 'optOut' })
    expect(redirectOf(ticked)).to.deep.equal([303, `${line.endpointPath}?done=endpoint-saved`])
    expect(boxes(await line.endpointPage())).to.deep.equal([
      ['messageStatus', false],
      ['optOut', true],
    ])
    const refused = await line.act('fields', { url, name: '', optInEvents: 'lineDisconnected' })
    expect(refused.status).to.equal(400)
    expect(wordsOf(refused.text)).to.include('(lineDisconnected is for applications)')
  })

  it('posts a signed test event, and shows status, time and answer on the page', async () => {
    const count = site.receiver.requests.length
    const { status, text } = await testEvent()
    expect(status).to.equal(200)
    expect(text).to.include('<h1>')
    expect(wordsOf(text)).to.match(/delivered Your server answered 200\. It took \d+ ms\. ok /)
    const [request] = site.receiver.requests.slice(count)
    expect(request?.headers['webhook-signature']).to.match(/^v1,/)
    expect(JSON.parse(request?.body ?? '')).to.have.property('payload', 'A test event from Linehook')
  })

  it('answers the result alone to htmx', async () => {
    const { text: page } = await line.browser.get(line.endpointPath)
    const csrf = /name="csrf" value="([\w-]+)"/.exec(page)?.[1] ?? ''
    expect(page).to.include(`hx-post="${line.endpointPath}/test-event"`)
    const path = `${line.endpointPath}/test-event`
    const { status, text } = await line.browser.post(path, `csrf=${csrf}`, { 'HX-Request': 'true' })
    expect([status, text.startsWith('<div class="notice">')]).to.deep.equal([200, true])
    expect(text).not.to.include('<html')
  })

  it('names a failure in words', async () => {
    site.receiver.answerWith((response) => {
      response.statusCode = 500
      response.end('<script>alert(1)</script>')
    })
    const failed = await testEvent()
    expect(wordsOf(failed.text)).to.match(
      /failed The server answered 500\. It failed at the event.* It took \d+ ms\./,
    )
    expect(failed.text).to.include('&lt;script>alert(1)').and.not.include('<script>alert')

    site.receiver.answerWith((response) => {
      response.writeHead(302, { location: 'http://127.0.0.1/' }).end()
    })
    expect(wordsOf((await testEvent()).text)).to.include('answered with a redirect, which is not followed')

    site.receiver.answerWith((response) => response.socket?.destroy())
    expect(wordsOf((await testEvent()).text)).to.include('closed before the answer was complete')

    await line.submit('outgoing-webhook', { url: 'http://127.0.0.1:9/' })
    expect(wordsOf((await testEvent()).text)).to.include('Nothing took the connection at this host and port')
  })

  it('shows the beginning of a long answer', async () => {
    site.receiver.answerWith((response) => response.end('x'.repeat(5000)))
    expect((await testEvent()).text).to.match(/>x{500}…</)
  })
})
