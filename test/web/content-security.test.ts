import { expect } from 'chai'
import { createSetUpLink } from '../../src/domain/people/set-up-links.js'
import { browse, type BrowserSession } from '../helpers/web/browser-session.js'
import { describeWeb, type Answer } from '../helpers/web/web.js'
import {
  consoleRoutes,
  createOwner,
  expectPage,
  isOpen,
  submitAndSee,
  type Owner,
} from './console/support.js'

const environment = { QUEUES_PASSWORD: 'a long password' }

/** What people write into what they own: pages have it as text, so that none of its tags is found in them. */
const TAGS = `'"><img src=x onerror=alert(1)><script>alert(2)</script>`
const HOSTILE = [
  ['users', { name: TAGS }],
  ['lines', { name: TAGS }],
  ['applications', { name: TAGS, description: TAGS }],
  ['endpoints', { name: TAGS }],
  ['api_tokens', { name: TAGS }],
  ['messages', { text: TAGS, error: TAGS }],
  ['deliveries', { last_failure: TAGS }],
] as const

describeWeb('the Content-Security-Policy', { environment }, ({ context, web }) => {
  let owner: Owner
  let browser: BrowserSession

  before(async () => {
    owner = await createOwner(context)
    for (const [table, fields] of HOSTILE) await context.db(table).update(fields)
    browser = await browse(context, web, owner.person.id)
  })

  const policyOf = ({ headers }: Answer) =>
    new Map(
      headers
        .get('content-security-policy')!
        .split('; ')
        .map((each) => [each.split(' ')[0]!, each.split(' ').slice(1).join(' ')]),
    )

  /** @returns the nonce */
  function expectOwnPage(answer: Answer): string {
    const policy = policyOf(answer)
    const nonce = /^'nonce-([\w+/]{22}==)'$/.exec(policy.get('script-src') ?? '')?.[1]
    expect(nonce, policy.get('script-src')).not.to.equal(undefined)
    expect([...policy].filter(([name]) => name !== 'script-src')).to.deep.equal([
      ['default-src', "'none'"],
      ['style-src', "'self'"],
      ['img-src', "'self' data:"],
      ['media-src', "'self'"],
      ['font-src', "'self'"],
      ['connect-src', "'self'"],
      ['worker-src', "'self'"],
      ['form-action', "'self'"],
      ['base-uri', "'none'"],
      ['frame-ancestors', "'none'"],
    ])
    expect(answer.headers.get('cache-control')).to.equal('no-store')
    expect(answer.headers.get('x-frame-options')).to.equal('DENY')
    expectOwnHtml(answer.text, nonce!)
    return nonce!
  }

  /** Nothing that the policy would refuse, and nothing from elsewhere. */
  function expectOwnHtml(html: string, nonce: string): void {
    const tags = html.match(/<[a-z][^<>]*(?:>|$)/g) ?? []
    expect(tags.length).to.be.above(10)
    const named = (name: string) => tags.filter((tag) => new RegExp(`^<${name}[ />]`).test(tag))
    expect(named('script').length).to.be.above(0)
    for (const script of named('script')) {
      expect(script).to.include(` nonce="${nonce}"`)
      expect(html).to.include(`${script}</script>`)
    }
    expect(named('style'), 'style elements').to.deep.equal([])
    for (const name of ['base', 'iframe', 'object', 'embed']) expect(named(name)).to.deep.equal([])
    for (const tag of tags) {
      expect(tag).not.to.match(/ (style|on\w+|(?:data-)?hx-on[\w:-]*|srcset|ping|background)=/i)
      const isLink = tag.startsWith('<a ')
      const addresses =
        / (?:href|src|action|formaction|poster|data-live|(?:data-)?hx-(?:get|post|put|patch|delete))="([^"]*)"/g
      for (const [, value] of tag.matchAll(addresses)) {
        // A link may lead elsewhere, whoever follows it; nothing else may.
        expect(value, tag).to.match(isLink ? /^(\/(?!\/)|#|https:\/\/)/ : /^(\/(?!\/)|data:image\/)/)
      }
    }
  }

  it('allows each page’s own scripts by a new nonce, and nothing from elsewhere', async () => {
    const pages = consoleRoutes(context)
      .filter(({ method, path }) => method === 'GET' && !/\/live$|\.(csv|jsonl|zip)$/.test(path))
      .map(({ path }) => path)
    const nonces = new Set<string>()
    const shown = new Set<string>()
    let count = 0
    for (const path of pages) {
      if (path === '/console/lines' || isOpen(path)) continue
      for (let asked = 0; asked < 2; asked += 1) {
        const answer = await browser.get(owner.fill(path))
        expectPage(answer)
        nonces.add(expectOwnPage(answer))
        count += 1
        if (answer.text.includes('&lt;img src=x')) shown.add(path)
      }
    }
    expect(count).to.be.at.least(14)
    expect(nonces.size).to.equal(count)
    expect([...shown]).to.include.members([
      ...['/console', '/console/activity', '/console/applications', '/console/users', '/console/settings'],
      ...['/console/lines/:lineId', '/console/messages/:messageId', '/console/endpoints/:endpointId'],
      ...['/console/applications/:applicationId', '/console/users/:userId', '/simulator'],
    ])
  })

  it('is the same on pages without a session, pages that show a secret, and errors', async () => {
    const visitor = await browse(context, web)
    const { pathname, search } = new URL((await createSetUpLink(context, owner.person.id)).url)
    const line = `/console/lines/${owner.line.lineId}`
    for (const answer of [
      await visitor.get('/console/sign-in'),
      await visitor.get(pathname + search),
      await visitor.submit('/console/sign-in', { email: 'a', password: 'b' }),
      await browser.get(`${line}?show=secret`),
      await browser.get(`${line}?show=webhook`),
      await submitAndSee(browser, '/console/settings/api-tokens', { name: 'a program' }),
      await browser.submit('/console/settings/api-tokens', { name: '' }),
      await submitAndSee(browser, '/console/users', { email: 'eve@example.com' }),
      await browser.submit('/console/users', { email: '' }),
      await browser.submit(`${line}/outgoing-webhook`, { url: 'nonsense' }),
      await browser.get('/console/nothing'),
      await browser.get('/nothing'),
      await visitor.get('/queues'),
      ...(await Promise.all(['/docs', '/docs/messages', '/docs/objects'].map((path) => visitor.get(path)))),
      await browser.post('/console/settings/password', ''),
    ]) {
      expectOwnPage(answer)
    }
  })

  it('allows nothing on responses that are not pages', async () => {
    for (const path of ['/healthz', '/v1/lines', '/openapi.json', '/nothing', '/simulator/outbox']) {
      expect([...policyOf(await web.request(path))], path).to.deep.equal([
        ['default-src', "'none'"],
        ['base-uri', "'none'"],
        ['frame-ancestors', "'none'"],
        ['form-action', "'none'"],
      ])
    }
  })

  it('of the dashboard allows inline styles, no inline script, and nothing from elsewhere', async () => {
    const answer = await browser.get('/queues')
    expectPage(answer)
    const policy = policyOf(answer)
    expect(policy.get('script-src')).to.equal("'self'")
    expect(policy.get('default-src')).to.equal("'self'")
    expect(policy.get('frame-ancestors')).to.equal("'none'")
    expect([...policy.values()].join(' ')).not.to.match(/https?:|\*/)
  })
})
