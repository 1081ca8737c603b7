import { fieldSchemas, jsonSchemaOf } from './json-schema.js'
import { PATH_PARAMETERS, type Operation } from '../api/operation.js'
import type { Scope } from '../../domain/applications/application-access.js'
import {
  body,
  closed,
  fieldsBody,
  IGNORES_UNKNOWN,
  inPath,
  inQuery,
  text,
  type Parameter,
  type PathItem,
  type Paths,
  type Schema,
} from './parts.js'
import { scopeName } from './oauth.js'
import { problems, type ProblemStatus } from './problems.js'

/** Describes operations, by path and method. */
export function describeOperations(operations: readonly Operation[]): Paths {
  const paths: Paths = {}
  for (const operation of operations) {
    const item = (paths[operation.path] ??= itemOf(operation.path))
    item[operation.method] = describeOperation(operation)
  }
  return paths
}

function itemOf(path: string): PathItem {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']): Parameter => {
    const { about, isReference } = PATH_PARAMETERS[name] ?? { about: '' }
    return isReference === true ? { ...inPath(name, about), schema: text } : inPath(name, about)
  })
  return parameters.length === 0 ? {} : { parameters }
}

function describeOperation(operation: Operation) {
  const { operationId, tag, summary, description, scopes = [], ignoresUnknown, answer } = operation
  const parameters = [...queryOf(operation), ...(operation.headers ?? [])]
  return {
    operationId,
    ...(ignoresUnknown === true ? IGNORES_UNKNOWN : {}),
    tags: [tag],
    ...(scopes.length === 0 ? {} : { security: orApplication(scopes) }),
    summary,
    description,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(operation.body === undefined ? {} : { requestBody: bodyOf(operation, bodySchemaOf(operation)) }),
    responses: { 200: answer, ...problems(...refusalsOf(operation)) },
  }
}

/** The security of an operation that an application may do too, if it has one of the scopes. */
function orApplication(scopes: readonly Scope[]) {
  return [{ apiToken: [] }, ...scopes.map((scope) => ({ application: [scopeName(scope)] }))]
}

function queryOf({ query }: Operation): Parameter[] {
  if (query === undefined) return []
  return fieldSchemas(query).map(([name, { description, ...schema }]) =>
    inQuery(name, schema, description as string),
  )
}

export function bodySchemaOf({ body: fields, ignoresUnknown, needsField }: Operation): Schema {
  if (fields === undefined) return {}
  const schema = jsonSchemaOf(fields)
  return {
    ...(ignoresUnknown === true ? schema : closed(schema)),
    ...(needsField === true ? { minProperties: 1 } : {}),
  }
}

function bodyOf({ takesForm, needsField }: Operation, schema: Schema) {
  const isOptional = schema.required === undefined && needsField !== true
  return takesForm === true ? { ...fieldsBody(schema), required: !isOptional } : body(schema, { isOptional })
}

/** Lists the possible refusals: those that follow from the operation's form, and those that it names. */
function refusalsOf({ method, path, query, ignoresUnknown, refusals = [] }: Operation): ProblemStatus[] {
  const readsBody = method !== 'get' && method !== 'delete'
  const statuses: [ProblemStatus, boolean][] = [
    [400, ignoresUnknown !== true || readsBody || query !== undefined],
    [401, true],
    [404, path.includes('{')],
    [413, readsBody],
  ]
  return [...statuses.flatMap(([status, mayBe]) => (mayBe ? [status] : [])), ...refusals]
}
