import { expect } from 'chai'
import { createApiToken, findTokenOwner } from '../../../../src/domain/people/api-tokens.js'
import type { Context } from '../../../../src/domain/context.js'
import { createSetUpLink } from '../../../../src/domain/people/set-up-links.js'
import { createPerson, PASSWORD } from '../../../domain/people/people.js'
import { browse } from '../../../helpers/web/browser-session.js'
import { createTestContext } from '../../../helpers/context.js'
import { serveApp, type TestWeb } from '../../../helpers/web/web.js'
import { expectPage, expectSentTo, faultOf } from '../support.js'

const NEW_PASSWORD = 'correct horse battery staple'
const SET_UP = '/console/set-up'

describe('the page behind a set-up link', () => {
  let context: Context
  let web: TestWeb

  beforeEach(async () => {
    context = await createTestContext()
    web = await serveApp(context)
  })

  afterEach(async () => {
    await web.close()
    await context.close()
  })

  /** A link's path, and its token. */
  async function link(userId: string | null): Promise<{ path: string; token: string }> {
    const { pathname, search, searchParams } = new URL((await createSetUpLink(context, userId)).url)
    return { path: pathname + search, token: searchParams.get('token')! }
  }

  it('makes the first operator, who is signed in then', async () => {
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

  it('sets the password of the user whom it is for, whatever address is sent with it', async () => {
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

  it('ends the sessions that the user had, and the one that the browser had', async () => {
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

  it('revokes API tokens if the box is ticked, which the first operator does not see', async () => {
    for (const [revoke, owner] of [
      [{}, 'theirs'],
      [{ revoke: 'true' }, undefined],
    ] as const) {
      const person = await createPerson(context)
      const { token: apiToken } = await createApiToken(context, person.id, 'a program')
      const { path, token } = await link(person.id)
      const browser = await browse(context, web)
      expect((await browser.get(path)).text).to.include('name="revoke"')
      expectSentTo(await browser.submit(SET_UP, { token, password: NEW_PASSWORD, ...revoke }), '/console')
      const found = await findTokenOwner(context, apiToken)
      expect(found?.userId).to.equal(owner === undefined ? undefined : person.id)
    }
  })

  it('works once', async () => {
    const person = await createPerson(context, { password: null })
    const { path, token } = await link(person.id)
    const browser = await browse(context, web)
    await browser.submit(SET_UP, { token, password: NEW_PASSWORD })
    const other = await browse(context, web)
    for (const answer of [
      await other.get(path),
      await other.submit(SET_UP, { token, password: 'another long password' }),
    ]) {
      expectPage(answer, 404)
      expect(answer.text).to.include('This link is used up or too old')
    }
    const { status } = await other.submit('/console/sign-in', {
      email: person.email,
      password: 'another long password',
    })
    expect(status).to.equal(401)
  })

  it('is the same 404 for a token that is nobody’s, none, or several', async () => {
    const { token } = await link((await createPerson(context)).id)
    const browser = await browse(context, web)
    for (const query of [
      '',
      '?token=',
      '?token=x',
      `?token=${token}&token=${token}`,
      '?token=%00',
      '?token=%FF',
    ]) {
      expectPage(await browser.get(SET_UP + query), 404)
    }
    expectPage(await browser.submit(SET_UP, { password: NEW_PASSWORD }), 404)
  })

  it('shows the form again for a password that is too short, too long or the address, and the link still works', async () => {
    const { token } = await link(null)
    const browser = await browse(context, web)
    const fields = { token, email: 'ada.lovelace@example.com', name: 'Ada <Lovelace>' }
    for (const password of ['short-words', 'x'.repeat(257), fields.email]) {
      const answer = await browser.submit(SET_UP, { ...fields, password })
      expectPage(answer, 400)
      expect(faultOf(answer)).to.match(/^password must/)
      expect(answer.text).to.include(`name="token" value="${token}"`)
      expect(answer.text).to.include('value="ada.lovelace@example.com"')
      expect(answer.text).to.include('value="Ada &lt;Lovelace>"')
      expect(answer.text.match(/<input type="password"[^>]*>/)?.[0]).not.to.include('value')
      if (password !== fields.email) expect(answer.text).not.to.include(password)
    }
    const badEmail = await browser.submit(SET_UP, { ...fields, email: 'nobody', password: NEW_PASSWORD })
    expectPage(badEmail, 400)
    expect(faultOf(badEmail)).to.match(/^email must/)
    expect(badEmail.text).not.to.include(NEW_PASSWORD)
    expectSentTo(await browser.submit(SET_UP, { ...fields, password: NEW_PASSWORD }), '/console')
  })

  it('of the first operator says that an address is taken, and is worth nothing once there is an operator', async () => {
    const person = await createPerson(context)
    const { path, token } = await link(null)
    const browser = await browse(context, web)
    const taken = await browser.submit(SET_UP, { token, email: person.email, password: NEW_PASSWORD })
    expectPage(taken, 409)
    expect(faultOf(taken)).to.include('belongs to a user already')
    await createPerson(context, { role: 'operator', password: PASSWORD })
    expectPage(await browser.get(path), 404)
    const late = await browser.submit(SET_UP, { token, email: 'eve@example.com', password: NEW_PASSWORD })
    expectPage(late, 404)
  })

  it('does not tell other sites where it came from', async () => {
    const { path } = await link(null)
    expect((await web.request(path)).headers.get('referrer-policy')).to.equal('same-origin')
  })
})
