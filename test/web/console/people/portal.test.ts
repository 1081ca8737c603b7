import { expect } from 'chai'
import { listAudit } from '../../../../src/domain/operating/audit.js'
import { asSeenBy, describeActor } from '../../../../src/domain/operating/audit/describe.js'
import { createApiToken } from '../../../../src/domain/people/api-tokens.js'
import { disableUser } from '../../../../src/domain/people/disabled-users.js'
import { createPortalLink } from '../../../../src/domain/people/portal.js'
import { createSetUpLink } from '../../../../src/domain/people/set-up-links.js'
import { isReachedByPortal, reaches } from '../../../../src/web/console/portal/reach.js'
import { setEndpoint } from '../../../domain/operating/notices/fixtures.js'
import { createPerson, PASSWORD, type Person } from '../../../domain/people/people.js'
import { forEachTest } from '../../../helpers/suite.js'
import { browse, type BrowserSession } from '../../../helpers/web/browser-session.js'
import { hear } from '../../../helpers/web/hear.js'
import { routesOf } from '../../../helpers/web/routes.js'
import { until } from '../../../helpers/until.js'
import { describeWeb } from '../../../helpers/web/web.js'
import {
  allRows,
  request,
  consoleRoutes,
  createOwner,
  expectPage,
  expectSentTo,
  isOpen,
  type Owner,
} from '../support.js'

const CLOSED = 'The link that you opened gives access only to the pages of its lines'
const USED_UP = 'This link has expired or was already used. Get a new one where you got it'

describeWeb('a portal link', ({ context, web }) => {
  const named = forEachTest(() => createOwner(context, { role: 'user' }))
  /** Another line of the same user, with one of everything too. */
  const other = forEachTest(() => createOwner(context, { person: named.person }))
  /** Whose program makes the links. */
  const operator = forEachTest(() => createPerson(context, { role: 'operator' }))

  const makeLink = async (lineIds = [named.line.lineId]): Promise<string> => {
    const { url } = await createPortalLink(context, named.person.id, operator.id, { lineIds })
    return new URL(url).pathname + new URL(url).search
  }
  const open = async (link: string, to = `/console/lines/${named.line.lineId}`): Promise<BrowserSession> => {
    const browser = await browse(context, web)
    expectPage(await browser.get(link))
    const token = new URLSearchParams(link.split('?')[1]).get('token') ?? ''
    expectSentTo(await browser.submit('/console/portal', { token }), to)
    return browser
  }
  const fields = (owner: Owner) => ({
    lineId: owner.line.lineId,
    name: 'Shop',
    url: 'http://127.0.0.1:9/elsewhere',
    to: '+15005550123',
    text: 'Hello',
    key: 'a key',
    type: 'inboundText',
    sendAt: '2036-01-01T10:00',
    zone: 'UTC',
  })

  it('opens once, by its button, and looking at it does not use it up', async () => {
    const link = await makeLink()
    for (const browser of [await browse(context, web), await browse(context, web)]) {
      expectPage(await browser.get(link))
    }
    const browser = await open(link)
    expectPage(await browser.get(`/console/lines/${named.line.lineId}`))
    const late = await browse(context, web)
    expect((await late.get(link)).text).to.include(USED_UP)
    const token = link.split('=')[1] ?? ''
    expect((await late.submit('/console/portal', { token })).status).to.equal(404)
    expectSentTo(await late.get('/console'), '/console/sign-in?next=%2Fconsole', 302)

    const [opened, made] = await listAudit(context, { userId: named.person.id }, { limit: 2 })
    expect([made?.action, opened?.action]).to.deep.equal(['portal_link.created', 'portal_link.opened'])
    expect(opened).to.deep.include({
      actorKind: 'portal_link',
      actorId: operator.id,
      credentialId: opened?.subjectId,
    })
    expect(JSON.stringify([made, opened])).not.to.include(token)
  })

  it('says whose session it would end, also to someone who has signed in since the page was shown', async () => {
    const link = await makeLink()
    const token = link.split('=')[1] ?? ''
    const warning = `You are signed in as <strong>${operator.email}</strong>. Opening the link signs you out`
    expect((await (await browse(context, web)).get(link)).text).to.not.include('You are signed in')
    const browser = await browse(context, web, operator.id)
    expect((await browser.get(link)).text)
      .to.include(warning)
      .and.include('Sign out and open')
    const csrf = (await browse(context, web)).token()
    const stale = await browser.submit('/console/portal', { token, csrf })
    expectPage(stale, 403)
    expect(stale.text).to.include(warning)
    expectPage(await browser.get('/console/users'))
    expectSentTo(await browser.submit('/console/portal', { token }), `/console/lines/${named.line.lineId}`)
    expect((await browser.get('/console/users')).status).to.equal(403)
  })

  it('has what is done with it recorded as such, and the user does not see by which operator', async () => {
    const browser = await open(await makeLink())
    const { id } = named.person
    const line = `/console/lines/${named.line.lineId}`
    expectSentTo(await browser.submit(`${line}/name`, { name: 'Front desk' }), `${line}?done=renamed`)
    const [renamed] = await listAudit(context, { userId: id }, { limit: 1 })
    expect(renamed).to.deep.include({
      action: 'line.renamed',
      actorKind: 'portal_link',
      actorId: operator.id,
    })
    if (renamed === undefined) return
    expect(describeActor(renamed)).to.equal(`someone with a portal link from ${operator.email}`)
    expect(describeActor(asSeenBy(id, renamed))).to.equal('someone with a portal link from an operator')
  })

  it('stops working when it expires, and so does its session', async () => {
    const link = await makeLink()
    const visitor = await browse(context, web)
    expectPage(await visitor.get(link))
    await context.db('portal_links').update({ expires_at: context.db.raw(`now() - interval '1 second'`) })
    // Also its button, on a page that was open for too long.
    const token = link.split('=')[1] ?? ''
    for (const answer of [await visitor.get(link), await visitor.submit('/console/portal', { token })]) {
      expectPage(answer, 404)
      expect(answer.text).to.include('<h1>Link expired</h1>').and.not.include('Page not found')
      expect(answer.text.split(USED_UP)).to.have.length(2)
    }

    const browser = await open(await makeLink())
    await context.db('portal_sessions').update({ expires_at: context.db.raw(`now() - interval '1 second'`) })
    const signIn = '/console/sign-in?done=portal-over&next=%2Fconsole'
    expectSentTo(await browser.get('/console'), signIn, 302)
    expect((await browser.get(signIn)).text).to.include(
      'Your access through the link has ended. Get a new link',
    )
    const late = await browser.submit(`/console/lines/${named.line.lineId}/name`, { name: 'Front desk' })
    expectPage(late, 401)
    expect(late.text)
      .to.include('Your access through the link has ended')
      .and.include('Get a new link')
      .and.include('value="Front desk"')
      .and.not.include('Your session has expired')
  })

  it('opens only the listed pages, and no other route of the table', async () => {
    const browser = await open(await makeLink())
    const routes = consoleRoutes(context).filter(({ path }) => !isOpen(path))
    const isReached = ({ method, path }: (typeof routes)[number]) =>
      isReachedByPortal(method === 'GET' ? 'get' : 'post', path)
    const [reached, closed] = [routes.filter(isReached), routes.filter((route) => !isReached(route))]
    expect(reached.length).to.be.within(30, 50)
    expect(closed.length).to.be.above(120)
    for (const { path } of reached) {
      expect(path).not.to.match(
        /settings|second|password|token|applic|oauth|users|people|audit|carriers|tasks|search|secret|delete|block|regenerate/,
      )
    }

    const before = await allRows(context)
    for (const { method, path } of closed) {
      const filled = named.fill(path)
      const answer = await request(browser, method, filled, fields(named))
      expect([answer.status, answer.text.includes(CLOSED)], `${method} ${path}`).to.deep.equal([403, true])
    }
    for (const { method, path } of routesOf(context)) {
      if (!/^\/(v1|queues|oauth\/consent)/.test(path) || path === '/v1/oauth/access') continue
      const filled = path.replace(/\{.*|\*.*/, '').replace(/:\w+/g, named.line.lineId)
      const answer = await request(browser, method, filled)
      expect(answer.status, `${method} ${path}`).to.be.oneOf([401, 403, 404, 405])
    }
    expect(await allRows(context)).to.deep.equal(before)

    // What ends the session comes last.
    reached.sort((one, two) => Number(one.path.endsWith('sign-out')) - Number(two.path.endsWith('sign-out')))
    for (const { method, path } of reached) {
      const filled = named.fill(path)
      if (path === '/console/live') continue
      const answer = await request(browser, method, filled, fields(named))
      if (method === 'GET') expect(answer.status, `${method} ${path}`).to.equal(200)
      else expect(answer.status, `${method} ${path}: ${answer.text}`).not.to.be.oneOf([401, 403, 404, 500])
    }
    expectSentTo(await browser.get('/console'), '/console/sign-in?next=%2Fconsole', 302)
    expect(await context.db('portal_sessions').where({ user_id: named.person.id })).to.deep.equal([])
  })

  it('shows nothing of the user’s other lines, by any route', async () => {
    const browser = await open(await makeLink())
    const secrets = [
      other.line.lineId,
      other.line.number,
      other.fill(':messageId'),
      other.fill(':endpointId'),
    ]
    const expectNothing = (text: string, what: string) => {
      for (const secret of secrets) expect(text, what).not.to.include(secret)
    }
    const before = await allRows(context)
    for (const { method, path } of consoleRoutes(context)) {
      if (!isReachedByPortal(method === 'GET' ? 'get' : 'post', path) || !path.includes(':')) continue
      const filled = other.fill(path)
      const answer = await request(browser, method, filled, fields(other))
      expect(answer.status, `${method} ${path}`).to.equal(404)
      expect(answer.text).not.to.include(other.line.number)
    }
    // One thing of each of both lines in one path.
    const mixed = `/console/messages/${named.fill(':messageId')}/deliveries/${other.fill(':deliveryId')}/send-again`
    expect((await browser.submit(mixed)).status).to.equal(404)
    expect(await allRows(context)).to.deep.equal(before)

    for (const path of ['/console', '/console/activity', '/console/activity.csv', '/console/usage.csv']) {
      const answer = await browser.get(path)
      expect(answer.status, path).to.equal(200)
      expectNothing(answer.text, path)
    }
    for (const path of ['/console/activity', '/console/activity.csv', '/console/activity/live']) {
      const answer = await browser.get(`${path}?line=${other.line.lineId}`)
      expect(answer.status, path).to.equal(404)
      expect(answer.text).not.to.include(other.line.number)
    }

    const at = (owner: Owner) => encodeURIComponent(`/console/lines/${owner.line.lineId}/live`)
    const stream = await hear(
      `${web.url}/console/live?at=${at(other)}&at=${at(named)}&at=/console/overview/live`,
      {
        Cookie: browser.cookie(),
      },
    )
    const goneCount = () => stream.text.match(/"gone":/g)?.length ?? 0
    await until('all three have been answered', () => stream.text.includes('"changes"') && goneCount() > 1)
    await stream.close()
    expect(goneCount()).to.equal(2)
    expect(stream.text).to.include('Nothing was found at this path')
    expect(stream.text).not.to.include(other.line.number)
  })

  it('shows and exports the activity of one of its lines, and says which', async () => {
    const lines = [named.line.lineId, other.line.lineId]
    const browser = await open(await makeLink(lines), '/console')
    const see = async (path: string) => (await browser.get(path)).text
    const selected = (html: string) => /<select name="line">(.*?)<\/select>/s.exec(html)?.[1] ?? ''
    for (const [path, line] of [
      ['/console/activity', lines[0]],
      [`/console/activity?line=${lines[1]}`, lines[1]],
    ] as const) {
      const html = await see(path)
      expect(selected(html)).to.include(`value="${line}" selected`).and.not.include('All')
      expect(html).to.include(`href="/console/activity.csv?line=${line}"`).and.not.include('Clear filters')
      const filtered = await see(`/console/activity?direction=inbound&line=${line}`)
      expect(filtered).to.include(`href="/console/activity?line=${line}">Clear filters`)
    }
  })

  it('shows no link and no form that leads nowhere', async () => {
    const browser = await open(await makeLink())
    const line = `/console/lines/${named.line.lineId}`
    // What needs attention leads to where it is mended, which is not always a page of the line.
    await context.db('lines').where({ id: named.line.lineId }).update({ paused_at: new Date() })
    await setEndpoint(context, named.person.id, { failing: '2 minutes', failures: 4 })
    const seen = new Set<string>()
    const queue = ['/console', line, `${line}/send`, `${line}/receive`, '/console/activity']
    for (let path = queue.shift(); path !== undefined && seen.size < 60; path = queue.shift()) {
      if (seen.has(path)) continue
      seen.add(path)
      const answer = await browser.get(path)
      expect(answer.status, path).to.equal(200)
      const own = (pattern: RegExp) =>
        [...answer.text.matchAll(pattern)].map(([, found = '']) => found.replaceAll('&amp;', '&'))
      for (const href of own(/ href="(\/(?!assets)[^"#]*)/g)) queue.push(href)
      for (const action of own(/<form method="post" action="(\/[^"?#]*)/g)) {
        expect(reaches({ isPortal: true }, 'post', action), `${action} at ${path}`).to.equal(true)
        expect(action, path).not.to.match(/delete|secret|incoming-webhook|fields|block|name\/|tasks|search/)
      }
      expect(answer.text, path).not.to.match(/console\/settings|Show URL|Show secret|Rotate|Delete/)
    }
    for (const below of ['endpoints', 'messages', 'lines/[^/]+/conversations']) {
      expect(
        [...seen].some((path) => new RegExp(`^/console/${below}/`).test(path)),
        below,
      ).to.equal(true)
    }
  })

  it('opens no secret, and says why', async () => {
    const browser = await open(await makeLink())
    for (const path of [
      `/console/lines/${named.line.lineId}/send?show=webhook`,
      named.fill('/console/endpoints/:endpointId?show=secret'),
    ]) {
      const answer = await browser.get(path)
      expect(answer.status).to.equal(403)
      expect(answer.text).to.include('This requires your password').and.not.to.include('whsec_')
      expect(answer.text).not.to.include(named.line.token)
    }
  })

  const ENDS: [what: string, act: (person: Person) => Promise<unknown>][] = [
    ['the user sets a new password', async ({ id }) => setPassword(await createSetUpLink(context, id))],
    ['the user is disabled', ({ id }) => disableUser(context, id, 'stops')],
    [
      'the user becomes an operator',
      ({ id }) => context.db('users').where({ id }).update({ role: 'operator' }),
    ],
    [
      'the user loses the line',
      () => context.db('lines').where({ id: named.line.lineId }).update({ user_id: strangerId }),
    ],
    [
      'the operator who made it is disabled',
      async () => {
        await createPerson(context, { role: 'operator' })
        await disableUser(context, operator.id, 'goes_on')
      },
    ],
    [
      'the operator who made it no longer is one',
      () => context.db('users').where({ id: operator.id }).update({ role: 'user' }),
    ],
  ]
  let strangerId: string
  const setPassword = async ({ url }: { url: string }) => {
    const browser = await browse(context, web)
    const token = new URL(url).searchParams.get('token') ?? ''
    expectSentTo(
      await browser.submit('/console/set-up', { token, password: `${PASSWORD} again` }),
      '/console',
    )
  }

  for (const [what, act] of ENDS) {
    it(`stops working when ${what}, whether or not it was opened before`, async () => {
      strangerId = (await createPerson(context)).id
      const [browser, unopened] = [await open(await makeLink()), await makeLink()]
      await act(named.person)
      expect((await browser.get(`/console/lines/${named.line.lineId}`)).status).to.be.oneOf([302, 404])
      const late = await browse(context, web)
      const token = unopened.split('=')[1] ?? ''
      expect((await late.submit('/console/portal', { token })).status).to.equal(404)
    })
  }

  it('blocks clients that try invalid links, and nobody else', async () => {
    await context.redis.flushdb()
    const browser = await browse(context, web)
    for (let n = 0; n < 20; n++) expect((await browser.get('/console/portal?token=x')).status).to.equal(404)
    const refused = await browser.get('/console/portal?token=x')
    expect(refused.status).to.equal(429)
    // The first of the attempts was a moment ago, which may be seconds on a busy machine.
    expect(Number(refused.headers.get('retry-after'))).to.be.within(840, 900)
    await context.redis.flushdb()
  })

  it('can be created only by an operator’s program, and only for a user', async () => {
    const ask = async (asker: Person, body: unknown, { target = named.person.id, ...options } = {}) => {
      const { token } = await createApiToken(context, asker.id, 'an app', options)
      const path = `/v1/users/${target}/portal-links`
      return web.post(path, body, { Authorization: `Bearer ${token}` })
    }
    const made = await ask(operator, { expiresInSeconds: 60, sessionSeconds: 120 })
    expect(made.status, made.text).to.equal(200)
    const { url, expiresAt } = made.body as { url: string; expiresAt: string }
    expect(url).to.match(/^http:\/\/[^/]+\/console\/portal\?token=[\w-]{43}$/)
    expect(Date.parse(expiresAt) - Date.now()).to.be.within(50_000, 60_000)
    const row = await context.db('portal_links').where({ user_id: named.person.id }).first<object>()
    expect(row).to.deep.include({
      made_by: operator.id,
      session_seconds: 120,
      line_ids: [named.line.lineId, other.line.lineId],
    })
    expect(JSON.stringify(row)).not.to.include(url.split('=')[1])

    const foreign = await createOwner(context, { role: 'user' })
    const refusals: [Awaited<ReturnType<typeof ask>>, number, RegExp][] = [
      [await ask(named.person, {}), 403, /operator/],
      [await ask(operator, {}, { isReadOnly: true } as object), 403, /read-only/],
      [await ask(operator, {}, { target: operator.id }), 409, /This user is an operator/],
      [await ask(operator, { lineIds: [foreign.line.lineId] }), 400, /is not a line of this user/],
      [await ask(operator, { lineIds: [] }), 400, /lineIds/],
      [await ask(operator, { expiresInSeconds: 3601 }), 400, /expiresInSeconds must be/],
      [await ask(operator, { sessionSeconds: 86_401 }), 400, /sessionSeconds must be/],
      [await ask(operator, {}, { target: foreign.line.lineId }), 404, /No such user/],
    ]
    for (const [answer, status, detail] of refusals) {
      expect(answer.status, answer.text).to.equal(status)
      expect(answer.body).to.have.property('detail').that.matches(detail)
    }
  })
})
