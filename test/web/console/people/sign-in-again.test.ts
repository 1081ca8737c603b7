import { expect } from 'chai'
import { createPerson, PASSWORD } from '../../../domain/people/people.js'
import { forAllTests } from '../../../helpers/suite.js'
import { browse, type BrowserSession } from '../../../helpers/web/browser-session.js'
import { describeWeb } from '../../../helpers/web/web.js'
import {
  carriedBy,
  consoleRoutes,
  createOwner,
  expectPage,
  faultOf,
  isOpen,
  expectFault,
  rowsAndActs,
  sendForm,
} from '../support.js'

describeWeb('a form submitted after the session ended', ({ context, web }) => {
  const owner = forAllTests(() => createOwner(context))
  let browser: BrowserSession

  beforeEach(async () => {
    browser = await browse(context, web, owner.person.id)
    await context.db('sessions').delete()
  })

  const post = (path: string, fields: Record<string, string | Blob>) => sendForm(browser, path, fields)
  const credentials = (email = owner.person.email, password = PASSWORD) => ({
    'sign-in-email': email,
    'sign-in-password': password,
  })
  /** An old session is none, so signing in is no act of a form, and neither are looks. */
  const rows = () => rowsAndActs(context, /^sign_in\.|\.viewed$/)

  it('leads to sign-in and back to its page, and does nothing on its own', async () => {
    const before = await rows()
    const paths = consoleRoutes(context).filter(({ method, path }) => method === 'POST' && !isOpen(path))
    expect(paths).to.have.length.at.least(20)
    for (const path of paths.map((route) => owner.fill(route.path))) {
      const typed = { name: 'Typed', lineId: owner.line.lineId, kind: 'twilio' }
      const asked = await post(path, typed)
      expectPage(asked, 401)
      expect(asked.text, path).to.include(`action="${path}"`).and.to.include('Sign in to continue')
      expect(carriedBy(asked), path).to.deep.equal(Object.entries(typed))

      const back = await post(path, { ...typed, ...credentials() })
      // A page that asks for other things than the form had, or has another form by now.
      expect([path, back.status]).to.deep.equal([path, 200])
      await context.db('sessions').delete()
    }
    expect(await rows()).to.deep.equal(before)
    // Two requests for each form that there is, and a password with the second.
  }).timeout(300_000)

  it('keeps the input, and is sent by submitting it again', async () => {
    const { lineId } = owner.line
    const path = `/console/lines/${lineId}/messages`
    const typed = { to: '+15005550123', text: 'Müller & "Söhne"\n<b>' }
    const asked = await browser.submit(path, typed)
    expect(carriedBy(asked)).to.deep.equal([
      ['to', '+15005550123'],
      ['text', 'Müller &amp; &quot;Söhne&quot;\n&lt;b>'],
    ])
    const cookie = browser.cookie()
    const back = await browser.submit(path, { ...typed, ...credentials() })
    expectPage(back)
    expect(browser.cookie()).to.not.equal(cookie)
    expect(faultOf(back)).to.match(/^You are signed in again./)
    expect(back.text)
      .to.include('value="+15005550123"')
      .and.to.include('Müller &amp; &quot;Söhne&quot;\n&lt;b></textarea>')
    expect(await context.db('messages').where({ to_number: typed.to })).to.be.empty
    const sent = await browser.submit(path, typed)
    expect([sent.status, sent.headers.get('location')?.split('?')[1]]).to.deep.equal([
      303,
      'done=text-accepted',
    ])
    const messages = await context.db('messages').where({ to_number: typed.to }).select('text', 'line_id')
    expect(messages).to.deep.equal([{ text: typed.text, line_id: lineId }])
  })

  it('is kept while a text is only counted, too', async () => {
    const path = `/console/lines/${owner.line.lineId}/messages/segments`
    const back = await browser.submit(path, { to: '+15005550124', text: 'Half a', ...credentials() })
    expectPage(back)
    expect(back.text).to.include('Half a</textarea>').and.to.include('value="+15005550124"')
  })

  it('can be copied from its page if it is no longer there, and the sign-in is no part of it', async () => {
    const { person, line } = await createOwner(context)
    const other = await browse(context, web, person.id)
    const path = `/console/lines/${line.lineId}`
    expect((await other.submit(`${path}/connection/disable`, {})).status).to.equal(303)
    await context.db('sessions').delete()
    const url = 'https://example.com/events'
    const back = await other.submit(`${path}/outgoing-webhook`, { url, ...credentials(person.email) })
    expect(faultOf(back)).to.match(/^You are signed in again./)
    const entered = [...back.text.matchAll(/<textarea readonly[^>]*>([^<]*)</g)].map(([, value]) => value)
    expect(entered).to.deep.equal([url])
  })

  it('is kept when the password is wrong', async () => {
    const path = '/console/applications'
    for (const password of ['wrong horse battery', '']) {
      const answer = await browser.submit(path, { name: 'Shop', ...credentials(undefined, password) })
      expectFault(answer, 401, /^Wrong email or password/)
      expect(carriedBy(answer)).to.deep.equal([['name', 'Shop']])
      expect(answer.text).to.include(`value="${owner.person.email}"`)
    }
    expect(await context.db('sessions')).to.be.empty
  })

  it('keeps several values of one name, and excess entries of a list', async () => {
    const values = Array.from({ length: 25 }, (_, n): [string, string] => ['lineId', `line ${n}`])
    const answer = await browser.submit('/console/applications', values)
    expectPage(answer, 401)
    expect(carriedBy(answer)).to.deep.equal(values)
  })

  it('never puts a password, another secret or a file into a page', async () => {
    const before = await rows()
    const sent: [path: string, fields: Record<string, string | Blob>, kept: string[]][] = [
      ['/console/settings/password', { currentPassword: 'hush-1', newPassword: 'hush-2' }, []],
      ['/console/confirm', { password: 'hush-3', next: '/console' }, ['next']],
      [
        '/console/carriers/new',
        { kind: 'twilio', name: 'mine', 'secret-authToken': 'hush-4' },
        ['kind', 'name'],
      ],
      [`/simulator/phones/15005550177/messages`, { text: 'Hi', picture: new Blob(['hush-5']) }, ['text']],
    ]
    for (const [path, fields, kept] of sent) {
      const again = { ...fields, ...credentials(undefined, 'hush-6') }
      for (const answer of [await post(path, fields), await post(path, again)]) {
        expectPage(answer, 401)
        expect(answer.text, path).to.not.include('hush')
        expect(carriedBy(answer).map(([name]) => name)).to.deep.equal(kept)
        expect(answer.text.includes('name="confirm-unkept"'), path).to.equal(path.startsWith('/console/'))
      }
    }
    expect(await rows()).to.deep.equal(before)
  })

  it('keeps a phone’s text, in a form where a file can be chosen again', async () => {
    const path = '/simulator/phones/15005550177/messages?phone=%2B15005550177'
    const typed = { lineId: owner.line.lineId, text: 'Half a text' }
    const asked = await browser.submitMultipart(path, typed)
    expect(asked.text).to.include(`action="${path}" enctype="multipart/form-data"`)
    const back = await browser.submitMultipart(path, { ...typed, ...credentials() })
    expectPage(back)
    expect(back.text).to.include('value="Half a text"').and.to.include('You are signed in again')
  })

  it('shows the user who signs in only their own input', async () => {
    const stranger = await createPerson(context)
    for (const path of [
      `/console/lines/${owner.line.lineId}/name`,
      '/console/users',
      '/console/carriers/new',
    ]) {
      const answer = await browser.submit(path, { name: 'Mine', ...credentials(stranger.email) })
      expectPage(answer, 404)
      expect(answer.text).to.not.include(owner.line.number)
      await context.db('sessions').delete()
    }
  })

  it('is refused as before when it is no form of ours, or of a browser without a cookie', async () => {
    const path = '/console/applications'
    const fields = new URLSearchParams({ name: 'Eve', ...credentials() }).toString()
    expectPage(await browser.post(path, fields), 403)
    expectPage(await browser.post(path, fields, { 'Sec-Fetch-Site': 'cross-site' }), 403)
    expectPage(await browser.post(path, fields, { Cookie: '' }), 401)
    expect(await context.db('sessions')).to.be.empty
  })
})
