import { expect } from 'chai'
import { forAllTests } from '../../helpers/suite.js'
import { browse, type BrowserSession } from '../../helpers/web/browser-session.js'
import { createLine } from '../../helpers/factories.js'
import { describeWeb } from '../../helpers/web/web.js'
import { allRows, consoleRoutes, createOwner, expectPage, request } from './support.js'

/** One path names a number that is everybody's; what it may be written to is the form's own question. */
const NAMES_NOTHING_OF_OURS = /:phone/

const OF_OPERATORS = /^\/console\/(overview|sending|people|audit|carriers|users|search\/look)\b/

describeWeb('what is another user’s, in the console', ({ context, web }) => {
  const owner = forAllTests(() => createOwner(context))
  const stranger = forAllTests(() => createLine(context))
  const browser = forAllTests(() => browse(context, web, stranger.userId))

  const fields = () => ({
    lineId: owner.line.lineId,
    name: 'mine now',
    url: 'http://127.0.0.1:9/stolen',
    overlapSeconds: '0',
    key: 'a key',
    text: 'Hello',
  })

  it('is answered as an unknown thing by every page and form that names one, and nothing changes', async () => {
    const routes = consoleRoutes(context).filter(
      ({ path }) => path.includes(':') && !NAMES_NOTHING_OF_OURS.test(path),
    )
    expect(routes.length).to.be.above(20)
    // The stranger's form token is got, and the session seen, before the rows are compared.
    await browser.submit('/console/confirm', { password: 'wrong' })
    const before = await allRows(context)
    for (const { method, path } of routes) {
      const filled = owner.fill(path)
      const answer = await request(browser, method, filled, fields())
      expect(answer.status, `${method} ${path}`).to.equal(404)
      for (const secret of [owner.line.token, owner.line.number, owner.person.email]) {
        expect(answer.text, `${method} ${path}`).not.to.include(secret)
      }
    }
    expect(await allRows(context)).to.deep.equal(before)
  })

  it('is nothing to them where it is the operators’, and no link leads there', async () => {
    const routes = consoleRoutes(context).filter(({ path }) => OF_OPERATORS.test(path))
    expect(routes.length).to.be.above(40)
    const before = await allRows(context)
    for (const { method, path } of routes) {
      const filled = owner.fill(path)
      const answer = await request(browser, method, filled, fields())
      expectPage(answer, 404)
      expect(answer.text, `${method} ${path}`).to.include('Nothing was found at this path')
    }
    expect(await allRows(context)).to.deep.equal(before)
    const linksOf = async (of: BrowserSession) =>
      [...(await of.get('/console')).text.matchAll(/href="([^"]*)"/g)]
        .map(([, href = '']) => href)
        .filter((href) => OF_OPERATORS.test(href))
    expect(await linksOf(browser)).to.deep.equal([])
    expect(await linksOf(await browse(context, web, owner.person.id))).to.include.members([
      ...['/console/overview', '/console/audit', '/console/users', '/console/carriers'],
    ])
  })

  it('is on none of the pages that name nothing', async () => {
    const pages = consoleRoutes(context).filter(
      ({ method, path }) => method === 'GET' && !path.includes(':') && !path.endsWith('/live'),
    )
    expect(pages.length).to.be.above(5)
    for (const { path } of pages) {
      for (const query of ['', `?line=${owner.line.lineId}`, '?phone=%2B15005550199']) {
        const { text } = await browser.get(path + query)
        for (const secret of [owner.line.token, owner.line.number, owner.person.email]) {
          expect(text, path + query).not.to.include(secret)
        }
      }
    }
  })

  it('cannot be written to from a phone of the simulator', async () => {
    for (const what of ['messages', 'voicemails']) {
      const answer = await browser.submitMultipart(`/simulator/phones/15005550199/${what}`, fields())
      expect(answer.status, what).to.equal(404)
    }
    const received = await context.db('messages').where({ line_id: owner.line.lineId, direction: 'inbound' })
    expect(received.length).to.equal(1)
  })
})
