import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'chai'
import type { Context } from '../../../src/domain/context.js'
import { describeApi } from '../../../src/web/openapi/document.js'
import type { Operation, PathItem } from '../../../src/web/openapi/parts.js'
import { serveApp, type Answer, type TestWeb } from '../../helpers/web/web.js'

export interface DescribedOperation {
  method: string
  /** With its parameters in braces. */
  path: string
  operation: Operation
}

export interface DescribedWeb extends TestWeb {
  operations: DescribedOperation[]
  /** As `request`, and the answer is compared with nothing. */
  requestPlainly: TestWeb['request']
  /** `operationId status` of everything that was answered. */
  seen: Set<string>
}

/**
 * The app, each answer of which is compared with what the OpenAPI document says of it: its status, its type, its
 * headers, and every field of its body. An answer of 200 to a body that the document does not allow is a fault too.
 */
export async function serveDescribed(context: Context): Promise<DescribedWeb> {
  const web = await serveApp(context)
  const { document, operations, ajv } = compiledOf(JSON.stringify(describeApi(context)))
  const seen = new Set<string>()

  const expectValid = (what: string, pointer: string, value: unknown) => {
    const validate = ajv.getSchema(`openapi#${pointer}`)
    if (validate === undefined) throw new Error(`${what}: the document has no ${pointer}`)
    expect(validate(value), `${what}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`).to.be
      .true
  }

  const check = (method: string, path: string, sent: unknown, answer: Answer) => {
    const found = operations.find((each) => each.method === method && patternOf(each.path).test(path))
    if (found === undefined) {
      expect(answer.status, `${method} ${path} is in no document`).to.be.oneOf([404, 405])
      return
    }
    const what = `${found.operation.operationId} ${answer.status}`
    seen.add(what)
    const base = `/paths/${escape(found.path)}/${method.toLowerCase()}`
    const { pointer, response } = responseOf(document, `${base}/responses/${answer.status}`)
    expect(response, `${what} is in no document`).to.be.an('object')
    for (const [name, { required }] of Object.entries((response?.headers ?? {}) as Record<string, Json>)) {
      if (required === true) expect(answer.headers.has(name), `${what} has the header ${name}`).to.be.true
    }
    const type = answer.headers.get('content-type')?.split(';')[0] ?? ''
    expect(type, what).to.be.oneOf(Object.keys(response?.content as Json))
    const body = type === 'text/csv' ? answer.text : answer.body
    expectValid(what, `${pointer}/content/${escape(type)}/schema`, body)
    if (
      answer.status === 200 &&
      typeof sent === 'string' &&
      sent !== '' &&
      found.operation.requestBody !== undefined
    ) {
      expectValid(
        `${what}, the request`,
        `${base}/requestBody/content/${escape('application/json')}/schema`,
        JSON.parse(sent),
      )
    }
  }

  const request: TestWeb['request'] = async (path, init = {}) => {
    const answer = await web.request(path, init)
    check(init.method ?? 'GET', path.replace(/\?.*/, ''), init.body, answer)
    return answer
  }
  return {
    ...web,
    operations,
    seen,
    request,
    requestPlainly: web.request,
    post: (path, body, headers = {}) =>
      request(path, {
        method: 'POST',
        headers,
        body: body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body),
      }),
  }
}

interface Compiled {
  document: Json
  operations: DescribedOperation[]
  ajv: Ajv2020
}

const compiled = new Map<string, Compiled>()

/** Most apps have the same document, and compiling a schema of it takes longer than many a request. */
function compiledOf(written: string): Compiled {
  let found = compiled.get(written)
  if (found === undefined) {
    const document = closed(JSON.parse(written) as Json)
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats.default(ajv)
    ajv.addSchema(document, 'openapi')
    found = { document, operations: operationsOf(document), ajv }
    compiled.set(written, found)
  }
  return found
}

type Json = Record<string, unknown>

export function operationsOf(document: Json): DescribedOperation[] {
  return Object.entries(document.paths as Record<string, PathItem>).flatMap(([path, item]) =>
    (['get', 'put', 'patch', 'post', 'delete'] as const).flatMap((method) => {
      const operation = item[method]
      return operation === undefined ? [] : [{ method: method.toUpperCase(), path, operation }]
    }),
  )
}

/** A field that the document does not name is a fault here; clients are to bear with new ones. */
function closed<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(closed) as T
  const isLenient = 'x-unknown-fields' in value
  const copy = Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isLenient && name === 'requestBody' ? (inner as unknown) : closed(inner as unknown),
    ]),
  )
  return ('properties' in copy && 'type' in copy ? { ...copy, additionalProperties: false } : copy) as T
}

function responseOf(document: Json, pointer: string): { pointer: string; response: Json | undefined } {
  const response = at(document, pointer)
  const reference = response?.$ref
  if (typeof reference !== 'string') return { pointer, response }
  return responseOf(document, reference.slice(1))
}

function at(document: Json, pointer: string): Json | undefined {
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<Json | undefined>((value, part) => value?.[part] as Json | undefined, document)
}

function escape(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1')
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`)
}
