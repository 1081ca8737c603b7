import { expect } from 'chai'
import { changeRows } from '../../domain/fixtures.js'
import { freePort } from '../../../dev/services/free-port.js'
import { readConfig } from '../../../src/config.js'
import { createContext } from '../../../src/domain/open-context.js'
import { insertNotices } from '../../../src/database/operating/notices.js'
import { newId } from '../../../src/ids.js'
import { createPerson } from '../../domain/people/people.js'
import { browse } from '../../helpers/web/browser-session.js'
import { createTestContext } from '../../helpers/context.js'
import { openings } from '../../helpers/openings.js'
import { createEnvironment } from '../../helpers/process/environment.js'
import { memoryLog } from '../../helpers/process/log.js'
import { describeWeb, serveApp } from '../../helpers/web/web.js'
import { browseAs, consoleRoutes, expectPage } from './support.js'

const BROWSER = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const XSS = '<script>alert(1)</script>'

describeWeb('what goes wrong', ({ context, web }) => {
  const open = openings()

  it('is a page for browsers, and a problem for everybody else', async () => {
    for (const [method, path, status, message] of [
      ['GET', '/nothing', 404, 'Nothing was found at this path'],
      ['GET', '/console/nothing', 404, 'Nothing was found at this path'],
      ['GET', '/assets/x/console.css', 404, 'Nothing was found at this path'],
      ['DELETE', '/console', 405, 'Method not allowed. See the Allow header'],
      ['GET', '/console/sign-out', 405, 'Method not allowed. See the Allow header'],
      ['POST', '/console/settings/password', 401, 'Sign in first'],
    ] as const) {
      const page = await web.request(path, { method, headers: BROWSER })
      expectPage(page, status)
      const said = message.includes('. ') ? `${message}.` : message
      expect(page.text).to.include(`<p>${said}</p>`).and.to.include('href="/console"')
      for (const Accept of ['*/*', 'application/json', '']) {
        const problem = await web.request(path, { method, headers: { Accept } })
        expect(problem.headers.get('content-type')).to.equal('application/problem+json')
        expect(problem.body).to.deep.include({ status, detail: message })
      }
    }
  })

  it('keeps the navigation for those who are signed in', async () => {
    const { id: userId } = await createPerson(context)
    await insertNotices(context.db, [
      { id: newId(), kind: 'messages.unknown', subject: userId, userId, details: { userId, count: 3 } },
    ])
    const browser = await browse(context, web, userId)
    const { status, text } = await browser.get('/console/nothing')
    expect(status).to.equal(404)
    expect(text).to.include('href="/console/activity"').and.to.include('action="/console/search"')
    expect(text).to.include('1<span class="unseen"> unread')
  })

  it('shows what somebody put into a link as text', async () => {
    const person = await createPerson(context)
    await changeRows(context, 'users', person.id, { name: XSS, email: `"${XSS}'@example.com` })
    const browser = await browse(context, web, person.id)
    const visitor = await browse(context, web)
    const query = encodeURIComponent(`"'>${XSS}`)
    for (const path of [
      `/${query}`,
      `/console/${query}`,
      `/console/lines/${query}`,
      `/console/lines?${query}`,
      `/console?done=${query}`,
      `/console?done=__proto__`,
      `/console?done=toString`,
      `/console/activity?lineId=${query}&status=${query}&number=${query}&from=${query}&type=${query}`,
      `/console/settings?done=${query}&done=${query}`,
      `/console/confirm?next=${encodeURIComponent('/console/')}${query}`,
      `/console/sign-in?next=${encodeURIComponent('/console?')}${query}`,
      `/console/set-up?token=${query}`,
      `/simulator?phone=${query}&add=${query}`,
    ]) {
      for (const { status, text } of [await browser.get(path), await visitor.get(path)]) {
        expect(status, path).to.be.within(200, 499)
        expect(text, path).not.to.include('<script>')
        expect(text, path).not.to.include(`"'>`)
      }
    }
    expect((await browser.get('/console/settings')).text).to.include('&lt;script>alert(1)')
  })

  it('in a path that is odd is the sender’s fault', async () => {
    const browser = await browseAs(context, web, 'operator')
    for (const path of [
      '/console/lines/%',
      '/console/lines/%00',
      '/console/users/%ff',
      '//console',
      '/console//',
      '/console/%2e%2e/x',
    ]) {
      expect((await browser.get(path)).status, path).to.be.within(300, 499)
    }
  })

  it('inside is told without a detail, and logged', async () => {
    const { log, lines } = memoryLog()
    const broken = await open(createTestContext())
    const brokenWeb = await open(serveApp({ ...broken, log }))
    const browser = await browseAs(broken, brokenWeb)
    await broken.db.raw('alter table api_tokens rename to api_tokens_away')
    const answer = await browser.get('/console/settings')
    expectPage(answer, 500)
    expect(answer.text)
      .to.include('Something went wrong')
      .and.not.to.match(/api_tokens|node_modules/)
    expect(lines.map(({ msg }) => msg)).to.include('request.failed')
  })

  it('without Postgres is 503 on every page, soon, with no stack and no new cookie', async () => {
    const environment = await createEnvironment({
      DATABASE_URL: `postgres://user:pass@127.0.0.1:${await freePort()}/none`,
    })
    const away = open(createContext(readConfig(environment), { process: 'test' }))
    const { log, lines } = memoryLog()
    const awayWeb = await open(serveApp({ ...away, log }))
    const cookie = `__Host-linehook=${'x'.repeat(43)}`
    const routes = consoleRoutes(away).filter(({ method }) => method === 'GET')
    const answers = await Promise.all(
      routes.map(({ path }) => awayWeb.request(path, { headers: { ...BROWSER, Cookie: cookie } })),
    )
    for (const answer of answers) {
      expectPage(answer, 503)
      expect(answer.text).to.include('<h1>Temporarily unavailable</h1>')
      expect(answer.text).not.to.match(/ECONNREFUSED|127\.0\.0\.1|node_modules/)
      expect(answer.headers.get('retry-after')).to.match(/^[1-9]\d*$/)
      expect(answer.headers.getSetCookie()).to.deep.equal([])
    }
    // A visitor's sign-in page needs nothing of it.
    expectPage(await awayWeb.request('/console/sign-in', { headers: BROWSER }))
    expect(JSON.stringify(lines)).not.to.include('x'.repeat(43))
  })
})
