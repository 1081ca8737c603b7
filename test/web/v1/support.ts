import { expect } from 'chai'
import { createApiToken } from '../../../src/domain/people/api-tokens.js'
import type { Context } from '../../../src/domain/context.js'
import { createTestContext } from '../../helpers/context.js'
import type { Environment } from '../../helpers/process/environment.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { closing, type Answer, type TestWeb } from '../../helpers/web/web.js'
import { serveDescribed, type DescribedWeb } from '../openapi/described.js'

/** A user's program. */
export interface Client {
  /** The header that it sends. */
  authorization: string
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  put(path: string, body?: unknown): Promise<Answer>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  delete(path: string): Promise<Answer>
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

export async function createClient(context: Context, web: DescribedWeb, userId: string): Promise<Client> {
  const { token } = await createApiToken(context, userId, 'a test')
  return clientOf(web, token)
}

export function clientOf(web: Pick<TestWeb, 'request'>, token: string): Client {
  const authorization = `Bearer ${token}`
  const ask: Client['ask'] = (method, path, body, headers = {}) =>
    web.request(path, {
      method,
      headers: { Authorization: authorization, ...headers },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    })
  return {
    authorization,
    ask,
    get: (path, headers) => ask('GET', path, undefined, headers),
    put: (path, body) => ask('PUT', path, body),
    post: (path, body, headers) => ask('POST', path, body, headers),
    delete: (path) => ask('DELETE', path),
  }
}

export interface Api {
  context: Context
  web: DescribedWeb
  close(): Promise<void>
}

export async function serveApi(environment: Environment = {}): Promise<Api> {
  const context = await createTestContext(environment)
  const web = await serveDescribed(context)
  return { context, web, close: closing({ context, web }) }
}

type LineFields = Parameters<typeof createLine>[1]

interface Owner {
  line: TestLine
  client: Client
  /** Of the line. */
  path: string
}

/** A new user with a line, and a program of theirs. */
export async function createOwner({ context, web }: Api, overrides: LineFields = {}): Promise<Owner> {
  const line = await createLine(context, overrides)
  return { line, client: await createClient(context, web, line.userId), path: `/v1/lines/${line.lineId}` }
}

/** Called in the body of a `describe`: a new owner for each of its tests; `path` is to be read in them. */
export function ownerForEachTest(api: Api, overrides: LineFields | (() => LineFields) = {}): Owner {
  const owner: Owner = { line: {} as TestLine, client: {} as Client, path: '' }
  beforeEach(async () => {
    const made = await createOwner(api, typeof overrides === 'function' ? overrides() : overrides)
    Object.assign(owner.line, made.line)
    Object.assign(owner.client, made.client)
    owner.path = made.path
  })
  return owner
}

export function expectProblem(answer: Answer, status: number, detail: RegExp): void {
  expect(answer.status, answer.text).to.equal(status)
  expect(answer.body).to.have.property('detail').that.matches(detail)
}

export function expectAnswer(answer: Answer): unknown {
  expect(answer.status, answer.text).to.equal(200)
  return answer.body
}

/** Not held against the description, which has neither forms, nor fields that are ignored, nor the other word. */
export function askPlainly(
  { web }: Api,
  { authorization }: Client,
  path: string,
  { body = null, method = body === null ? 'GET' : 'POST', headers = {} }: PlainRequest = {},
): Promise<Answer> {
  return web.requestPlainly(path, { method, headers: { Authorization: authorization, ...headers }, body })
}

interface PlainRequest {
  method?: string
  headers?: Record<string, string>
  body?: BodyInit | null
}
