import { expect } from 'chai'
import type { Context } from '../../../src/domain/context.js'
import { createSetUpLink } from '../../../src/domain/set-up-links.js'
import { addUser } from '../../../src/domain/users.js'
import { browse } from '../../helpers/browser-session.js'
import { createTestContext } from '../../helpers/context.js'
import { serveApp, type TestWeb } from '../../helpers/web.js'

const PASSWORD = 'correct horse battery staple'

describe('signing in to the console', () => {
  let context: Context
  let web: TestWeb

  before(async () => {
    context = await createTestContext()
    web = await serveApp(context)
  })

  after(async () => {
    await web.close()
    await context.close()
  })

  it('goes from a set-up link to the lines, out, and in again', async () => {
    const user = await addUser(context, { email: 'grace@example.com' })
    const { url } = await createSetUpLink(context, user.id)
    const { pathname, search } = new URL(url)
    const browser = await browse(context, web)
    const page = await browser.get(pathname + search)
    expect([page.status, page.headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8'])
    const token = new URLSearchParams(search).get('token') ?? ''
    const visitor = browser.cookie()
    const done = await browser.submit('/console/set-up', { token, password: PASSWORD })
    expect([done.status, done.headers.get('location')]).to.deep.equal([303, '/console'])
    expect(browser.cookie()).not.to.equal(visitor)
    expect((await browser.get('/console/settings')).text).to.include('grace@example.com')
  })

  it('sets a __Host- cookie that no script reads', async () => {
    const { headers } = await web.request('/console/sign-in')
    expect(headers.getSetCookie()).to.have.length(1)
    expect(headers.getSetCookie()[0]).to.match(
      /^__Host-linehook=[\w-]{43}; path=\/; samesite=lax; secure; httponly$/i,
    )
  })

  it('sends who is not signed in to the sign-in page and back', async () => {
    const { status, headers } = await web.request('/console/settings?x=1')
    expect([status, headers.get('location')]).to.deep.equal([
      302,
      '/console/sign-in?next=%2Fconsole%2Fsettings%3Fx%3D1',
    ])
  })
})
