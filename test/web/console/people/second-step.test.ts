import { expect } from 'chai'
import { ago, changeRows, withoutRoom } from '../../../domain/fixtures.js'
import { listAudit } from '../../../../src/domain/operating/audit.js'
import { changePassword, findSession } from '../../../../src/domain/people/sessions.js'
import { disableUser } from '../../../../src/domain/people/disabled-users.js'
import { removeSecondFactors } from '../../../../src/domain/people/second-factors.js'
import { CODE_REFUSED, STEP_IS_OVER } from '../../../../src/domain/people/second-step.js'
import { createSetUpLink } from '../../../../src/domain/people/set-up-links.js'
import { createPerson, PASSWORD, personForEachTest } from '../../../domain/people/people.js'
import { forEachTest } from '../../../helpers/suite.js'
import { browse } from '../../../helpers/web/browser-session.js'
import { countSessions, setUpApp } from '../../../helpers/web/second-factor.js'
import { startSession } from '../../../helpers/web/sessions.js'
import { describeWeb } from '../../../helpers/web/web.js'
import {
  request,
  consoleRoutes,
  isOpen,
  expectPage,
  expectSentTo,
  faultOf,
  expectFault,
  loseFreshness,
} from '../support.js'

const STEP = '/console/sign-in/second-step'

describeWeb('signing in with a second factor', ({ context, web }) => {
  // Other tests guess from the same address: there are no attempts of theirs.
  const person = personForEachTest(context)
  const app = forEachTest(() => setUpApp(context, person.id))
  const browser = forEachTest(() => browse(context, web))

  const givePassword = (next = '') =>
    browser.submit('/console/sign-in', { email: person.email, password: PASSWORD, next })
  const giveCode = (secretCode: string, next = '') => browser.submit(STEP, { secretCode, next })
  const actions = async () =>
    (await listAudit(context, { userId: person.id }, { limit: 50 })).map(({ action }) => action)

  it('asks for the password, then a code, then opens the requested page', async () => {
    expectSentTo(await givePassword('/console/activity'), `${STEP}?next=%2Fconsole%2Factivity`)
    const page = await browser.get(`${STEP}?next=%2Fconsole%2Factivity`)
    expectPage(page)
    expect(page.text).to.include(person.email).and.to.include('name="next" value="/console/activity"')
    const cookie = browser.cookie()
    expectSentTo(await giveCode(await app.nextCode(), '/console/activity'), '/console/activity')
    expect(browser.cookie()).to.not.equal(cookie)
    expectPage(await browser.get('/console/settings'))
    expect(await actions()).to.include('sign_in.succeeded')
  })

  it('opens no page, form or dashboard after the password alone', async () => {
    await givePassword()
    for (const { method, path } of consoleRoutes(context)) {
      if (isOpen(path)) continue
      const filled = path.replace(/:(\w+)/g, person.id)
      const answer = await request(browser, method, filled)
      if (method === 'GET')
        expect(answer.headers.get('location'), path).to.match(/^\/console\/sign-in\?next=/)
      else expect([path, answer.status]).to.deep.equal([path, 401])
    }
    expect((await browser.get('/queues')).status).to.be.oneOf([401, 403])
    expect(await countSessions(context, person.id)).to.equal(0)
    const token = browser.cookie().split('=')[1] ?? ''
    expect(await findSession(context, token)).to.equal(undefined)
  })

  it('accepts a code once, even if it is sent twice at the same moment', async () => {
    const other = await browse(context, web)
    await givePassword()
    await other.submit('/console/sign-in', { email: person.email, password: PASSWORD })
    const secretCode = await app.nextCode()
    const answers = await Promise.all([giveCode(secretCode), other.submit(STEP, { secretCode })])
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([303, 401])
  })

  it('accepts each recovery code once, however it is typed, and records it in the audit log', async () => {
    const [code = '', second = ''] = app.recoveryCodes
    expect(app.recoveryCodes).to.have.length(10)
    expect(code).to.match(/^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){6}$/)
    await givePassword()
    expectSentTo(await giveCode(` ${code.toUpperCase().replaceAll('-', ' ')} `), '/console')
    await browser.submit('/console/sign-out')
    await givePassword()
    expectPage(await giveCode(code), 401)
    expectSentTo(await giveCode(second.replaceAll('-', '')), '/console')
    const [{ after } = { after: null }] = (
      await listAudit(
        context,
        { userId: person.id, actions: ['second_factor.recovery_code_used'] },
        { limit: 5 },
      )
    ).slice(0, 1)
    expect(after).to.deep.equal({ codesLeft: 8 })
  })

  it('signs the browser in if Postgres fails when its last session is to end', async () => {
    await givePassword()
    const give = () => giveCode(app.recoveryCodes[0] ?? '')
    expectPage(await withoutRoom(context, 'delete on portal_sessions', give), 503)
    expectPage(await browser.get('/console/settings'))
  })

  for (const [where, what, isOpened] of [
    ['before the session is there', 'insert on sessions', false],
    ['when the session is there', 'delete on sign_in_attempts', true],
  ] as const) {
    it(`uses up no code for nothing if Postgres fails ${where}`, async () => {
      await givePassword()
      const [recoveryCode = ''] = app.recoveryCodes
      await context.db.raw(`create function fail() returns trigger language plpgsql as
        $$ begin raise exception 'no room' using errcode = '53100'; end $$`)
      await context.db.raw(`create trigger fail before ${what} for each row execute function fail()`)
      const answers = [await giveCode(recoveryCode), await giveCode(await app.nextCode())]
      await context.db.raw('drop function fail cascade')
      expect(await countSessions(context, person.id)).to.equal(isOpened ? 1 : 0)
      if (isOpened) return expectSentTo(answers[0]!, '/console')
      expect(answers.map(({ status }) => status)).to.deep.equal([503, 503])
      expectSentTo(await giveCode(recoveryCode), '/console')
      await browser.submit('/console/sign-out')
      await givePassword()
      expectSentTo(await giveCode(await app.nextCode()), '/console')
    })
  }

  it('refuses every wrong code with the same text, and never repeats the code', async () => {
    await givePassword()
    const [other = ''] = (await setUpApp(context, (await createPerson(context)).id)).recoveryCodes
    const used = await app.nextCode()
    await giveCode(used)
    await browser.submit('/console/sign-out')
    await givePassword()
    for (const code of [used, '000000', '', other]) {
      const answer = await giveCode(code)
      expectFault(answer, 401, CODE_REFUSED)
      if (code !== '') expect(answer.text).not.to.include(code)
    }
    expect(await actions()).to.include('second_factor.refused')
  })

  it('accepts no code after five wrong ones, not even the right one', async () => {
    await givePassword()
    for (let n = 0; n < 5; n += 1) expectPage(await giveCode('000000'), 401)
    const right = await giveCode(await app.nextCode())
    expectFault(right, 401, CODE_REFUSED)
    expect(await actions()).to.include('second_factor.locked_out')

    await context.db('sign_in_attempts').delete()
    expectSentTo(await giveCode(await app.nextCode()), '/console')
  })

  it('expires after ten minutes', async () => {
    await givePassword()
    const begun = { created_at: ago(context, '11 minutes') }
    await changeRows(context, 'half_open_sessions', { user_id: person.id }, begun)
    expectSentTo(await browser.get(STEP), '/console/sign-in?next=%2Fconsole')
    expect((await giveCode(await app.nextCode())).headers.get('location')).to.match(/^\/console\/sign-in/)
    expect(await countSessions(context, person.id)).to.equal(0)
    expect(STEP_IS_OVER).to.include('10 minutes')
  })

  it('ends half-way when the password is changed, the user disabled, or the second factor removed', async () => {
    for (const end of [
      async () => {
        const session = await findSession(context, await startSession(context, person.id))
        await changePassword(context, session!, PASSWORD, 'a phrase of hers alone', '127.0.0.1')
      },
      () => removeSecondFactors(context, person.id),
      () => disableUser(context, person.id, 'goes_on'),
    ]) {
      Object.assign(person, await createPerson(context))
      Object.assign(app, await setUpApp(context, person.id))
      await givePassword()
      const code = await app.nextCode()
      await end()
      await giveCode(code)
      expect((await browser.get('/console/settings')).status).to.be.oneOf([302, 303])
    }
  })

  it('is required by a set-up link too, because email access does not prove having the phone', async () => {
    const token = new URL((await createSetUpLink(context, person.id)).url).searchParams.get('token') ?? ''
    expectSentTo(await browser.submit('/console/set-up', { token, password: 'a phrase of hers alone' }), STEP)
    expect((await browser.get('/console/settings')).status).to.equal(302)
    expectSentTo(await giveCode(await app.nextCode()), '/console')
  })

  it('keeps the input of a form after the session expired', async () => {
    const own = await browse(context, web, person.id)
    await context.db('sessions').where({ user_id: person.id }).delete()
    const path = '/console/applications'
    const typed = { name: 'Shop' }
    const credentials = { 'sign-in-email': person.email, 'sign-in-password': PASSWORD }
    const asked = await own.submit(path, { ...typed, ...credentials })
    expectPage(asked, 401)
    expect(asked.text).to.include('name="sign-in-secret-code"').and.to.include('name="name" value="Shop"')
    const wrong = await own.submit(path, { ...typed, 'sign-in-secret-code': '000000' })
    expectFault(wrong, 401, CODE_REFUSED)
    const back = await own.submit(path, { ...typed, 'sign-in-secret-code': await app.nextCode() })
    expect(faultOf(back)).to.match(/^You are signed in again/)
    expect(back.text).to.include('value="Shop"')
  })

  it('is required again, with the password, before a secret is shown', async () => {
    const own = await browse(context, web, person.id)
    await loseFreshness(context)
    expect((await own.get('/console/confirm')).text).to.include('name="secretCode"')
    const confirm = (password: string, secretCode: string) =>
      own.submit('/console/confirm', { next: '/console/settings', password, secretCode })
    for (const answer of [
      await confirm(PASSWORD, ''),
      await confirm(PASSWORD, '000000'),
      await confirm('wrong horse battery', await app.nextCode()),
    ]) {
      expectFault(answer, 401, /^Wrong password or code/)
    }
    expectSentTo(await confirm(PASSWORD, await app.nextCode()), '/console/settings')
  })
})
