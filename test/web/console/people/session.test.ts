import { expect } from 'chai'
import { ago } from '../../../domain/fixtures.js'
import { forAllTests } from '../../../helpers/suite.js'
import { browse } from '../../../helpers/web/browser-session.js'
import { describeWeb } from '../../../helpers/web/web.js'
import { consoleRoutes, createOwner, expectPage, expectSentTo, isOpen } from '../support.js'

describeWeb('a session of the console', ({ context, web }) => {
  const owner = forAllTests(() => createOwner(context))
  const sessions = () => context.db('sessions').where({ user_id: owner.person.id, user_agent: 'test' })
  /** As if it had been used that long ago. */
  const moveBack = (interval: string) => sessions().update({ last_seen_at: ago(context, interval) })

  afterEach(() => sessions().delete())

  it('is needed for every page: without it one is sent to sign in and back', async () => {
    const pages = consoleRoutes(context).filter(({ method, path }) => method === 'GET' && !isOpen(path))
    expect(pages).to.have.length.at.least(12)
    for (const { path } of pages) {
      const asked = `${owner.fill(path)}?lineId=a%26b&number=%2B1`
      for (const method of ['GET', 'HEAD']) {
        const answer = await web.request(asked, { method, headers: { Accept: 'text/html' } })
        expectSentTo(answer, `/console/sign-in?next=${encodeURIComponent(asked)}`, 302)
        expect(answer.headers.getSetCookie()).to.deep.equal([])
      }
      const piece = await web.request(asked, { headers: { Accept: 'text/html', 'HX-Request': 'true' } })
      expectPage(piece, 401)
    }
  })

  it('can be ended from every page', async () => {
    const browser = await browse(context, web, owner.person.id)
    const pages = consoleRoutes(context).filter(({ method, path }) => method === 'GET' && !isOpen(path))
    let count = 0
    for (const { path } of pages) {
      const { status, headers, text } = await browser.get(owner.fill(path))
      // What is read by a program, a part of a page, or leads on.
      const isPage =
        headers.get('content-type')?.startsWith('text/html') === true && text.startsWith('<!doctype')
      if (status !== 200 || !isPage) continue
      count += 1
      expect(text, path).to.match(/<form method="post" action="\/console\/sign-out"/)
    }
    expect(count).to.be.at.least(25)
  })

  it('lasts as long as it is used, and ends after 30 minutes without a request', async () => {
    const browser = await browse(context, web, owner.person.id)
    await moveBack('29 minutes')
    expectPage(await browser.get('/console'))
    const [row] = await sessions().select<{ age: string }[]>(
      context.db.raw('extract(epoch from now() - last_seen_at) as age'),
    )
    expect(Number(row!.age)).to.be.below(600)
    await moveBack('30 minutes 1 second')
    expect((await browser.get('/console')).status).to.equal(302)
    expect((await browser.get('/console')).status).to.equal(302)
    expectPage(await browser.submit('/console/settings/api-tokens', { name: 'late' }), 401)
  })

  it('survives error pages and requests from other sites', async () => {
    const browser = await browse(context, web, owner.person.id)
    const cookie = browser.cookie()
    for (const path of [
      '/console/nothing',
      '/nothing',
      '/queues',
      '/console/lines/x',
      '/simulator/nothing',
    ]) {
      await browser.get(path)
      expect(browser.cookie(), path).to.equal(cookie)
    }
    // Without its cookie, as browsers send other sites' forms: an answer with a new one would sign it out.
    for (const { method, path } of consoleRoutes(context)) {
      if (method === 'GET') continue
      const { headers } = await web.request(owner.fill(path), {
        method,
        headers: { Accept: 'text/html', 'Sec-Fetch-Site': 'cross-site' },
        body: new URLSearchParams({ email: 'eve@example.com' }),
      })
      expect(headers.getSetCookie(), path).to.deep.equal([])
    }
    expectPage(await browser.get('/console'))
  })
})
