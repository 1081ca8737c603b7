import { expect } from 'chai'
import { changeRows } from '../../../domain/fixtures.js'
import { createApplication } from '../../../domain/applications/applications.js'
import { createLine } from '../../../helpers/factories.js'
import { browse } from '../../../helpers/web/browser-session.js'
import { describeWeb } from '../../../helpers/web/web.js'
import { wordsAt } from '../lines/line/line-page.js'

describeWeb('the list of endpoints', ({ context, web }) => {
  it('has those of lines and applications, the worst first, and is searched and filtered', async () => {
    const line = await createLine(context, { name: 'Front desk', outgoingUrl: 'http://127.0.0.1:9/first' })
    const of = { userId: line.userId }
    await createLine(context, { ...of, name: 'Back office', outgoingUrl: 'http://127.0.0.1:9/second' })
    await createApplication(context, { ...of, webhookUrl: 'http://127.0.0.1:9/third' })
    await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/other' })
    await context.db('endpoints').update({
      url: context.db.raw(`'https://' || substring(url from '[a-z]*$') || '.example.com/'`),
    })
    const failing = { failing_since: new Date(), last_failure: 'http_503' }
    await changeRows(context, 'endpoints', { url: 'https://second.example.com/' }, failing)
    const browser = await browse(context, web, line.userId)
    const at = (query = '') => wordsAt(browser, `/console/endpoints${query}`)
    const all = await at()
    expect(all).to.match(/second\.example\.com .* first\.example\.com .* third\.example\.com/)
    expect(all).to.include('third.example.com Auto Reply').and.not.include('other.example.com')
    expect((await browser.get('/console/endpoints')).text).to.include(
      '<span class="badge bad">HTTP 503</span>',
    )
    expect(await at('?state=failing'))
      .to.include('second.example.com')
      .and.not.include('first.example.com')
    expect(await at('?q=FRONT'))
      .to.include('first.example.com')
      .and.not.include('second.example.com')
    expect(await at('?q=nowhere')).to.include('No endpoints match this filter.')
  })
})
