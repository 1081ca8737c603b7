import { expect } from 'chai'
import { createApiToken } from '../../../src/domain/people/api-tokens.js'
import { routesOf, type Route } from '../../helpers/web/routes.js'
import { formTokenOf, startSession } from '../../helpers/web/sessions.js'
import { describeWith } from '../../helpers/suite.js'
import { postSigned } from '../../carriers/twilio/callbacks.js'
import { addTwilio } from '../carrier-callbacks/support.js'
import { createOwner, type Owner } from '../console/support.js'
import { createApplication, createVisitor, getTokens, serveOAuth } from '../oauth/support.js'

/** What every plain object seems to have a value for: a function, a class, and what it inherits from. */
const NAMES = ['toString', 'constructor', '__proto__']
/** Where each takes a request of its own: `constructor` is inherited like `toString`. */
const WORDS = ['toString', '__proto__']

/** Parameters and fields of ours, many of which take one of a few words. */
const FIELDS = (
  'after before carrier client_id client_secret code code_challenge code_challenge_method connection data ' +
  'decision declinedEvents description direction done email enabled events from fromNumber grant_type handlesOptOut headers id intent kind ' +
  'lineId line line_id limit mediaUrl messageId name next number number optInEvents overlapSeconds ' +
  'outgoingWebhookUrl perMinute perNumber phone phoneNumber redirect_uri redirectUris refresh_token ' +
  'removedHeaders response_type retrySchedule role scope secretHeaders setUp shape show signature state status template text toNumber token token_type_hint type until url userId ' +
  'webhookUrl website'
).split(' ')

const PASSWORD = 'correct horse battery'

const serve = () => serveOAuth({ QUEUES_PASSWORD: PASSWORD })

describeWith('the names that every object has', serve, (server) => {
  let owner: Owner
  let twilioId: string
  let apiToken: string
  let applicationToken: string
  let clientBasic: string

  before(async () => {
    const { context } = server
    owner = await createOwner(context)
    twilioId = (await addTwilio(context, 'twilio')).id
    apiToken = (await createApiToken(context, owner.person.id, 'a test')).token
    const application = await createApplication(server)
    clientBasic = basic(application.clientId, application.clientSecret)
    const tokens = await getTokens(server, await createVisitor(server), application)
    applicationToken = tokens.access_token
  })

  const basic = (name: string, password: string) =>
    `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

  /** Who may ask a route, most of all the first. A session is for one request: the request may end it. */
  async function askersOf({ path }: Route): Promise<Record<string, string>[]> {
    if (path === '/oauth/consent/:uid') return [await sessionHeaders()]
    if (/^(\/v1)?\/oauth\//.test(path)) return [{ Authorization: clientBasic }, {}]
    if (path.startsWith('/v1/')) {
      return [{ Authorization: `Bearer ${apiToken}` }, { Authorization: `Bearer ${applicationToken}` }]
    }
    if (path.startsWith('/queues')) {
      return [await sessionHeaders(), { Authorization: basic('operator', PASSWORD) }]
    }
    return /^\/(console|simulator)/.test(path) ? [await sessionHeaders(), {}] : [{}]
  }

  async function sessionHeaders(): Promise<Record<string, string>> {
    const token = await startSession(server.context, owner.person.id)
    return {
      Cookie: `__Host-linehook=${token}`,
      Accept: 'text/html',
      'Sec-Fetch-Site': 'same-origin',
      // For the body; no header of HTTP.
      csrf: formTokenOf(token),
    }
  }

  function fill(path: string): string {
    if (path.startsWith('/carriers/')) {
      return path.replace(':kind', 'twilio').replace(':accountId', twilioId).replace(':name', 'message')
    }
    return owner.fill(
      path
        .replace('{/*path}', '/api/queues')
        .replace(':hash/:name', 'hash/icon.svg')
        .replace(/(?<=(?:media|uploads)\/):token/, 'token')
        .replace(':uid', 'uid')
        .replace(':type', 'inboundText'),
    )
  }

  /** A console's form and a request without a body are read in one form only. */
  const takesJson = ({ method, path }: Route) =>
    method !== 'GET' && method !== 'DELETE' && !/^\/(console|simulator\/phones\/)/.test(path)

  /** With the fields in the query, and in the body in every form in which one is read. */
  async function ask(route: Route, target: string, fields: Record<string, string>): Promise<void> {
    const { path } = route
    const query = new URLSearchParams(fields)
    if (path.startsWith('/webhooks/')) query.set('token', owner.line.token)
    const url = `${target}?${query}`
    if (path.startsWith('/carriers/')) await expectSignedAnswer(url, fields)
    const askers = await askersOf(route)
    for (const asker of Object.keys(fields).every((name) => NAMES.includes(name))
      ? askers
      : askers.slice(0, 1)) {
      await askAs(asker, route, url, fields)
    }
  }

  async function askAs(
    { csrf, ...headers }: Record<string, string>,
    { method, path }: Route,
    url: string,
    fields: Record<string, string>,
  ): Promise<void> {
    const what = `${method} ${url} as ${headers.Authorization ?? headers.Cookie ?? 'nobody'}`
    if (method === 'GET' || method === 'DELETE') return expectAnswer(what, url, { method, headers })
    const own = Object.entries({ ...(csrf === undefined ? {} : { csrf }), ...fields })
    if (path.startsWith('/simulator/phones/')) {
      const form = new FormData()
      for (const [name, value] of own) form.append(name, value)
      return expectAnswer(what, url, { method, headers, body: form })
    }
    if (takesJson({ method, path })) {
      await expectAnswer(what, url, { method, headers, body: JSON.stringify(Object.fromEntries(own)) })
    }
    await expectAnswer(what, url, { method, headers, body: new URLSearchParams(own) })
  }

  async function expectAnswer(what: string, url: string, init: RequestInit): Promise<void> {
    const ended = new AbortController()
    const answer = await fetch(server.web.url + url, { redirect: 'manual', signal: ended.signal, ...init })
    // A page's live stream would go on.
    const isStream = /^text\/event-stream/.test(answer.headers.get('content-type') ?? '')
    const text = isStream ? '' : await answer.text()
    ended.abort()
    if (answer.status >= 500) failures.push(`${answer.status} ${what}: ${text.slice(0, 200)}`)
  }

  async function expectSignedAnswer(url: string, fields: Record<string, string>): Promise<void> {
    const { response, text } = await postSigned(server.context.config.publicUrl + url, fields)
    if (response.status >= 500) failures.push(`${response.status} signed ${url}: ${text.slice(0, 200)}`)
  }

  let failures: string[]

  beforeEach(() => {
    failures = []
  })

  it('are no names of parameters or fields, at any route', async () => {
    // JSON with __proto__ is refused before anything looks at the rest.
    const others = NAMES.filter((name) => name !== '__proto__')
    for (const route of routesOf(server.context)) {
      for (const names of takesJson(route) ? [NAMES, others] : [NAMES]) {
        await ask(route, fill(route.path), Object.fromEntries(names.map((name) => [name, name])))
      }
    }
    expect(failures).to.deep.equal([])
  }).timeout(300_000)

  it('are no words that a parameter or field may have, at any route', async () => {
    for (const route of routesOf(server.context)) {
      for (const word of WORDS) {
        await ask(route, fill(route.path), Object.fromEntries(FIELDS.map((name) => [name, word])))
      }
    }
    expect(failures).to.deep.equal([])
  }).timeout(300_000)

  it('are no words of any path', async () => {
    const isNamed = ({ path }: Route) => /[:*]/.test(path)
    for (const route of routesOf(server.context).filter(isNamed)) {
      for (const word of WORDS) await ask(route, route.path.replace(/:\w+|\{\/\*path\}/g, `/${word}`), {})
    }
    expect(failures).to.deep.equal([])
  }).timeout(300_000)
})
