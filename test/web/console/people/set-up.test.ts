import { expect } from 'chai'
import { createApiToken, findTokenOwner } from '../../../../src/domain/people/api-tokens.js'
import { createSetUpLink } from '../../../../src/domain/people/set-up-links.js'
import { createPerson } from '../../../domain/people/people.js'
import { browse } from '../../../helpers/web/browser-session.js'
import { describeWeb } from '../../../helpers/web/web.js'
import { expectPage, expectSentTo, expectFault } from '../support.js'

const NEW_PASSWORD = 'correct horse battery staple'
const SET_UP = '/console/set-up'

describeWeb('the page behind a set-up link', ({ context, web }) => {
  // There is no operator before any of them.
  beforeEach(() => context.db('users').update({ role: 'user' }))

  /** A link's path, and its token. */
  async function link(userId: string | null): Promise<{ path: string; token: string }> {
    const { pathname, search, searchParams } = new URL((await createSetUpLink(context, userId)).url)
    return { path: pathname + search, token: searchParams.get('token')! }
  }

  it('creates the first operator and signs them in', async () => {
    const { path, token } = await link(null)
    const browser = await browse(context, web)
    const visitor = browser.cookie()
    const page = await browser.get(path)
    expectPage(page)
    expect(page.text).to.include('first operator').and.to.include(`name="token" value="${token}"`)
    const done = await browser.submit(SET_UP, {
      token,
      email: 'ada@example.com',
      name: 'Ada',
      password: NEW_PASSWORD,
    })
    expectSentTo(done, '/console')
    expect(browser.cookie()).not.to.equal(visitor)
    const users = await browser.get('/console/users')
    expectPage(users)
    expect(users.text).to.include('ada@example.com')
  })

  it('sets the password of its own user, whatever address is sent with it', async () => {
    const person = await createPerson(context, { password: null })
    const { path, token } = await link(person.id)
    const browser = await browse(context, web)
    expect((await browser.get(path)).text).to.match(
      new RegExp(`<input type="email" name="email" value="${person.email}" readonly`),
    )
    const fields = { token, email: 'eve@example.com', name: 'Eve', role: 'operator', password: NEW_PASSWORD }
    expectSentTo(await browser.submit(SET_UP, fields), '/console')
    const settings = await browser.get('/console/settings')
    expect(settings.text).to.include(person.email).and.not.to.include('eve@example.com')
    expect((await browser.get('/console/users')).status).to.equal(404)

    const again = await browse(context, web)
    expectSentTo(
      await again.submit('/console/sign-in', { email: person.email, password: NEW_PASSWORD }),
      '/console',
    )
  })

  it('ends the user’s sessions, and the browser’s previous one', async () => {
    const person = await createPerson(context)
    const other = await createPerson(context)
    const stolen = await browse(context, web, person.id)
    const browser = await browse(context, web, other.id)
    const { token } = await link(person.id)
    expectSentTo(await browser.submit(SET_UP, { token, password: NEW_PASSWORD }), '/console')
    expect((await stolen.get('/console')).status).to.equal(302)
    expect((await browser.get('/console/settings')).text).to.include(person.email)
    expect(await context.db('sessions').where({ user_id: other.id })).to.deep.equal([])
  })

  it('revokes API tokens if the box is ticked', async () => {
    const person = await createPerson(context)
    const { token: apiToken } = await createApiToken(context, person.id, 'a program')
    const { path, token } = await link(person.id)
    const browser = await browse(context, web)
    expect((await browser.get(path)).text).to.include('name="revoke"')
    const fields = { token, password: NEW_PASSWORD, revoke: 'true' }
    expectSentTo(await browser.submit(SET_UP, fields), '/console')
    expect(await findTokenOwner(context, apiToken)).to.equal(undefined)
  })

  it('answers the same 404 for a used, unknown, missing or repeated token', async () => {
    const { token } = await link((await createPerson(context)).id)
    const used = await link((await createPerson(context)).id)
    await (await browse(context, web)).submit(SET_UP, { token: used.token, password: NEW_PASSWORD })
    const browser = await browse(context, web)
    for (const query of [
      `?token=${used.token}`,
      '',
      '?token=',
      '?token=x',
      `?token=${token}&token=${token}`,
      '?token=%00',
      '?token=%FF',
    ]) {
      const answer = await browser.get(SET_UP + query)
      expectPage(answer, 404)
      expect(answer.text)
        .to.include('<h1>Link expired</h1>')
        .and.include('This link has expired or was already used')
    }
    expectPage(await browser.submit(SET_UP, { password: NEW_PASSWORD }), 404)
    expectPage(await browser.submit(SET_UP, { token: used.token, password: NEW_PASSWORD }), 404)
  })

  it('shows the form again for a password that is too short or equals the address, and the link still works', async () => {
    const { token } = await link(null)
    const browser = await browse(context, web)
    const fields = { token, email: 'ada.lovelace@example.com', name: 'Ada <Lovelace>' }
    for (const password of ['short-words', fields.email]) {
      const answer = await browser.submit(SET_UP, { ...fields, password })
      expectFault(answer, 400, /^New password must/)
      expect(answer.text).to.include(`name="token" value="${token}"`)
      expect(answer.text).to.include('value="ada.lovelace@example.com"')
      expect(answer.text).to.include('value="Ada &lt;Lovelace>"')
      expect(answer.text.match(/<input type="password"[^>]*>/)?.[0]).not.to.include('value')
      if (password !== fields.email) expect(answer.text).not.to.include(password)
    }
    const badEmail = await browser.submit(SET_UP, { ...fields, email: 'nobody', password: NEW_PASSWORD })
    expectFault(badEmail, 400, /^Email must/)
    expect(badEmail.text).not.to.include(NEW_PASSWORD)
    expectSentTo(await browser.submit(SET_UP, { ...fields, password: NEW_PASSWORD }), '/console')
  })

  it('sends no referrer to other sites', async () => {
    const { path } = await link(null)
    expect((await web.request(path)).headers.get('referrer-policy')).to.equal('same-origin')
  })
})
