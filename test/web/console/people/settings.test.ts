import { expect } from 'chai'
import { listApiTokens } from '../../../../src/database/people/api-tokens.js'
import { listSessions } from '../../../../src/database/people/sessions.js'
import { createApiToken } from '../../../../src/domain/people/api-tokens.js'
import { PASSWORD_REFUSED } from '../../../../src/domain/people/sessions.js'
import { PASSWORD } from '../../../domain/people/people.js'
import { browse } from '../../../helpers/web/browser-session.js'
import { createLine } from '../../../helpers/factories.js'
import { describeWeb } from '../../../helpers/web/web.js'
import {
  browseAs,
  expectFault,
  expectPage,
  expectSentTo,
  isAskedAgain,
  loseFreshness,
  signedInForEachTest,
  submitAndSee,
} from '../support.js'

const SETTINGS = '/console/settings'

describeWeb('the settings', ({ context, web }) => {
  const { person, browser } = signedInForEachTest(context, web)

  describe('the password', () => {
    const NEW = 'another long password'
    const change = (currentPassword: string, newPassword: string, more: Record<string, string> = {}) =>
      browser.submit(`${SETTINGS}/password`, { currentPassword, newPassword, ...more })

    it('is changed with the current one, and other sessions end', async () => {
      const other = await browse(context, web, person.id)
      expectSentTo(await change(PASSWORD, NEW), `${SETTINGS}?done=password-changed`)
      expect((await other.get(SETTINGS)).status).to.equal(302)
      const page = await browser.get(`${SETTINGS}?done=password-changed`)
      expectPage(page)
      expect(page.text).to.include('Password changed')
      const signIn = async (password: string) =>
        (await (await browse(context, web)).submit('/console/sign-in', { email: person.email, password }))
          .status
      expect([await signIn(PASSWORD), await signIn(NEW)]).to.deep.equal([401, 303])
    })

    it('is not changed if the current one is wrong, or the new one is too short', async () => {
      const other = await browse(context, web, person.id)
      for (const [current, next, status, fault] of [
        ['wrong horse battery', NEW, 401, PASSWORD_REFUSED],
        [PASSWORD, 'short-words', 400, 'New password must be 12 to 256 characters long'],
      ] as const) {
        const answer = await change(current, next)
        expectFault(answer, status, fault)
        for (const typed of [current, next]) expect(answer.text).not.to.include(typed)
      }
      expectPage(await other.get(SETTINGS))
      expectSentTo(await change(PASSWORD, NEW), `${SETTINGS}?done=password-changed`)
    })

    it('revokes API tokens if the box is ticked, which a refused form keeps', async () => {
      const { token } = await createApiToken(context, person.id, 'a program')
      const refused = await change(PASSWORD, 'password1234', { revoke: 'true' })
      expectFault(refused, 400, /^New password is too easy to guess/)
      expect(refused.text).to.match(/<input type="checkbox" name="revoke" value="true" checked/)
      const changed = await change(PASSWORD, NEW, { revoke: 'true' })
      expectSentTo(changed, `${SETTINGS}?done=password-changed`)
      expect((await lines(token)).status).to.equal(401)
    })
  })

  const lines = (token: string) => web.request('/v1/lines', { headers: { Authorization: `Bearer ${token}` } })

  describe('API tokens', () => {
    const create = (name: string) => browser.submit(`${SETTINGS}/api-tokens`, { name })

    it('are shown once, work, and are listed without themselves', async () => {
      const { lineId } = await createLine(context, { userId: person.id })
      const created = await submitAndSee(browser, `${SETTINGS}/api-tokens`, { name: 'the shop’s <server>' })
      expectPage(created)
      const token = /<code id="new-token">(lhp_[\w-]{43})<\/code>/.exec(created.text)![1]!
      expect(created.text).to.include('the shop’s &lt;server>')
      const answer = await lines(token)
      expect([answer.status, JSON.stringify(answer.body).includes(lineId)]).to.deep.equal([200, true])

      const listed = (await browser.get(SETTINGS)).text
      expect(listed).to.include('the shop’s &lt;server>').and.not.to.include('lhp_')
      const again = await create('')
      expectFault(again, 400, /^Token name must have 1 to 100 characters/)
      expect(again.text).not.to.include('lhp_')
      expect(await listApiTokens(context.db, person.id)).to.have.length(1)
    })

    it('are shown by a page that can be reloaded: it makes no other, and shows none to anybody else', async () => {
      const at = (await create('a server')).headers.get('location') ?? ''
      expect(at).to.match(/^\/console\/settings\?shown=[\w-]{43}#api-tokens$/)
      const kept = await context.redis.keys('note:*')
      expect(await Promise.all(kept.map((key) => context.redis.get(key))))
        .to.have.length(1)
        .and.not.match(/lhp_/)
      const thief = await browseAs(context, web)
      const other = await browse(context, web, person.id)
      for (const stranger of [thief, other]) {
        expect((await stranger.get(at)).text).not.to.include('id="new-token"')
      }
      expect((await browser.get(at)).text).to.match(/id="new-token">lhp_/)
      const reloaded = await browser.get(at)
      expectPage(reloaded)
      expect(reloaded.text).not.to.include('lhp_')
      expect(await listApiTokens(context.db, person.id)).to.have.length(1)
    })

    it('expire, are read-only or cover one line, as chosen, and the list shows it', async () => {
      const line = await createLine(context, { userId: person.id, name: 'Front <desk>' })
      expect((await browser.get(SETTINGS)).text).to.include(`<option value="${line.lineId}"`)
      const chosen = { name: 'a wall', expiresInDays: '30', may: 'read', lineId: line.lineId }
      const created = await submitAndSee(browser, `${SETTINGS}/api-tokens`, chosen)
      expect(created.text).to.match(/<code id="new-token">lhs_[\w-]{43}<\/code>/)
      const [token] = await listApiTokens(context.db, person.id)
      expect(token).to.include({ name: 'a wall', isReadOnly: true, lineId: line.lineId, isExpired: false })
      expect(token!.expiresAt!.getTime() - token!.createdAt.getTime()).to.equal(30 * 86_400_000)

      const listed = (await browser.get(SETTINGS)).text.replace(/<[^>]*>/g, '')
      expect(listed).to.include('Read only, on Front &lt;desk>')
      await context.db('api_tokens').where({ id: token!.id }).update({ expires_at: context.db.fn.now() })
      expect((await browser.get(SETTINGS)).text).to.include('<strong>Expired </strong>')
    })

    it('are refused from when they are revoked', async () => {
      const { id, token } = await createApiToken(context, person.id, 'old')
      expect((await lines(token)).status).to.equal(200)
      expectSentTo(
        await browser.submit(`${SETTINGS}/api-tokens/${id}/revoke`),
        `${SETTINGS}?done=token-revoked`,
      )
      expect((await lines(token)).status).to.equal(401)
      // Its form is gone from the page, which says so all the same.
      expectFault(await browser.submit(`${SETTINGS}/api-tokens/${id}/revoke`), 404, 'No such API token')
    })

    it('can be created only after the password, which its page asks for without leading to another site', async () => {
      await loseFreshness(context)
      const page = await browser.get('/console/confirm?next=%2Fconsole%2Fsettings')
      expectPage(page)
      expect(page.text).to.include('name="next" value="/console/settings"')
      const after = await browser.get(
        `/console/confirm?next=${encodeURIComponent(`${SETTINGS}?done=mails-saved`)}`,
      )
      expect(after.text).to.include('Email preferences saved.')
      const confirm = (password: string, next = SETTINGS) =>
        browser.submit('/console/confirm', { next, password })
      const wrong = await confirm('wrong horse')
      expectFault(wrong, 401, PASSWORD_REFUSED)
      expect(wrong.text).to.include('name="next" value="/console/settings"').and.not.to.include('wrong horse')
      expect(isAskedAgain(await create('a program'))).to.equal(true)
      expectSentTo(await confirm(PASSWORD), SETTINGS)
      const created = await submitAndSee(browser, `${SETTINGS}/api-tokens`, { name: 'a program' })
      expect(created.text).to.include('lhp_')
      for (const next of ['//evil.example', 'https://evil.example', '/\\evil.example']) {
        expectSentTo(await confirm(PASSWORD, next), '/console')
      }
    })
  })

  describe('sessions', () => {
    it('are listed with their browsers, as text, and without their tokens', async () => {
      const userAgent = '<b>Browser</b>'
      await (await browse(context, web)).get('/console/sign-in')
      const credentials = { email: person.email, password: PASSWORD }
      const signedIn = await browse(context, web)
      await signedIn.submit('/console/sign-in', credentials, { 'User-Agent': userAgent })
      const { text } = await browser.get(SETTINGS)
      expect(text).to.include('&lt;b>Browser&lt;/b>').and.not.to.include('<b>Browser')
      expect(text.match(/This session/g)).to.have.length(1)
      expect(text).not.to.include(browser.cookie().split('=')[1])
    })

    it('end one by one', async () => {
      const other = await browse(context, web, person.id)
      const third = await browse(context, web, person.id)
      const [, otherSession] = await listSessions(context.db, person.id)
      expectSentTo(
        await browser.submit(`${SETTINGS}/sessions/${otherSession!.id}/end`),
        `${SETTINGS}?done=session-ended`,
      )
      expect((await other.get(SETTINGS)).status).to.equal(302)
      expectPage(await third.get(SETTINGS))
      expectPage(await browser.get(SETTINGS))
    })

    it('end all but this one', async () => {
      const others = [await browse(context, web, person.id), await browse(context, web, person.id)]
      expectSentTo(await browser.submit(`${SETTINGS}/sessions/end-others`), `${SETTINGS}?done=sessions-ended`)
      for (const other of others) expect((await other.get(SETTINGS)).status).to.equal(302)
      expectPage(await browser.get(SETTINGS))
    })

    it('keep working when all other access is revoked', async () => {
      const { token } = await createApiToken(context, person.id, 'a program')
      expectSentTo(await browser.submit(`${SETTINGS}/revoke-access`), `${SETTINGS}?done=access-revoked`)
      expect((await lines(token)).status).to.equal(401)
      expectPage(await browser.get(SETTINGS))
    })
  })
})
