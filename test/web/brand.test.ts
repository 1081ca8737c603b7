import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { createPortalLink } from '../../src/domain/people/portal.js'
import { beginApp, findPendingApp } from '../../src/domain/people/second-factors/authenticator-app.js'
import { beginPasskey } from '../../src/domain/people/second-factors/passkeys.js'
import { findSession } from '../../src/domain/people/sessions.js'
import { createSetUpLink } from '../../src/domain/people/set-up-links.js'
import { resetMail, noticesMail, type Letterhead } from '../../src/domain/operating/notices/mail.js'
import { createPerson } from '../domain/people/people.js'
import { browse } from '../helpers/web/browser-session.js'
import { startSession } from '../helpers/web/sessions.js'
import { createDataFolder } from '../helpers/services/services.js'
import { describeWith } from '../helpers/suite.js'
import { asking, authorizePath, createApplication, createVisitor, serveOAuth } from './oauth/support.js'

const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 20"><script>alert(1)</script></svg>'
const SUPPORT = 'mailto:help@acme.example'

async function serveBrand() {
  const BRAND_LOGO = join(createDataFolder('brand'), 'logo.svg')
  await writeFile(BRAND_LOGO, LOGO)
  const environment = { BRAND_NAME: 'Acme & Co', BRAND_LOGO, BRAND_COLOR: 'ffe000', SUPPORT_URL: SUPPORT }
  return serveOAuth({ ...environment, QUEUES_PASSWORD: 'a phrase nobody says' })
}

describeWith('the operator’s brand', serveBrand, (server) => {
  const expectBranded = (text: string) => {
    expect(text).to.match(/<title>[^<]* · Acme &amp; Co<\/title>/)
    expect(text).to.match(/<img src="\/assets\/[\w-]+\/logo\.svg" alt(?:="")? width="72" height="24"/)
    expect(text).to.include(`<a href="${SUPPORT}">Support</a>`)
    expect(text).not.to.match(/Linehook\b/)
  }

  it('is on every page of a user, on those before sign-in, behind a portal link and before an application', async () => {
    const { context, web } = server
    const visitor = await createVisitor(server)
    const { userId, lineId } = visitor.line
    const user = await browse(context, web, userId)
    const nobody = await browse(context, web)
    const application = await createApplication(server)
    const setUp = await createSetUpLink(context, userId)
    const { id: operatorId } = await createPerson(context, { role: 'operator' })
    const portal = await createPortalLink(context, userId, operatorId, { lineIds: [lineId] })
    const pathOf = ({ url }: { url: string }) => new URL(url).pathname + new URL(url).search

    expectBranded((await visitor.follow(authorizePath(asking(application)))).answer.text)
    for (const path of ['/console/sign-in', pathOf(setUp), pathOf(portal)]) {
      const { status, text } = await nobody.get(path)
      expect(status, path).to.equal(200)
      expectBranded(text)
    }
    await nobody.submit('/console/portal', { token: portal.url.split('token=')[1] ?? '' })
    for (const path of [`/console/lines/${lineId}`, `/console/lines/${lineId}/receive`, '/console/usage']) {
      for (const browser of [user, nobody]) expectBranded((await browser.get(path)).text)
    }
    for (const path of ['/console/settings', '/simulator']) expectBranded((await user.get(path)).text)
  })

  it('has its support on error pages', async () => {
    const { status, text } = await (await browse(server.context, server.web)).get('/nothing')
    expect(status).to.equal(404)
    expectBranded(text)
    expect(text).to.include(`<a href="${SUPPORT}">contact support</a>`)
  })

  it('shows operators the Linehook version at the foot of the page', async () => {
    const { id } = await createPerson(server.context, { role: 'operator' })
    const { text } = await (await browse(server.context, server.web, id)).get('/console/settings')
    expect(text).to.include(`<span>Linehook ${server.context.config.version}</span>`)
  })

  it('serves a logo whose scripts never run, and a style sheet with the brand colour', async () => {
    const { text } = await (await browse(server.context, server.web)).get('/console/sign-in')
    const logo = await server.web.request(/src="([^"]*logo\.svg)"/.exec(text)?.[1] ?? '')
    expect([logo.status, logo.headers.get('content-type'), logo.text]).to.deep.equal([
      200,
      'image/svg+xml',
      LOGO,
    ])
    const policy = logo.headers.get('content-security-policy') ?? ''
    expect(policy)
      .to.match(/^default-src 'none';.*; sandbox$/)
      .and.not.to.include('script')
    const css = await server.web.request(/href="([^"]*console\.css)"/.exec(text)?.[1] ?? '')
    expect(css.text).to.include('--accent-fill:#ffe000;').and.to.include('--on-accent:#000000')
  })

  it('is in the API reference, the dashboard, authenticator apps and passkeys', async () => {
    const { context, web } = server
    const { id } = await createPerson(context, { role: 'operator' })
    const operator = await browse(context, web, id)
    expect((await web.request('/docs')).text).to.include('<title>API · Acme &amp; Co</title>')
    const { info } = (await web.request('/openapi.json')).body as { info: { title: string; contact: object } }
    expect([info.title, info.contact]).to.deep.equal([
      'Acme & Co',
      { name: 'The operator of this installation', email: 'help@acme.example' },
    ])
    const dashboard = (await operator.get('/queues')).text
    expect(dashboard)
      .to.match(/<title>Acme (&|&amp;|&#38;) Co queues<\/title>/)
      .and.to.include('/logo.svg')
    expect(dashboard).to.include('"primary":"#ffe000"')
    const session = await findSession(context, await startSession(context, id))
    await beginApp(context, id)
    expect((await findPendingApp(context, session!))?.uri).to.include('otpauth://totp/Acme%20%26%20Co%20(')
    // Browsers have no passkeys for an address of numbers.
    const config = { ...context.config, publicUrl: 'https://lines.acme.example' }
    const { rp } = await beginPasskey({ ...context, config }, session!, 'a token')
    expect(rp).to.deep.equal({ name: 'Acme & Co', id: 'lines.acme.example' })
  })

  it('is in mails', () => {
    const letterhead: Letterhead = { service: 'Acme', publicUrl: 'https://acme.example', supportUrl: SUPPORT }
    const reset = resetMail({ url: 'https://acme.example/x' }, letterhead)
    expect(reset.subject).to.equal('[Acme] Set a new password')
    for (const { text } of [reset, noticesMail([], letterhead)]) {
      expect(text).to.match(/\nGet help: help@acme\.example\n$/)
    }
    expect(resetMail({ url: 'x' }, { ...letterhead, supportUrl: undefined }).text).not.to.include('help')
  })
})
