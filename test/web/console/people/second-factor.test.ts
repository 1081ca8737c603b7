import { expect } from 'chai'
import { ago, changeRows, untilLocked } from '../../../domain/fixtures.js'
import { transaction } from '../../../../src/database/connection.js'
import { hasSecondFactor } from '../../../../src/database/people/second-factors/has-one.js'
import { lockUser } from '../../../../src/database/people/users.js'
import { listAudit } from '../../../../src/domain/operating/audit.js'
import { createSetUpLink } from '../../../../src/domain/people/set-up-links.js'
import { createApiToken } from '../../../../src/domain/people/api-tokens.js'
import { createPerson, PASSWORD } from '../../../domain/people/people.js'
import { browse } from '../../../helpers/web/browser-session.js'
import { codeAt, countSessions, nextCode, setUpApp } from '../../../helpers/web/second-factor.js'
import { describeWeb, withWeb } from '../../../helpers/web/web.js'
import {
  browseAs,
  request,
  consoleRoutes,
  createOwner,
  expectPage,
  expectSentTo,
  isOpen,
  loseFreshness,
  expectFault,
  signedInForEachTest,
  submitAndSee,
} from '../support.js'

const PAGE = '/console/settings/second-factor'

/** What sets a second factor up, and what that needs. */
const FOR_NEWCOMERS = /^\/console\/(settings\/second-factor|confirm|sign-out)(\/|$)/

const secretIn = (text: string) => /<code id="app-secret">([A-Z2-7]{32})<\/code>/.exec(text)?.[1] ?? ''
const codesIn = (text: string) =>
  /<code id="recovery-codes-text">([^<]*)<\/code>/.exec(text)?.[1]?.split('\n') ?? []

describeWeb('the second factor of a user', ({ context, web }) => {
  const { person, browser } = signedInForEachTest(context, web)

  const begin = async () => {
    expectSentTo(await browser.submit(`${PAGE}/app`), `${PAGE}?next=%2Fconsole#app`)
    return secretIn((await browser.get(PAGE)).text)
  }
  const confirm = (code: string) => browser.submit(`${PAGE}/app/confirm`, { code })

  it('is an app that proves it has the secret, with ten recovery codes that are shown once', async () => {
    const other = await browse(context, web, person.id)
    expect((await browser.get('/console/settings')).text).to.include(
      'Your password alone is enough to sign in.',
    )
    const secret = await begin()
    const page = await browser.get(PAGE)
    expect(page.text).to.include('src="data:image/svg+xml,')

    const done = await submitAndSee(browser, `${PAGE}/app/confirm`, { code: codeAt(secret) })
    expectPage(done)
    expect(codesIn(done.text)).to.have.length(10)
    const again = await browser.get(PAGE)
    expect(codesIn(again.text)).to.deep.equal([])
    expect(again.text).to.include('10 left').and.not.to.include(secret)
    expect((await other.get('/console')).status, 'other sessions end').to.equal(302)
    expect(await countSessions(context, person.id)).to.equal(1)

    const { rows } = await context.db.raw<{ rows: { row: string }[] }>(
      `select row_to_json(t)::text as row from totp_secrets t union all select row_to_json(r)::text from recovery_codes r`,
    )
    for (const { row } of rows) {
      expect(row).not.to.include(secret)
      for (const code of codesIn(done.text)) expect(row).not.to.include(code.replaceAll('-', ''))
    }
    const log = await listAudit(context, { userId: person.id }, { limit: 5 })
    expect(log[0]).to.deep.include({
      action: 'second_factor.added',
      after: { kind: 'authenticator app', sessionsEnded: 1 },
    })
    expect(JSON.stringify(log)).not.to.include(secret)
  })

  it('is not active until a correct code is entered', async () => {
    const secret = await begin()
    for (const code of ['000000', codeAt(secret, Date.now() - 300_000), '']) {
      const answer = await confirm(code)
      expectFault(answer, 400, /^Wrong code/)
      expect(secretIn(answer.text)).to.equal(secret)
    }
    const visitor = await browse(context, web)
    expectSentTo(
      await visitor.submit('/console/sign-in', { email: person.email, password: PASSWORD }),
      '/console',
    )
  })

  it('is not set up by a session that ends while its request is under way', async () => {
    const secret = await begin()
    const { confirming } = await transaction(context.db, async (trx) => {
      await lockUser(trx, person.id)
      const confirming = confirm(codeAt(secret))
      await untilLocked(context)
      await trx('sessions').where({ user_id: person.id }).delete()
      return { confirming }
    })
    expect((await confirming).status).to.equal(401)
    expect(await hasSecondFactor(context.db, person.id)).to.equal(false)
  })

  it('can be restarted with another secret, but not if one is active', async () => {
    const first = await begin()
    const secret = await begin()
    expect(secret)
      .to.match(/^[A-Z2-7]{32}$/)
      .and.not.to.equal(first)
    expectPage(await confirm(codeAt(first)), 400)
    expectPage(await submitAndSee(browser, `${PAGE}/app/confirm`, { code: codeAt(secret) }))
    const answer = await browser.submit(`${PAGE}/app`)
    expectPage(answer, 409)
  })

  it('must be set up within ten minutes, or restarted', async () => {
    const secret = await begin()
    const begun = { created_at: ago(context, '11 minutes') }
    await changeRows(context, 'totp_secrets', { user_id: person.id }, begun)
    expect(secretIn((await browser.get(PAGE)).text)).to.equal('')
    expectPage(await confirm(codeAt(secret)), 404)
  })

  it('shows its secret only shortly after the password was entered', async () => {
    await begin()
    await loseFreshness(context)
    expect(secretIn((await browser.get(PAGE)).text)).to.equal('')
  })

  it('is removed with its recovery codes; new codes end the ones before', async () => {
    const { recoveryCodes } = await setUpApp(context, person.id)
    Object.assign(browser, await browse(context, web, person.id))
    const made = await submitAndSee(browser, `${PAGE}/recovery-codes`)
    expect(codesIn(made.text)).to.have.length(10).and.not.to.include.members(recoveryCodes.slice(0, 1))
    expectSentTo(await browser.submit(`${PAGE}/app/remove`), `${PAGE}?done=second-factor-removed`)
    expect(await context.db('recovery_codes').where({ user_id: person.id })).to.deep.equal([])
    expectPage(await browser.submit(`${PAGE}/app/remove`), 404)
    expectPage(await browser.submit(`${PAGE}/recovery-codes`), 409)
    const actions = (await listAudit(context, { userId: person.id }, { limit: 3 })).map(
      ({ action }) => action,
    )
    expect(actions.slice(0, 2)).to.deep.equal(['second_factor.removed', 'second_factor.recovery_codes_made'])
  })
})

const STRICT = { REQUIRE_SECOND_FACTOR: 'operators', QUEUES_PASSWORD: 'a long enough password for it' }

describeWeb('an operator who must have a second factor', { environment: STRICT }, ({ context, web }) => {
  it('is led to set one up, and can open nothing else until then', async () => {
    const { person, fill } = await createOwner(context)
    const browser = await browse(context, web)
    const credentials = { email: person.email, password: PASSWORD }
    expectSentTo(await browser.submit('/console/sign-in', credentials), '/console/overview')
    for (const { method, path } of consoleRoutes(context)) {
      if (isOpen(path) || FOR_NEWCOMERS.test(path)) continue
      const answer = await request(browser, method, fill(path))
      const next = method === 'GET' ? `?next=${encodeURIComponent(fill(path))}` : ''
      expectSentTo(answer, `${PAGE}${next}`, method === 'GET' ? 302 : 303)
    }
    const live = await browser.get('/console/overview/live', { 'HX-Request': 'true' })
    expectPage(live, 403)
    expect((await browser.get('/queues')).status).to.equal(403)

    const page = await browser.get(`${PAGE}?next=%2Fconsole%2Fusers`)
    expect(page.text)
      .to.include('Set up a second factor to continue')
      .and.not.to.include('href="/console/users"')
    expect(page.text).to.include('Sign out')
    await browser.submit(`${PAGE}/app`, { next: '/console/users' })
    const secret = secretIn((await browser.get(PAGE)).text)
    const confirmed = { code: codeAt(secret), next: '/console/users' }
    const done = await submitAndSee(browser, `${PAGE}/app/confirm`, confirmed)
    expect(done.text).to.match(/<a href="\/console\/users" role="button">/)
    expectPage(await browser.get('/console/overview'))
    expectPage(await browser.get('/queues'))

    await browser.submit('/console/sign-out')
    expect((await browser.submit('/console/sign-in', credentials)).headers.get('location')).to.match(
      /second-step/,
    )
    const secretCode = await nextCode(context, person.id, secret)
    expectSentTo(await browser.submit('/console/sign-in/second-step', { secretCode }), '/console/overview')
  })

  it('is led there too when signing in again with a form', async () => {
    const person = await createPerson(context, { role: 'operator' })
    const browser = await browse(context, web, person.id)
    await context.db('sessions').where({ user_id: person.id }).delete()
    const fields = { 'sign-in-email': person.email, 'sign-in-password': PASSWORD }
    const answer = await browser.submit('/console/users', { email: 'new@example.com', ...fields })
    expectSentTo(answer, PAGE)
    expect(answer.text).to.not.include('<main')
  })

  it('can sign out before that, and API tokens keep working', async () => {
    const person = await createPerson(context, { role: 'operator' })
    const browser = await browse(context, web, person.id)
    const { token } = await createApiToken(context, person.id, 'a program')
    const headers = { Authorization: `Bearer ${token}` }
    expect((await web.request('/v1/lines', { headers })).status).to.equal(200)
    expectSentTo(await browser.submit('/console/sign-out'), '/console/sign-in?done=signed-out')
  })

  it('is also led there by the first link', async () => {
    const person = await createPerson(context, { role: 'operator', password: null })
    const token = new URL((await createSetUpLink(context, person.id)).url).searchParams.get('token') ?? ''
    const browser = await browse(context, web)
    await browser.submit('/console/set-up', { token, password: 'a phrase of hers alone' })
    expectSentTo(await browser.get('/console'), `${PAGE}?next=%2Fconsole`, 302)
  })

  it('is not a user, who may sign in with the password alone', async () => {
    expectPage(await (await browseAs(context, web)).get('/console'))
  })

  it('is everyone if the setting is everybody', async () => {
    await withWeb({ REQUIRE_SECOND_FACTOR: 'everybody' }, async (everywhere) => {
      const browser = await browseAs(everywhere.context, everywhere.web)
      expectSentTo(await browser.get('/console'), `${PAGE}?next=%2Fconsole`, 302)
    })
  })
})
