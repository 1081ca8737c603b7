import type { Context } from '../../domain/context.js'
import type { Access } from '../middleware/token-scope.js'
import { OPERATIONS } from '../api/operations.js'
import { describeApi } from '../openapi/document.js'
import type { Answer, Parameter, Schema } from '../openapi/parts.js'
import { inProductWord } from '../openapi/product-word.js'

/** What the pages of the reference show: the OpenAPI document of this installation, by group. */
export interface Reference {
  /** Without a slash at the end. */
  baseUrl: string
  about: string
  groups: readonly Group[]
  schemas: ReadonlyMap<string, Schema>
  /** The errors that most operations share, by status. */
  errors: ReadonlyMap<string, string>
  tokens: string
  scopes: readonly (readonly [scope: string, sentence: string])[]
}

export interface Group {
  name: string
  path: string
  about: string
  operations: readonly ShownOperation[]
}

export interface ShownOperation {
  id: string
  method: string
  /** Undefined for an event, which is posted to the reader's own URL. */
  path: string | undefined
  summary: string
  description: string
  needsToken: boolean
  mayUse: string
  parameters: readonly Parameter[]
  /** All bodies are JSON. */
  body: Schema | undefined
  responses: readonly ShownResponse[]
  /** The statuses of shared errors. */
  errors: readonly string[]
}

export interface ShownResponse extends Partial<Pick<Answer, 'headers'>> {
  status: string
  description: string
  types: readonly string[]
  schema: Schema | undefined
}

interface Described {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  security?: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { content: { 'application/json': { schema: Schema } } }
  responses: Record<string, Partial<Answer> & { $ref?: string }>
}

type Item = Record<string, Described> & { parameters?: Parameter[] }

const OBJECTS = '/docs/objects'

export function readReference(context: Pick<Context, 'config' | 'vocabulary'>): Reference {
  const document = describeApi(context)
  const { schemas, responses, securitySchemes } = document.components
  const access = accessOf(context)
  const operations = [
    ...Object.entries(document.paths).flatMap(([path, item]) =>
      operationsIn(path, item as unknown as Item, access),
    ),
    ...Object.values(document.webhooks).flatMap((item) =>
      operationsIn(undefined, item as unknown as Item, access),
    ),
  ]
  const problems = responses as Record<string, { description: string }>
  const shared = Object.values(document.paths)
    .flatMap((item) => Object.values(item as unknown as Item))
    .flatMap((each) => Object.entries((each as Partial<Described>).responses ?? {}))
    .flatMap(([status, { $ref = '' }]): [string, string][] => {
      const problem = problems[$ref.split('/').at(-1) ?? '']
      return problem === undefined ? [] : [[status, problem.description]]
    })
  return {
    baseUrl: context.config.publicUrl,
    about: document.info.description,
    groups: document.tags
      .map(({ name, description }) => ({
        name,
        path: `/docs/${slugOf(name)}`,
        about: description,
        operations: operations.filter(({ tag }) => tag === name).map(({ shown }) => shown),
      }))
      .filter((group) => group.operations.length > 0),
    schemas: new Map(Object.entries(schemas)),
    errors: new Map(shared.toSorted(([one], [other]) => Number(one) - Number(other))),
    tokens: securitySchemes.apiToken.description,
    scopes: Object.entries(securitySchemes.application.flows.authorizationCode.scopes),
  }
}

/** The page of a group, by its name. No group has the name of another page. */
function slugOf(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-')
}

export function schemaPath(name: string): string {
  return `${OBJECTS}#${name}`
}

export function tryPath({ id }: ShownOperation): string {
  return `/docs/try/${id}`
}

/**
 * False for an event, which the reader's server receives, and for the page that asks a user, which is not a response to
 * a program.
 */
export function isTryable({ path, responses }: ShownOperation): boolean {
  return path !== undefined && responses.every(({ status }) => status !== '303')
}

function operationsIn(path: string | undefined, item: Item, access: ReadonlyMap<string, string>) {
  const { parameters: common = [], ...byMethod } = item
  return Object.entries(byMethod as Record<string, Described>).map(([method, described]) => {
    const { operationId, tags, summary, description = '', parameters = [], requestBody } = described
    const responses = Object.entries(described.responses)
    const shown: ShownOperation = {
      ...{ id: operationId, method: method.toUpperCase(), path, summary, description },
      needsToken: described.security?.length !== 0,
      mayUse: path === undefined ? '' : mayUse(described, access),
      parameters: [...common, ...parameters],
      body: requestBody?.content['application/json'].schema,
      responses: responses
        .filter(([, { $ref }]) => $ref === undefined)
        .map(([status, { description: about = '', headers, content = {} }]) => ({
          ...{ status, description: about, ...(headers === undefined ? {} : { headers }) },
          ...{ types: Object.keys(content), schema: Object.values(content)[0]?.schema },
        })),
      errors: responses.filter(([, { $ref }]) => $ref !== undefined).map(([status]) => status),
    }
    return { tag: tags[0], shown }
  })
}

const TOKENS: Record<Access, string> = {
  'reads lines': 'Any API token',
  'changes lines': 'An API token that is not read-only',
  'reveals lines': 'An API token that is not read-only',
  'reads account': 'An API token for all {lines}',
  'changes account': 'An API token that is for all {lines} and not read-only',
  'reveals account': 'An API token that is for all {lines} and not read-only',
}

/** Says which API token may call an operation, by its id. The document says only that it needs one. */
function accessOf({ vocabulary }: Pick<Context, 'vocabulary'>): ReadonlyMap<string, string> {
  const words = OPERATIONS.map(({ operationId, may, isForOperators }): [string, string] => [
    operationId,
    isForOperators === true ? "An operator's API token" : TOKENS[may],
  ])
  return new Map(inProductWord(words, vocabulary))
}

/** An operation with more scopes than this accepts all of them. */
const FEW_SCOPES = 3

function mayUse({ operationId, security }: Described, access: ReadonlyMap<string, string>): string {
  if (security?.length === 0) return 'No API token needed'
  const scopes = (security ?? []).flatMap(({ application = [] }) => application)
  const tokens = access.get(operationId) ?? 'Any API token'
  if (scopes.length === 0) return tokens
  if (scopes.length > FEW_SCOPES) return `${tokens}, or an app with any scope`
  return `${tokens}, or an app with ${scopes.map((scope) => `\`${scope}\``).join(' or ')}`
}
