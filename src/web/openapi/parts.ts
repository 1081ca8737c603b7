import type { Fields, JsonSchema } from '../../shape.js'
import type { ProductNames } from './product-names.js'

/** The few shapes of OpenAPI 3.1 that the document is put together from. */
export type Schema = JsonSchema

export interface Operation {
  operationId: string
  tags: string[]
  summary: string
  responses: Record<string, unknown>
  [field: string]: unknown
}

/** By path, then by method. */
export type Paths = Record<string, PathItem>

export type PathItem = { parameters?: object[] } & Partial<
  Record<'get' | 'put' | 'post' | 'delete', Operation>
>

export const text: Schema = { type: 'string' }
export const maybeText: Schema = { type: ['string', 'null'] }
export const flag: Schema = { type: 'boolean' }
export const count: Schema = { type: 'integer', minimum: 0 }
export const id: Schema = { type: 'string', format: 'uuid' }
export const moment: Schema = { type: 'string', format: 'date-time' }
export const maybeMoment: Schema = { type: ['string', 'null'], format: 'date-time' }
export const url: Schema = { type: 'string', format: 'uri' }
export const maybeUrl: Schema = { type: ['string', 'null'], format: 'uri' }
/** As somebody gives one, null or empty for none. */
export const givenUrl: Schema = { type: 'string', format: 'uri', pattern: '^https?://', maxLength: 2048 }
export const maybeGivenUrl: Schema = { anyOf: [givenUrl, { type: 'null' }, { const: '' }] }
/** What people call a thing: not blank. */
export const name: Schema = { type: 'string', minLength: 1, maxLength: 100, pattern: '\\S' }
/** Of a line. */
export const e164: Schema = { type: 'string', pattern: '^\\+[1-9][0-9]{1,14}$', examples: ['+15551234567'] }
/** Not only digits: who is at the other end may be a short code, or a name. */
export const number: Schema = { type: 'string', examples: ['+15551234567'] }
/** To send to. */
export const givenNumber: Schema = {
  type: 'string',
  minLength: 2,
  maxLength: 64,
  description: "Best in E.164; one as people write it in the sender's own country is read, too.",
  examples: ['+15551234567'],
}

export function oneOf(...words: readonly string[]): Schema {
  return { type: 'string', enum: words }
}

export function describe(schema: Schema, description: string): Schema {
  return { ...schema, description }
}

/** Every field is always there, except those that are named as optional. */
export function object(properties: Record<string, Schema>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) }
}

/** What the API shows of a noun, each field with what is said about it. */
export function shownOf(fields: Fields, { vocabulary, line, lines }: ProductNames): Record<string, Schema> {
  const schemas = Object.entries(fields).flatMap(([name, { kind, isShown, about }]) =>
    isShown
      ? [[name, about === undefined ? kind.schema : describe(kind.schema, inWords(about))] as const]
      : [],
  )
  return vocabulary.fields(Object.fromEntries(schemas)) as Record<string, Schema>

  function inWords(sentence: string): string {
    return sentence.replaceAll('{line}', line).replaceAll('{lines}', lines)
  }
}

export function maybe(schema: Schema): Schema {
  return { anyOf: [schema, { type: 'null' }] }
}

/** Of what can be paused. */
export function pauseFields(since: string): Record<string, Schema> {
  return {
    pausedAt: describe(maybeMoment, since),
    pausedBy: describe(
      { enum: ['owner', 'operator', null] },
      'What an `operator` paused only operators resume.',
    ),
  }
}

export function listOf(items: Schema): Schema {
  return { type: 'array', items }
}

export function schemaOf(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

export function answers(description: string, schema: Schema, headers?: Record<string, unknown>) {
  return { description, ...(headers ? { headers } : {}), content: { 'application/json': { schema } } }
}

export function body(schema: Schema, { isOptional = false } = {}) {
  return { required: !isOptional, content: { 'application/json': { schema } } }
}

/** JSON or a form's fields. */
export function fieldsBody(schema: Schema) {
  return {
    required: true,
    content: { 'application/json': { schema }, 'application/x-www-form-urlencoded': { schema } },
  }
}

export function inPath(name: string, description: string) {
  return { name, in: 'path', required: true, description, schema: id }
}

/** Without a value it was not given: forms send all of theirs. */
export function inQuery(name: string, schema: Schema, description: string) {
  return { name, in: 'query', description, allowEmptyValue: true, schema }
}

export function requiredInQuery(name: string, schema: Schema, description: string) {
  return { name, in: 'query', required: true, description, schema }
}

export function inHeader(name: string, schema: Schema, description: string, required = false) {
  return { name, in: 'header', required, description, schema }
}

/** Of a list that is read page by page, besides the filters that are its own. */
export function listParameters({ vocabulary, line }: ProductNames, filters: Fields) {
  return [
    inQuery(vocabulary.idField, id, `Only of this ${line}.`),
    ...Object.entries(filters).map(([name, { kind }]) =>
      inQuery(name, kind.schema, `Only with this ${name}.`),
    ),
    inQuery('number', text, 'Only with this number at the other end.'),
    inQuery('from', moment, 'Only from then on.'),
    inQuery('until', moment, 'Only from before then.'),
    inQuery('before', id, 'Only what is older than the thing with this id: the last of the page before.'),
    inQuery('limit', { type: 'integer', minimum: 1, maximum: 100, default: 50 }, 'How many at most.'),
  ]
}

export const nextPage = {
  Link: {
    description: '`<URL>; rel="next"`, when there are more (RFC 8288).',
    schema: { type: 'string', examples: [`<https://linehook.example/v1/messages?before=…>; rel="next"`] },
  },
}
