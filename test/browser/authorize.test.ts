import { expect } from 'chai'
import { createPerson } from '../domain/people/people.js'
import { createLine } from '../helpers/factories.js'
import { openings } from '../helpers/openings.js'
import { until } from '../helpers/until.js'
import { startReceiver, type Receiver } from '../helpers/services/receiver.js'
import {
  asking,
  authorizePath,
  createApplication,
  requestToken,
  send,
  serveOAuth,
  type OAuthServer,
  type Tokens,
} from '../web/oauth/support.js'
import { browserForSuite, signIn } from './support.js'

/** Browsers hold a page's Content-Security-Policy against the redirects that follow its form: only one can tell. */
describe('authorizing an application in a browser', () => {
  let server: OAuthServer
  let application: Receiver

  const open = openings()
  const browser = browserForSuite()

  before(async () => {
    ;[server, application] = await Promise.all([open(serveOAuth()), open(startReceiver())])
  })

  for (const [what, options] of [
    ['on a desk', {}],
    ['on a phone, in the dark', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' as const }],
    ['without JavaScript', { javaScriptEnabled: false }],
  ] as const) {
    it(`${what}: the user signs in, consents and returns to the application, which sends`, async () => {
      const person = await createPerson(server.context)
      const shop = await createLine(server.context, { userId: person.id, name: 'Shop' })
      await createLine(server.context, { userId: person.id, name: 'Home' })
      const redirectUri = `http://127.0.0.1:${application.port}/callback`
      const registered = await createApplication(server, {
        description: 'Answers when you cannot',
        redirectUris: [redirectUri],
      })
      const { page, complaints, ...shots } = await browser.openPage(server.web.url, options)
      await page.goto(authorizePath(asking(registered, { redirect_uri: redirectUri })))
      await signIn(page, person)

      await page.getByRole('heading', { name: 'Authorize Auto reply?' }).waitFor()
      await shots.screenshot(`authorize-${what.replaceAll(/\W+/g, '-')}`)
      await page.getByRole('button', { name: 'Authorize', exact: true }).click()
      await page.getByRole('alert').filter({ hasText: 'Choose at least one line' }).waitFor()
      await page.getByRole('checkbox', { name: 'Shop' }).check()
      await page.getByRole('button', { name: 'Authorize', exact: true }).click()
      await page.waitForURL(`${redirectUri}?*`)

      const back = new URL(page.url())
      expect(back.searchParams.get('state')).to.equal('a state')
      const code = back.searchParams.get('code') ?? ''
      const answer = await requestToken(server, registered, { grant_type: 'authorization_code', code })
      const { access_token: token, connected_lines: lines } = answer.body as Tokens
      expect(lines.map(({ id }) => id)).to.deep.equal([shop.lineId])
      const sent = await send(server, token, { lineId: shop.lineId, toNumber: '+15005550188', text: 'Hello' })
      expect(sent.status, sent.text).to.equal(200)

      // The page that was refused is told as an error of the browser's; the application's own is another origin.
      const unexpected = complaints.filter(
        (each) =>
          !each.startsWith(`request to http://127.0.0.1:${application.port}`) &&
          !/status of (400|404)/.test(each),
      )
      expect(unexpected).to.deep.equal([])

      await page.goto(`${server.web.url}${authorizePath(asking(registered, { redirect_uri: redirectUri }))}`)
      expect(await page.getByRole('checkbox', { name: 'Shop' }).isChecked()).to.be.true
      expect(await page.getByRole('checkbox', { name: 'Home' }).isChecked()).to.be.false
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.waitForURL(`${redirectUri}?error=access_denied*`)
    })
  }

  it('returns to an application that redirects to another origin, however slowly, after two clicks', async () => {
    const person = await createPerson(server.context)
    await createLine(server.context, { userId: person.id, name: 'Shop' })
    const callback = await open(startReceiver())
    const held: (() => void)[] = []
    callback.answerWith((response, { path }) => {
      if (!path.startsWith('/callback')) return void response.writeHead(404).end()
      held.push(() =>
        response.writeHead(302, { Location: `http://localhost:${application.port}/settings` }).end(),
      )
    })
    const redirectUri = `http://127.0.0.1:${callback.port}/callback`
    const registered = await createApplication(server, { redirectUris: [redirectUri] })
    const { page } = await browser.openPage(server.web.url)
    await page.goto(authorizePath(asking(registered, { redirect_uri: redirectUri })))
    await signIn(page, person)
    const button = page.getByRole('button', { name: 'Authorize', exact: true })
    await button.waitFor()
    await page.waitForLoadState()
    const { x, y } = (await button.boundingBox())!
    await page.mouse.click(x + 5, y + 5)
    await until('the application is asked', () => held.length > 0)
    await page.mouse.click(x + 5, y + 5)
    for (const answer of held) answer()
    await page.waitForURL(`http://localhost:${application.port}/settings`)
    expect(callback.requests.filter(({ path }) => path.startsWith('/callback'))).to.have.length(1)
  })
})
