import { expect } from 'chai'
import { SIGN_IN_REFUSED } from '../../../../src/domain/people/sign-in.js'
import { createPerson, PASSWORD, personForEachTest } from '../../../domain/people/people.js'
import { browse, type BrowserSession } from '../../../helpers/web/browser-session.js'
import { describeWeb, type Answer, withWeb } from '../../../helpers/web/web.js'
import { expectPage, expectSentTo, expectFault } from '../support.js'

const SIGN_IN = '/console/sign-in'

describeWeb('signing in to the console', ({ context, web }) => {
  const person = personForEachTest(context)

  const signIn = (browser: BrowserSession, fields: Record<string, string> = {}) =>
    browser.submit(SIGN_IN, { email: person.email, password: PASSWORD, ...fields })

  /** Asks with a cookie that the browser had before. */
  const askWith = (cookie: string) =>
    web.request('/console/settings', { headers: { Cookie: cookie, Accept: 'text/html' } })

  it('leads to the lines, regardless of the case of the address', async () => {
    const browser = await browse(context, web)
    const email = ` ${person.email.toUpperCase()} `
    expectSentTo(await signIn(browser, { email }), '/console')
    expect((await browser.get('/console/settings')).text).to.include(person.email)
  })

  it('gets one response for a wrong password, an unknown address, and no password yet', async () => {
    const waiting = await createPerson(context, { password: null })
    const refused = [
      await signIn(await browse(context, web), { password: 'wrong horse battery' }),
      await signIn(await browse(context, web), { email: 'nobody@example.com' }),
      await signIn(await browse(context, web), { email: waiting.email }),
      await signIn(await browse(context, web), { email: waiting.email, password: '' }),
      await signIn(await browse(context, web), { email: 'no address', password: '' }),
    ]
    for (const answer of refused) {
      expectFault(answer, 401, SIGN_IN_REFUSED)
      expect(alike(answer)).to.equal(alike(refused[0]!))
      expect(answer.headers.getSetCookie()).to.deep.equal([])
    }
  })

  /** The page without what is of this request: the address that was typed, tokens and nonces. */
  function alike({ text, headers }: Answer): string {
    const names = [...headers.keys()].filter((name) => !['date', 'content-length'].includes(name))
    return names.join() + text.replace(/ (value|nonce)="[^"]*"/g, '')
  }

  it('keeps the typed address in the form, escaped, but never the password', async () => {
    const email = '"><script>alert(1)</script>@example.com'
    const answer = await signIn(await browse(context, web), { email, password: 'a very wrong password' })
    expect(answer.text).to.include('value="&quot;>&lt;script>alert(1)&lt;/script>@example.com"')
    expect(answer.text).not.to.include('<script>')
    expect(answer.text).not.to.include('a very wrong password')
  })

  describe('the cookie', () => {
    it('is a __Host- cookie that no script reads', async () => {
      const { headers } = await web.request(SIGN_IN)
      expect(headers.getSetCookie()).to.have.length(1)
      expect(headers.getSetCookie()[0]).to.match(
        /^__Host-linehook=[\w-]{43}; path=\/; samesite=lax; secure; httponly$/i,
      )
    })

    it('is replaced on sign-in and sign-out, and the old ones are invalid', async () => {
      const browser = await browse(context, web)
      const visitor = browser.cookie()
      await signIn(browser)
      const signedIn = browser.cookie()
      expect(signedIn).not.to.equal(visitor)
      expectPage(await askWith(signedIn))
      expectSentTo(await browser.submit('/console/sign-out'), `${SIGN_IN}?done=signed-out`)
      expect(browser.cookie()).not.to.be.oneOf([visitor, signedIn])
      for (const cookie of [visitor, signedIn, browser.cookie()]) {
        expectSentTo(await askWith(cookie), `${SIGN_IN}?next=%2Fconsole%2Fsettings`, 302)
      }
      expect(await context.db('sessions').where({ user_id: person.id })).to.deep.equal([])
      expect((await browser.get(`${SIGN_IN}?done=signed-out`)).text).to.include('You are signed out.')
    })

    it('clears the browser’s stored data when it ends', async () => {
      const browser = await browse(context, web, person.id)
      const { headers } = await browser.submit('/console/sign-out')
      expect(headers.get('clear-site-data')).to.equal('"cache", "storage"')
      expect((await browser.get(SIGN_IN)).headers.get('clear-site-data')).to.equal(null)
    })

    it('is invalid once its user signs in as another user', async () => {
      const other = await createPerson(context)
      const browser = await browse(context, web, other.id)
      const before = browser.cookie()
      expectSentTo(await signIn(browser), '/console')
      expect((await browser.get('/console/settings')).text).to.include(person.email)
      expectSentTo(await askWith(before), `${SIGN_IN}?next=%2Fconsole%2Fsettings`, 302)
    })

    it('stays valid if signing in as another user is refused, and the page says so', async () => {
      const other = await createPerson(context)
      const browser = await browse(context, web, other.id)
      const answer = await signIn(browser, { password: 'wrong horse battery' })
      expectFault(answer, 401, SIGN_IN_REFUSED)
      expect((await browser.get('/console/settings')).text).to.include(other.email)
    })

    it('that is not ours is replaced', async () => {
      for (const value of ['', 'x', '"quoted"', 'x'.repeat(5000), 'ä', `${'x'.repeat(42)}!`]) {
        const { status, headers } = await web.request(SIGN_IN, {
          headers: { Cookie: `other=1; __Host-linehook=${value}` },
        })
        expect([status, headers.getSetCookie().length], value).to.deep.equal([200, 1])
      }
    })

    for (const [publicUrl, name] of [
      ['https://linehook.example.com', '__Host-linehook'],
      ['http://127.0.0.1:3000', '__Host-linehook'],
      ['http://192.168.1.5:3000', 'linehook'],
      ['http://linehook.internal', 'linehook'],
    ] as const) {
      it(`is ${name} with PUBLIC_URL=${publicUrl}, and signs in`, async () => {
        await withWeb({ PUBLIC_URL: publicUrl }, async ({ context: own, web: ownWeb }) => {
          const { email } = await createPerson(own)
          const page = await ownWeb.request(SIGN_IN)
          const [visitor] = page.headers.getSetCookie()
          const isSecure = name.startsWith('__Host-')
          expect(visitor).to.match(
            /^(__Host-)?linehook=[\w-]{43}; path=\/; samesite=lax;( secure;)? httponly$/i,
          )
          expect([visitor!.split('=')[0], /; secure/i.test(visitor!)]).to.deep.equal([name, isSecure])
          const csrf = /name="csrf" value="([\w-]+)"/.exec(page.text)![1]!
          const signedIn = await ownWeb.request(SIGN_IN, {
            method: 'POST',
            headers: { Cookie: visitor!.split(';')[0]! },
            body: new URLSearchParams({ csrf, email, password: PASSWORD }),
          })
          expectSentTo(signedIn, '/console')
          const [cookie] = signedIn.headers.getSetCookie()
          const settings = await ownWeb.request('/console/settings', {
            headers: { Cookie: cookie!.split(';')[0]! },
          })
          expect(settings.text).to.include(email)
        })
      })
    }
  })

  describe('next', () => {
    const OURS = [
      '/console',
      '/console/activity?from=1&until=2',
      '/simulator?phone=%2B15005550101',
      '/console?x',
    ]
    const OTHERS = [
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '/\t/evil.example',
      'https://evil.example/console',
      'https:evil.example',
      'javascript:alert(1)',
      '/consoleevil',
      '/console.evil.example',
      '/console@evil.example',
      '/console\\..\\..\\evil',
      '/console/\r\nSet-Cookie: a=b',
      '/console/\u0000',
      '/console/\u0085',
      '/docs',
      ' /console/settings',
      'console/settings',
    ]

    it('leads to the requested page once', async () => {
      const browser = await browse(context, web)
      const sent = await browser.get('/console/activity?lineId=1&number=%2B15005550101')
      expect(sent.status).to.equal(302)
      const signInPage = await browser.get(sent.headers.get('location')!)
      const next = /name="next" value="([^"]*)"/.exec(signInPage.text)![1]!.replaceAll('&amp;', '&')
      expectSentTo(await signIn(browser, { next }), '/console/activity?lineId=1&number=%2B15005550101')
    })

    it('is kept after a wrong password', async () => {
      const answer = await signIn(await browse(context, web), { next: '/simulator', password: 'wrong' })
      expect(answer.text).to.include('name="next" value="/simulator"')
    })

    it('is kept for the second of two tabs, whose form has the token of a cookie that the first replaced', async () => {
      const next = '/console/lines?second'
      const stale = (browser: BrowserSession, csrf: string) => signIn(browser, { next, csrf })
      const browser = await browse(context, web)
      const csrf = browser.token()
      const restored = await browse(context, web)
      const asked = await stale(restored, csrf)
      expectFault(asked, 403, /^This page was out of date, because you opened the console in another tab\./)
      expect(asked.text).to.include(`name="next" value="${next}"`).and.include(`value="${person.email}"`)
      expectSentTo(await signIn(restored, { next }), next)
      expectSentTo(await stale(restored, csrf), next)
    })

    it('continues immediately for a signed-in user', async () => {
      const browser = await browse(context, web, person.id)
      for (const next of OURS) {
        expectSentTo(await browser.get(`${SIGN_IN}?next=${encodeURIComponent(next)}`), next, 302)
      }
      expectSentTo(await browser.get(SIGN_IN), '/console', 302)
    })

    it('that is not a page of ours is ignored', async () => {
      const signedIn = await browse(context, web, person.id)
      for (const next of OTHERS) {
        const query = `${SIGN_IN}?next=${encodeURIComponent(next)}`
        expectSentTo(await signedIn.get(query), '/console', 302)
        const browser = await browse(context, web)
        expect((await browser.get(query)).text, next).to.include('name="next" value="/console"')
        expectSentTo(await signIn(browser, { next }), '/console')
      }
      expectSentTo(await signedIn.get(`${SIGN_IN}?next=/simulator&next=//evil.example`), '/console', 302)
      expectSentTo(await signedIn.get(`${SIGN_IN}?next[]=//evil.example`), '/console', 302)
    })
  })
})
