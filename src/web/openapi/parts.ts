import { MAX_NAME_LENGTH } from '../../domain/names.js'
import { MAX_NUMBER_LENGTH } from '../../domain/messages/phone-number.js'
import { MAX_URL_LENGTH } from '../../safe-fetch.js'
import type { Fields, JsonSchema } from '../../shape.js'

/** These are the few shapes of OpenAPI 3.1 that the document is made of. */
export type Schema = JsonSchema

/** The keywords that the document uses. */
export interface Keywords {
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  examples?: unknown[]
  properties?: Record<string, Schema>
  additionalProperties?: unknown
  required?: string[]
  minProperties?: number
  items?: Schema
  maxItems?: number
  anyOf?: Schema[]
  oneOf?: Schema[]
  if?: { not?: Schema }
  minimum?: number
  maximum?: number
  maxLength?: number
  pattern?: string
  description?: string
}

export interface Operation {
  operationId: string
  tags: string[]
  summary: string
  responses: Record<string, unknown>
  [field: string]: unknown
}

/** The operations by path, and then by method. */
export type Paths = Record<string, PathItem>

export type PathItem = { parameters?: Parameter[] } & Partial<
  Record<'get' | 'put' | 'patch' | 'post' | 'delete', Operation>
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
/** A URL in a request. */
export const givenUrl: Schema = {
  type: 'string',
  format: 'uri',
  pattern: '^https?://',
  maxLength: MAX_URL_LENGTH,
}
/** Both null and an empty text mean no URL. */
export const maybeGivenUrl: Schema = { anyOf: [givenUrl, { type: 'null' }, { const: '' }] }
/** The name that people give to something. It is not blank. */
export const name: Schema = { type: 'string', minLength: 1, maxLength: MAX_NAME_LENGTH, pattern: '\\S' }
/** A line's sender. */
export const sender: Schema = {
  type: 'string',
  pattern: '^(\\+[1-9][0-9]{1,14}|[0-9]{3,8}|.*[^0-9].*)$',
  maxLength: 34,
  description:
    'A phone number in E.164 format, a short code, a name or the SID of a Messaging Service (see `senderKind`).',
  examples: ['+15551234567'],
}
export const senderKind: Schema = {
  ...oneOf('number', 'short_code', 'name', 'service'),
  description: 'The kind of `phoneNumber`. A `name` can only send; nobody can reply to it.',
}
/** The other party's number. It has no pattern, because it may be a short code, or a name instead of a number. */
export const number: Schema = { type: 'string', examples: ['+15551234567'] }
/** A number in a request, as a person may write it. */
export const givenNumber: Schema = {
  type: 'string',
  minLength: 2,
  maxLength: MAX_NUMBER_LENGTH,
  description: "E.164 is preferred. The national format of the sender's own country is accepted too.",
  examples: ['+15551234567'],
}

export function oneOf(...words: readonly string[]): Schema {
  return { type: 'string', enum: words }
}

export function describe(schema: Schema, description: string): Schema {
  return { ...schema, description }
}

/** Every field is always present, except those that are named as optional. */
export function object(properties: Record<string, Schema>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) }
}

/** Returns the fields of a noun that the API shows, each with its description. */
export function shownOf(fields: Fields): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, { kind, isShown, about }]) =>
      isShown ? [[name, about === undefined ? kind.schema : describe(kind.schema, about)]] : [],
    ),
  )
}

export function maybe(schema: Schema): Schema {
  return { anyOf: [schema, { type: 'null' }] }
}

/** The fields of things that can be paused. */
export function pauseFields(since: string): Record<string, Schema> {
  return {
    pausedAt: describe(maybeMoment, since),
    pausedBy: describe(
      { enum: ['owner', 'operator', null] },
      'Only operators can resume events that an `operator` paused.',
    ),
  }
}

export function listOf(items: Schema): Schema {
  return { type: 'array', items }
}

export function schemaOf(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

export interface Answer {
  description: string
  headers?: Record<string, unknown>
  content: Record<string, { schema: Schema }>
}

export function answers(description: string, schema: Schema, headers?: Record<string, unknown>): Answer {
  return { description, ...(headers ? { headers } : {}), content: { 'application/json': { schema } } }
}

/** Describes an answer with a list, which is also available as CSV, in full. */
export function answersList(description: string, items: Schema, headers?: Record<string, unknown>): Answer {
  const json = answers(description, listOf(items), headers)
  return { ...json, content: { ...json.content, 'text/csv': { schema: { type: 'string' } } } }
}

/** Closes a schema: it has no other fields, and neither do its parts. */
export function closed(schema: Schema): Schema {
  const { type, properties, items, anyOf } = schema as Keywords
  return {
    ...schema,
    ...(items === undefined ? {} : { items: closed(items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(closed) }),
    ...(type === 'object' && properties !== undefined
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, each]) => [name, closed(each)]),
          ),
          additionalProperties: false,
        }
      : {}),
  }
}

export interface Parameter {
  name: string
  in: string
  [field: string]: unknown
}

/** Marks an operation of the original, whose clients send more than we read. */
export const IGNORES_UNKNOWN = { 'x-unknown-fields': 'ignored' }

export function body(schema: Schema, { isOptional = false } = {}) {
  return { required: !isOptional, content: { 'application/json': { schema } } }
}

/** Describes a body of JSON, or of the fields of a form. */
export function fieldsBody(schema: Schema) {
  return {
    required: true,
    content: { 'application/json': { schema }, 'application/x-www-form-urlencoded': { schema } },
  }
}

export function inPath(name: string, description: string) {
  return { name, in: 'path', required: true, description, schema: id }
}

/** A parameter without a value counts as not given, because a form sends all of its fields. */
export function inQuery(name: string, schema: Schema, description: string) {
  return { name, in: 'query', description, allowEmptyValue: true, schema }
}

export function requiredInQuery(name: string, schema: Schema, description: string) {
  return { name, in: 'query', required: true, description, schema }
}

export function inHeader(name: string, schema: Schema, description: string, required = false) {
  return { name, in: 'header', required, description, schema }
}

export const nextPage = {
  Link: {
    description: '`<URL>; rel="next"` if there are more entries (RFC 8288).',
    schema: { type: 'string', examples: [`<https://linehook.example/v1/messages?before=…>; rel="next"`] },
  },
}
