import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'chai'
import {
  registerApplication,
  type RegisteredApplication,
} from '../../../src/domain/applications/applications.js'
import type { Context } from '../../../src/domain/context.js'
import { addUser } from '../../../src/domain/people/users.js'
import { createTestContext } from '../../helpers/context.js'
import type { Environment } from '../../helpers/process/environment.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { forAllTests, forEachTest } from '../../helpers/suite.js'
import { startSession } from '../../helpers/web/sessions.js'
import { freePort } from '../../../dev/services/free-port.js'
import { closing, serveApp, type Answer, type TestWeb } from '../../helpers/web/web.js'

/** Nobody listens there: the browser of these tests stops before it. */
export const REDIRECT_URI = 'https://app.example/callback'

export interface OAuthServer {
  context: Context
  web: TestWeb
  close(): Promise<void>
}

/** At the address that PUBLIC_URL names, as clients that read the metadata need it. */
export async function serveOAuth(environment: Environment = {}): Promise<OAuthServer> {
  const port = await freePort()
  const context = await createTestContext({
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    ...environment,
  })
  const web = await serveApp(context, { port })
  return { context, web, close: closing({ context, web }) }
}

export interface TestApplication {
  id: string
  clientId: string
  clientSecret: string
  application: RegisteredApplication['application']
}

/** Of a developer of its own. */
export async function createApplication(
  { context }: OAuthServer,
  overrides: Partial<Parameters<typeof registerApplication>[2]> = {},
): Promise<TestApplication> {
  const developer = await addUser(context, { email: `dev${randomBytes(6).toString('hex')}@example.com` })
  const { application, clientSecret } = await registerApplication(context, developer.id, {
    name: 'Auto reply',
    redirectUris: [REDIRECT_URI],
    ...overrides,
  })
  return { id: application.id, clientId: application.clientId, clientSecret: clientSecret ?? '', application }
}

/** A browser without a screen that keeps every cookie, with its path, and follows redirects only on our server. */
export interface Visitor {
  line: TestLine
  get(path: string): Promise<Answer>
  /** Follows redirects from an address of ours to the first page, or to the first address that is not ours. */
  follow(url: string): Promise<{ answer: Answer; url: string; hops: Answer[] }>
  post(path: string, fields: URLSearchParams | string, headers?: Record<string, string>): Promise<Answer>
  /** By name, and by path where that is not the root. */
  cookies: Map<string, { value: string; path: string }>
}

/** A user with a line, signed in. */
export async function createVisitor(
  server: OAuthServer,
  overrides: Parameters<typeof createLine>[1] = {},
): Promise<Visitor> {
  const line = await createLine(server.context, overrides)
  return visit(server, line, await startSession(server.context, line.userId))
}

export function visit({ web }: OAuthServer, line: TestLine, sessionToken?: string): Visitor {
  const cookies: Visitor['cookies'] = new Map()
  if (sessionToken !== undefined) cookies.set('__Host-linehook', { value: sessionToken, path: '/' })

  const request = async (url: string, init: RequestInit = {}): Promise<Answer> => {
    const { pathname, search } = new URL(url, web.url)
    const sent = [...cookies].filter(([, { path }]) => pathname.startsWith(path))
    const answer = await web.request(pathname + search, {
      ...init,
      headers: {
        Accept: 'text/html,application/xhtml+xml',
        Cookie: sent.map(([key, { value }]) => `${key.replace(/ .*/, '')}=${value}`).join('; '),
        ...(init.headers as Record<string, string> | undefined),
      },
    })
    for (const header of answer.headers.getSetCookie()) {
      const [pair = '', ...attributes] = header.split('; ')
      const [name = '', value = ''] = pair.split('=')
      const path = attributes.find((each) => each.startsWith('path='))?.slice(5) ?? '/'
      const key = path === '/' ? name : `${name} ${path}`
      if (value === '') cookies.delete(key)
      else cookies.set(key, { value, path })
    }
    return answer
  }

  return {
    line,
    cookies,
    get: (path) => request(path),
    post: (path, fields, headers = {}) =>
      request(path, {
        method: 'POST',
        headers: {
          'Sec-Fetch-Site': 'same-origin',
          'Content-Type': 'application/x-www-form-urlencoded',
          ...headers,
        },
        body: fields.toString(),
      }),
    follow: async (start) => {
      let url = start
      const hops: Answer[] = []
      for (;;) {
        const answer = await request(url)
        hops.push(answer)
        const location = answer.headers.get('location')
        if (location === null) return { answer, url, hops }
        url = new URL(location, web.url).href
        if (!url.startsWith(`${web.url}/`)) return { answer, url, hops }
      }
    },
  }
}

/** Fills in the consent page's form and follows it to the application's address. */
export async function decide(
  visitor: Visitor,
  page: { answer: Answer; url: string },
  choice: { decision?: string; lineIds?: string[] } = {},
): Promise<URL> {
  const { decision = 'authorize', lineIds = [visitor.line.lineId] } = choice
  const posted = await visitor.post(
    page.url,
    consentFields(page.answer, [...lineIds.map((id) => ['lineId', id]), ['decision', decision]]),
  )
  expect(posted.status, posted.text).to.equal(303)
  return new URL((await visitor.follow(posted.headers.get('location') ?? '')).url)
}

export function consentFields(page: Answer, fields: string[][]): URLSearchParams {
  const csrf = /name="csrf" value="([\w-]+)"/.exec(page.text)?.[1]
  expect(csrf, page.text).to.be.a('string')
  return new URLSearchParams([['csrf', csrf ?? ''], ...fields] as [string, string][])
}

interface Parties {
  application: TestApplication
  visitor: Visitor
}

interface PartyFields {
  application?: Parameters<typeof createApplication>[1]
  line?: Parameters<typeof createLine>[1]
}

/** Called in the body of a `describe`: an application, and a user who is signed in, for all of its tests together. */
export function partiesForAllTests(server: OAuthServer, fields: PartyFields = {}): Parties {
  return {
    application: forAllTests(() => createApplication(server, fields.application)),
    visitor: forAllTests(() => createVisitor(server, fields.line)),
  }
}

/** The same, new ones for each of its tests. */
export function partiesForEachTest(server: OAuthServer, fields: PartyFields = {}): Parties {
  return {
    application: forEachTest(() => createApplication(server, fields.application)),
    visitor: forEachTest(() => createVisitor(server, fields.line)),
  }
}

export function authorizePath(parameters: Record<string, string>, path = '/oauth/authorize'): string {
  return `${path}?${new URLSearchParams(parameters)}`
}

/** What a well-behaved client asks. */
export function asking(
  application: TestApplication,
  more: Record<string, string> = {},
): Record<string, string> {
  return {
    response_type: 'code',
    client_id: application.clientId,
    redirect_uri: REDIRECT_URI,
    scope: 'messages:write,messages:connect',
    state: 'a state',
    ...more,
  }
}

/** From the first request to the code. */
export async function getCode(
  visitor: Visitor,
  parameters: Record<string, string>,
  choice: Parameters<typeof decide>[2] = {},
): Promise<string> {
  const page = await visitor.follow(authorizePath(parameters))
  const back = await decide(visitor, page, choice)
  const code = back.searchParams.get('code')
  expect(code, back.href).to.be.a('string')
  return code ?? ''
}

export interface Tokens {
  access_token: string
  refresh_token: string
  token_type: string
  expires_in: number
  scope: string
  connected_lines: Record<string, unknown>[]
}

/** A token request as RFC 6749 has it, with the secret in the body. */
export function requestToken(
  { web }: OAuthServer,
  application: TestApplication,
  fields: Record<string, string>,
  { path = '/oauth/access', headers = {} } = {},
): Promise<Answer> {
  return web.request(path, {
    method: 'POST',
    headers,
    body: new URLSearchParams({
      client_id: application.clientId,
      ...(application.clientSecret === '' ? {} : { client_secret: application.clientSecret }),
      ...fields,
    }),
  })
}

export const exchange = (
  server: OAuthServer,
  application: TestApplication,
  code: string,
  more: Record<string, string> = {},
) => requestToken(server, application, { grant_type: 'authorization_code', code, ...more })

export const refresh = (
  server: OAuthServer,
  application: TestApplication,
  refresh_token: string,
  more: Record<string, string> = {},
) => requestToken(server, application, { grant_type: 'refresh_token', refresh_token, ...more })

export const revoke = (server: OAuthServer, application: TestApplication, token: string) =>
  requestToken(server, application, { token }, { path: '/oauth/revoke' })

export const introspect = (server: OAuthServer, application: TestApplication, token: string) =>
  requestToken(server, application, { token }, { path: '/oauth/introspect' })

export async function getTokens(
  server: OAuthServer,
  visitor: Visitor,
  application: TestApplication,
  more: Record<string, string> = {},
  choice: Parameters<typeof decide>[2] = {},
): Promise<Tokens> {
  const code = await getCode(visitor, asking(application, more), choice)
  const answer = await exchange(server, application, code, { redirect_uri: REDIRECT_URI })
  expect(answer.status, answer.text).to.equal(200)
  return answer.body as Tokens
}

/** As an application calls /v1. */
export function call(
  { web }: OAuthServer,
  token: string,
  path: string,
  init: RequestInit = {},
): Promise<Answer> {
  return web.request(path, {
    ...init,
    headers: { Authorization: `Bearer ${token}`, ...(init.headers as object) },
  })
}

export function send(
  server: OAuthServer,
  token: string,
  message: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return call(server, token, '/v1/messages', { method: 'POST', headers, body: JSON.stringify(message) })
}

export function pkce(): { verifier: string; challenge: Record<string, string> } {
  const verifier = randomBytes(32).toString('base64url')
  const code_challenge = createHash('sha256').update(verifier).digest('base64url')
  return { verifier, challenge: { code_challenge, code_challenge_method: 'S256' } }
}

export function expectOAuthError(answer: Answer, status: number, error: string): void {
  expect([answer.status, (answer.body as { error: string }).error], answer.text).to.deep.equal([
    status,
    error,
  ])
}
