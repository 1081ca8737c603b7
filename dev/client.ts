import { LINE_EVENT_TYPES, ACCOUNT_EVENT_TYPES, type EventType } from '../src/event-types.js'
import { writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { format, resolveConfig } from 'prettier'
import { readConfig } from '../src/config.js'
import { createVocabulary } from '../src/vocabulary.js'
import { describeApi } from '../src/web/openapi/document.js'
import { eventSchema } from '../src/web/openapi/event-types.js'

export const CLIENT_FILE = 'clients/typescript/src/generated.ts'

const HEAD = `// The operations and types of /openapi.json. Made by \`npm run client\`; a test compares it.
import { segment, type CallOptions, type IdempotentOptions } from './exchange.js'
`

/** The part of OpenAPI 3.1 that our document uses. */
interface Schema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  items?: Schema
  contentSchema?: Schema
  description?: string
}

interface Content {
  headers?: Record<string, unknown>
  content?: Record<string, { schema: Schema }>
}

interface Parameter {
  name: string
  in: string
  description: string
  required?: boolean
  schema: Schema
}

interface Operation extends Record<string, unknown> {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  parameters?: Parameter[]
  requestBody?: Content & { required: boolean }
  responses: Record<string, Content>
}

interface Document {
  paths: Record<string, { parameters?: Parameter[] } & Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/**
 * True for operations that answer JSON to a client with a token, and for the public keys; for OAuth there are
 * libraries.
 */
function isOfClient(path: string, { operationId, tags, responses }: Operation): boolean {
  const isAsked = path.startsWith('/v1/') && !tags.includes('OAuth')
  return (isAsked || operationId === 'getPublicKeys') && answerOf(responses) !== undefined
}

/** @returns the text of a TypeScript file */
export async function generateClient(): Promise<string> {
  const vocabulary = createVocabulary('line')
  const config = readConfig({
    // The description contains none of these, but the reader of the settings requires them.
    DATABASE_URL: 'postgres://none/none',
    REDIS_URL: 'redis://none',
    ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
  })
  const { paths, components } = JSON.parse(JSON.stringify(describeApi({ config, vocabulary }))) as Document
  const used = new Set<string>()
  const types: string[] = []
  const methods = Object.entries(paths).flatMap(([path, { parameters = [], ...operations }]) =>
    Object.entries(operations)
      .filter(([, operation]) => isOfClient(path, operation))
      .map(([method, operation]) => methodOf(method.toUpperCase(), path, parameters, operation)),
  )
  const declareEvent = (type: EventType) => {
    const schema = eventSchema(type, { publicUrl: config.publicUrl, vocabulary }) as Schema
    const called = type.split(/\W|_/).map(capital).join('')
    types.push(declare(`${called}Event`, schema))
    const payload = schema.properties?.payload?.contentSchema
    if (payload !== undefined) types.push(declare(`${called}Payload`, payload))
    return { name: `${called}Event`, fields: schema.required ?? [] }
  }
  const events = LINE_EVENT_TYPES.map(declareEvent)
  const operational = ACCOUNT_EVENT_TYPES.map(declareEvent)
  const union = `/** What is posted to the outgoing webhook URL; \`type\` says which. */
    export type WebhookEvent = ${events.map(({ name }) => name).join(' | ')}

    /** What is posted to an operational webhook. */
    export type OperationalEvent = ${operational.map(({ name }) => name).join(' | ')}

    export const EVENT_FIELDS = ${JSON.stringify(events[0]?.fields)} as const`
  const schemas: string[] = []
  // Iterating over a set includes the items that are added meanwhile.
  for (const name of used) schemas.push(declare(name, components.schemas[name] ?? {}))
  const operations = `export interface Parts {
      query?: object | undefined
      body?: unknown
    }

    export abstract class Operations {
      protected abstract call<T>(method: string, path: string, parts: Parts, options?: IdempotentOptions): Promise<T>
      protected abstract iterate<T>(path: string, query: object | undefined, options?: CallOptions): AsyncGenerator<T, void, undefined>

      ${methods.join('\n\n')}
    }`
  const text = [HEAD, operations, union, ...types, ...schemas.sort()].join('\n\n')
  return format(text, { ...(await resolveConfig(CLIENT_FILE)), parser: 'typescript' })

  function methodOf(
    method: string,
    path: string,
    shared: readonly Parameter[],
    operation: Operation,
  ): string {
    const { operationId, summary, description, requestBody, responses } = operation
    const parameters = [...shared, ...(operation.parameters ?? [])]
    const inPath = parameters.filter((each) => each.in === 'path')
    const body = requestBody?.content?.['application/json']?.schema
    // A parameter that is also accepted in the body goes into the body.
    const inQuery = parameters.filter(
      (each) => each.in === 'query' && body?.properties?.[each.name] === undefined,
    )
    const isIdempotent = parameters.some(({ name }) => name === 'Idempotency-Key')
    const answer = answerOf(responses)
    const isPaged = answer?.headers?.Link !== undefined

    const given = inPath.map(({ name }) => `${name}: string`)
    const parts: string[] = []
    if (body !== undefined) {
      types.push(declare(`${capital(operationId)}Body`, body))
      given.push(`body${requestBody?.required === true ? '' : '?'}: ${capital(operationId)}Body`)
      parts.push('body')
    }
    if (inQuery.length > 0) {
      types.push(declare(`${capital(operationId)}Query`, queryOf(inQuery)))
      given.push(`query?: ${capital(operationId)}Query`)
      parts.push('query')
    }
    given.push(`options?: ${isIdempotent ? 'IdempotentOptions' : 'CallOptions'}`)

    const schema = answer?.content?.['application/json']?.schema ?? {}
    const url = `\`${path.replace(/\{(\w+)\}/g, '${segment($1)}')}\``
    const single = `${comment(summary, description)}
      async ${operationId}(${given.join(', ')}): Promise<${typeOf(schema)}> {
        return this.call('${method}', ${url}, {${parts.join(', ')}}, options)
      }`
    if (!isPaged) return single
    return `${single}

      ${comment(summary, 'All of them, read page by page.')}
      ${operationId.replace(/^list/, 'iterate')}(${given.join(', ')}): AsyncGenerator<${typeOf(schema.items ?? {})}, void, undefined> {
        return this.iterate(${url}, query, options)
      }`
  }

  function declare(name: string, schema: Schema): string {
    return `${comment(schema.description)}
      export ${schema.properties === undefined ? `type ${name} =` : `interface ${name}`} ${typeOf(schema)}`
  }

  function typeOf(schema: Schema): string {
    const all = new Set(membersOf(schema))
    // A literal text adds nothing to `string`.
    return [...all].filter((each) => !(all.has('string') && each.startsWith('"'))).join(' | ')
  }

  /** @returns the types that it may have */
  function membersOf(schema: Schema): string[] {
    const {
      $ref,
      type,
      anyOf,
      oneOf = anyOf,
      properties,
      required = [],
      additionalProperties,
      items,
    } = schema
    if ($ref !== undefined) {
      const name = $ref.replace('#/components/schemas/', '')
      used.add(name)
      return [name]
    }
    if ('const' in schema) return [JSON.stringify(schema.const)]
    if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value))
    if (Array.isArray(type)) return type.flatMap((each) => membersOf({ ...schema, type: each }))
    if (properties !== undefined) {
      const fields = Object.entries(properties).map(([name, field]) => {
        const mark = required.includes(name) ? '' : '?'
        return `${comment(field.description)} ${name}${mark}: ${typeOf(field)}${mark && ' | undefined'}`
      })
      return [`{\n${fields.join('\n')}\n}`]
    }
    if (oneOf !== undefined) return oneOf.flatMap(membersOf)
    if (type === 'array') return [`(${typeOf(items ?? {})})[]`]
    if (type === 'object')
      return [
        typeof additionalProperties === 'object'
          ? `Record<string, ${typeOf(additionalProperties)}>`
          : 'object',
      ]
    return [type === 'integer' ? 'number' : (type ?? 'unknown')]
  }
}

function answerOf(responses: Record<string, Content>): Content | undefined {
  const answer = responses['200']
  return answer?.content?.['application/json'] && answer
}

function queryOf(parameters: readonly Parameter[]): Schema {
  return {
    properties: Object.fromEntries(
      parameters.map(({ name, description, schema }) => [name, { ...schema, description }]),
    ),
    required: parameters.flatMap(({ name, required }) => (required === true ? [name] : [])),
  }
}

function comment(...sentences: readonly (string | undefined)[]): string {
  const text = sentences.filter((each) => each !== undefined).join('. ')
  return text === '' ? '' : `/** ${text.replaceAll('*/', '*\\/')} */`
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** `npm run client` regenerates the generated part of the TypeScript client. */
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(CLIENT_FILE, await generateClient())
