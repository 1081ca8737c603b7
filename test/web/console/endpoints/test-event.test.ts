import { expect } from 'chai'
import { forEachTest } from '../../../helpers/suite.js'
import { describeConsole, wordsOf } from '../lines/line/line-page.js'
import { KINDS, openEndpoint } from './endpoint-page.js'

describeConsole("a test event from an endpoint's page", (site) => {
  const { receiver } = site
  const endpoint = forEachTest(() => openEndpoint(site))

  beforeEach(() => {
    receiver.answerWith((response) => response.end('ok'))
  })

  const testEvent = () => endpoint.submit('test-event')

  for (const kind of KINDS) {
    it(`is posted signed, and status, time and answer are shown, by ${kind}`, async () => {
      const { submit } = await openEndpoint(site, kind)
      const count = receiver.requests.length
      const { status, text } = await submit('test-event')
      expect(status).to.equal(200)
      expect(text).to.include('<h1>')
      expect(wordsOf(text)).to.match(/delivered Your server returned HTTP 200\. It took \d+ ms\. ok /)
      const [request] = receiver.requests.slice(count)
      expect(request?.headers['webhook-signature']).to.match(/^v1,/)
      expect(JSON.parse(request?.body ?? '')).to.have.property('payload', 'This is a test event')
      expect(wordsOf((await submit('test-event', { type: 'voiceMail' })).text)).to.include(
        'Your server returned HTTP 200.',
      )
    })
  }

  it('returns only the result to htmx', async () => {
    const page = await endpoint.page()
    const path = `${endpoint.path}/test-event`
    expect(page).to.include(`data-hx-post="${path}"`)
    const { status, text } = await endpoint.line.browser.submit(path, {}, { 'HX-Request': 'true' })
    expect([status, text.startsWith('<div class="notice">')]).to.deep.equal([200, true])
    expect(text).not.to.include('<html')
  })

  it('that fails is explained in words', async () => {
    receiver.answerWith((response) => {
      response.statusCode = 500
      response.end('<script>alert(1)</script>')
    })
    const failed = await testEvent()
    expect(wordsOf(failed.text)).to.match(
      /failed The server returned HTTP 500\. Check your server's log.* It took \d+ ms\./,
    )
    expect(failed.text).to.include('&lt;script>alert(1)').and.not.include('<script>alert')

    receiver.answerWith((response) => {
      response.writeHead(302, { location: 'http://127.0.0.1/' }).end()
    })
    expect(wordsOf((await testEvent()).text)).to.include(
      'responded with a redirect. Redirects are not followed',
    )

    receiver.answerWith((response) => response.socket?.destroy())
    expect(wordsOf((await testEvent()).text)).to.include('closed before the response was complete')

    await endpoint.submit('fields', { url: 'http://127.0.0.1:9/', name: '' })
    expect(wordsOf((await testEvent()).text)).to.include('Connection refused')
  })

  it('shows the beginning of a long answer', async () => {
    receiver.answerWith((response) => response.end('x'.repeat(5000)))
    expect((await testEvent()).text).to.match(/>x{500}…</)
  })
})
