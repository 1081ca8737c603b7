import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { forAllTests } from '../../../helpers/suite.js'
import { browse, type BrowserSession } from '../../../helpers/web/browser-session.js'
import { describeWeb, type Answer } from '../../../helpers/web/web.js'
import {
  allRows,
  consoleRoutes,
  createOwner,
  expectFault,
  expectPage,
  type Owner,
  isMultipart,
  isOpen,
} from '../support.js'

/** Enough for every form to do its work, if it were believed. */
const FIELDS = {
  email: 'eve@example.com',
  name: 'Changed',
  role: 'operator',
  password: 'correct horse battery',
  currentPassword: 'correct horse battery',
  newPassword: 'another long password',
  number: '+15551239876',
  carrier: 'simulator',
  url: 'http://127.0.0.1:9/changed',
  outgoingWebhookUrl: 'http://127.0.0.1:9/changed',
  text: 'Hello',
  next: '/console',
}

describeWeb('a form of the console', ({ context, web }) => {
  const owner = forAllTests(() => createOwner(context))
  const browser = forAllTests(() => browse(context, web, owner.person.id))
  let csrf: string
  let csrfOfAnother: string

  before(async () => {
    csrf = await tokenOf(browser)
    // What other tests send.
    expect(csrf).to.equal(browser.token())
    csrfOfAnother = await tokenOf(await browse(context, web, owner.person.id))
  })

  async function tokenOf(of: BrowserSession): Promise<string> {
    return /name="csrf" value="([\w-]+)"/.exec((await of.get('/console/settings')).text)![1]!
  }

  interface Sent {
    path: string
    /** Besides those that every form is sent, which come after them; as in a query. */
    fields?: string
    /** What the browser says about where the form is. */
    site?: string
    origin?: string
    cookie?: string
  }

  /** As a browser would send the form that is at this path. */
  function send({
    path,
    fields = '',
    site = 'same-origin',
    origin,
    cookie = browser.cookie(),
  }: Sent): Promise<Answer> {
    const { lineId } = owner.line
    const body = isMultipart(path) ? new FormData() : new URLSearchParams()
    const sent = isMultipart(path) ? { lineId, text: 'Hello' } : { ...FIELDS, lineId }
    for (const [name, value] of [...new URLSearchParams(fields), ...Object.entries(sent)]) {
      body.append(name, value)
    }
    const headers: Record<string, string> = { 'Sec-Fetch-Site': site, Cookie: cookie }
    if (origin !== undefined) headers.Origin = origin
    return sendBody(path, body, headers)
  }

  function sendBody(
    path: string,
    body: RequestInit['body'],
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const standard = { Accept: 'text/html', 'Sec-Fetch-Site': 'same-origin', Cookie: browser.cookie() }
    return web.request(path, { method: 'POST', headers: { ...standard, ...headers }, body: body ?? null })
  }

  let paths: string[]
  /** One form of each kind: what is read in the same way for all of a kind is tried on these. */
  let examples: string[]

  before(() => {
    paths = consoleRoutes(context)
      .filter(({ method }) => method === 'POST')
      .map(({ path }) => path)
    examples = [
      paths.find(isMultipart)!,
      paths.find(isOpen)!,
      paths.find((path) => !isMultipart(path) && !isOpen(path))!,
    ]
  })

  it('is refused, without changes, unless it comes from our own page in this browser', async function () {
    // Some requests for each form that there is.
    this.timeout(300_000)
    const before = await allRows(context)
    expect(paths).to.have.length.at.least(80)
    for (const each of paths) {
      const path = owner.fill(each)
      const fields = `csrf=${csrf}`
      // The page of a visitor's form may be gone, or lead on someone who is signed in.
      const another = await send({ path, fields: `csrf=${csrfOfAnother}` })
      expect(another.status, path).to.be.oneOf(isOpen(path) ? [303, 403, 404] : [403])
      expect(another.headers.getSetCookie(), path).to.deep.equal([])
      const refused: [how: string, answer: Promise<Answer>, status: number][] = [
        ['no token', send({ path }), 403],
        ['another site', send({ path, fields, site: 'cross-site' }), 403],
        ['no cookie', send({ path, fields, cookie: '' }), isOpen(path) ? 403 : 401],
      ]
      if (examples.includes(each))
        refused.push(
          ['an empty token', send({ path, fields: 'csrf=' }), 403],
          ['the cookie as the token', send({ path, fields: `csrf=${browser.cookie()}` }), 403],
          ['several tokens', send({ path, fields: `${fields}&${fields}` }), 403],
          ['a token in a list', send({ path, fields: `csrf[]=${csrf}` }), isMultipart(path) ? 400 : 403],
          ['a token in the query', send({ path: `${path}?${fields}` }), 403],
          ['a neighbour', send({ path, fields, site: 'same-site' }), 403],
          ['no site', send({ path, fields, site: 'none' }), 403],
          ['another origin', send({ path, fields, site: '', origin: 'https://evil.example' }), 403],
        )
      for (const [how, answer, status] of refused) {
        expect((await answer).status, `${how}: ${path}`).to.equal(status)
        expectPage(await answer, (await answer).status)
        expect((await answer).headers.getSetCookie(), `${how}: ${path}`).to.deep.equal([])
      }
    }
    expect(await allRows(context)).to.deep.equal(before)
  })

  it('keeps the input if another tab has signed in or confirmed the password meanwhile', async () => {
    const { lineId } = owner.line
    const typed = { csrf: csrfOfAnother, to: '+15005550188', text: 'Half a text' }
    const answer = await sendBody(`/console/lines/${lineId}/messages`, new URLSearchParams(typed))
    expectFault(answer, 403, /^This page was out of date, because you signed in or confirmed your password/)
    expect(answer.text).to.include('value="+15005550188"').and.to.include('Half a text</textarea>')
    expect(answer.text).to.include(`name="csrf" value="${csrf}"`)
    expect(await context.db('messages').where({ to_number: '+15005550188' })).to.be.empty
  })

  it('is refused in another form: JSON, text, compressed, too large', async () => {
    const before = await allRows(context)
    for (const path of examples.map(owner.fill)) {
      const written = new URLSearchParams({ csrf, ...FIELDS }).toString()
      const type = 'application/x-www-form-urlencoded'
      const other = new FormData()
      other.append('csrf', csrf)
      const answers: [how: string, answer: Promise<Answer>][] = [
        ['JSON', sendBody(path, JSON.stringify({ csrf, ...FIELDS }), { 'Content-Type': 'application/json' })],
        ['text', sendBody(path, written, { 'Content-Type': 'text/plain' })],
        ['no type', sendBody(path, Buffer.from(written))],
        [
          'the other type',
          isMultipart(path) ? sendBody(path, written, { 'Content-Type': type }) : sendBody(path, other),
        ],
        [
          'compressed',
          sendBody(path, gzipSync(written), { 'Content-Type': type, 'Content-Encoding': 'gzip' }),
        ],
        ['no body', sendBody(path, null)],
        ['no boundary', sendBody(path, written, { 'Content-Type': 'multipart/form-data' })],
      ]
      for (const [how, answer] of answers) {
        expect((await answer).status, `${how}: ${path}`).to.be.oneOf([400, 415])
        expectPage(await answer, (await answer).status)
      }
      const large = await send({ path, fields: `name=${'x'.repeat(66_000)}&csrf=${csrf}` })
      expect(large.status, `too large: ${path}`).to.be.oneOf([403, 413])
    }
    expect(await allRows(context)).to.deep.equal(before)
  })

  it('of our own gets a response, whatever is in its fields', async () => {
    const names = [
      ...Object.keys(FIELDS),
      'lineId',
      'token',
      'countries',
      'perNumber',
      'perMinute',
      'overlapSeconds',
    ]
    const fieldsOf = (value: string) => names.map((name) => `${name}=${value}`).join('&')
    const bodies: [what: string, body: string][] = [
      ['nothing', ''],
      ['lists', names.map((name) => `${name}[]=1&${name}[]=2&${name}=3`).join('&')],
      ['NUL', names.map((name, n) => `${name}=${n % 2 === 0 ? '%00' : 'a%00b'}`).join('&')],
      ['long text', fieldsOf('%F0%9F%98%80'.repeat(250))],
    ]
    /** What never comes as far as a form, so that one form of each kind is enough. */
    const unreadable: typeof bodies = [
      ['names of Object', '__proto__=1&__proto__[x]=1&constructor[prototype]=1&toString=1&hasOwnProperty=1'],
      ['objects', names.map((name) => `${name}[a][b]=1&${name}[__proto__][c]=2`).join('&')],
      ['a lone surrogate', fieldsOf('%ED%A0%80')],
      ['no UTF-8', fieldsOf('%FF%FE%')],
      ['deep names', `a${'[b]'.repeat(2000)}=1`],
      ['many fields', Array.from({ length: 5000 }, (_, n) => `f${n}=`).join('&')],
    ]
    let somebody: Owner | undefined
    for (const path of paths) {
      // What a form has done to one of their things would keep the next form from it.
      const { person, fill } = (somebody ??= await createOwner(context))
      const filled = fill(path)
      let own = await browse(context, web, person.id)
      for (const [what, body] of examples.includes(path) ? [...bodies, ...unreadable] : bodies) {
        const answer = isMultipart(path)
          ? await own.submitMultipart(filled, Object.fromEntries(new URLSearchParams(body)))
          : await own.post(filled, `csrf=${own.token()}&${body}`, { 'Sec-Fetch-Site': 'same-origin' })
        expect(answer.status, `${what}: ${path}: ${answer.text}`).to.be.within(200, 499).and.not.equal(403)
        expect(answer.text, `${what}: ${path}`).not.to.match(/node_modules|\n\s+at /)
        // What it has done may have ended the session.
        if (![400, 404, 409].includes(answer.status)) {
          own = await browse(context, web, person.id)
          somebody = undefined
        }
      }
    }
    expect(({} as Record<string, unknown>).x).to.equal(undefined)
  }).timeout(300_000)

  it('for programs at the simulator is refused when another site’s page sends it', async () => {
    const before = await allRows(context)
    const inbound = { fromNumber: '+15005550177', toNumber: owner.line.number, text: 'Hi' }
    for (const site of ['cross-site', 'same-site']) {
      const answer = await web.post('/simulator/inbound', inbound, {
        'Content-Type': 'text/plain',
        'Sec-Fetch-Site': site,
      })
      expect(answer.status).to.equal(403)
    }
    expect(await allRows(context)).to.deep.equal(before)
    expect((await web.post('/simulator/inbound', inbound)).status).to.equal(200)
  })
})
