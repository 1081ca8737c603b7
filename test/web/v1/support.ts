import { expect } from 'chai'
import { createApiToken } from '../../../src/domain/people/api-tokens.js'
import type { Context } from '../../../src/domain/context.js'
import { createTestContext } from '../../helpers/context.js'
import type { Environment } from '../../helpers/process/environment.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import type { Answer, TestWeb } from '../../helpers/web/web.js'
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
  return {
    context,
    web,
    close: async () => {
      await web.close()
      await context.close()
    },
  }
}

/** A new user with a line, and a program of theirs. */
export async function createOwner(
  { context, web }: Api,
  overrides: Parameters<typeof createLine>[1] = {},
): Promise<{ line: TestLine; client: Client; path: string }> {
  const line = await createLine(context, overrides)
  return { line, client: await createClient(context, web, line.userId), path: `/v1/lines/${line.lineId}` }
}

export function expectProblem(answer: Answer, status: number, detail: RegExp): void {
  expect(answer.status, answer.text).to.equal(status)
  expect(answer.body).to.have.property('detail').that.matches(detail)
}

export function expectAnswer(answer: Answer): unknown {
  expect(answer.status, answer.text).to.equal(200)
  return answer.body
}

/** Not held against the description, which has neither fields that are ignored nor the other word. @returns the status */
export async function postPlainly(
  api: Api,
  { authorization }: Client,
  path: string,
  body: BodyInit,
): Promise<number> {
  const headers = { Authorization: authorization }
  const answer = await fetch(api.web.url + path, { method: 'POST', headers, body })
  await answer.body?.cancel()
  return answer.status
}
