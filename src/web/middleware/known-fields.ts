import type { Middleware } from 'koa'
import type { Vocabulary } from '../../vocabulary.js'
import type { describeApi } from '../openapi/document.js'
import type { Operation, Parameter, Schema } from '../openapi/parts.js'
import { queryFields } from '../input/query.js'
import { knownNames, refuseUnknown, type Known } from '../input/unknown-fields.js'
import { isForm, isRecord } from './json-body.js'

type Description = ReturnType<typeof describeApi>

/**
 * Refuses a request with a field, in its body or its query, that the description of the operation does not have: what is dropped
 * without a word, such as a picture under a misspelt name, is missed only by who should have got it. What the original had
 * goes on ignoring such fields, and so does a form.
 *
 * @param path as the route has it
 */
export function requireKnownFields(
  description: Description,
  vocabulary: Vocabulary,
  method: 'get' | 'put' | 'patch' | 'post' | 'delete',
  path: string,
): Middleware {
  const described = description.paths[vocabulary.path(path.replace(/:(\w+)/g, '{$1}'))]
  const operation = described?.[method]
  if (operation === undefined) throw new Error(`${method} ${path} is not in the API's description`)
  if (operation['x-unknown-fields'] === 'ignored') return (_, next) => next()

  const inQuery = [...(described?.parameters ?? []), ...((operation.parameters ?? []) as Parameter[])]
    .filter((parameter) => parameter.in === 'query')
    .map(({ name }) => name)
  const query = knownNames(inQuery)
  const body = bodyOf(operation, description.components.schemas)
  // A request may say "line" too, where the description has the product word.
  const inProductWord = (fields: object) => vocabulary.fields(vocabulary.canonicalFields({ ...fields }))
  return async (ctx, next) => {
    if (!isForm(ctx)) {
      refuseUnknown(inProductWord(queryFields(ctx)), query)
      if (isRecord(ctx.request.body)) refuseUnknown(inProductWord(ctx.request.body), body)
    }
    await next()
  }
}

function bodyOf({ requestBody }: Operation, schemas: Record<string, Schema>): Known {
  const { content } = (requestBody ?? {}) as { content?: Record<string, { schema: Schema }> }
  return content === undefined ? knownNames([]) : knownIn(content['application/json']?.schema ?? {}, schemas)
}

/** Only where a schema says that there is nothing else. */
function knownIn(schema: Schema, schemas: Record<string, Schema>): Known {
  const { $ref, anyOf, properties, additionalProperties, items } = schema as SchemaParts
  if ($ref !== undefined) return knownIn(schemas[$ref.replace(/.*\//, '')] ?? {}, schemas)
  if (items !== undefined) return { items: knownIn(items, schemas) }
  if (properties !== undefined && additionalProperties === false) {
    const inner = Object.entries(properties).map(([name, each]) => [name, knownIn(each, schemas)] as const)
    return { fields: new Map(inner) }
  }
  return Object.assign({}, ...(anyOf ?? []).map((each) => knownIn(each, schemas))) as Known
}

interface SchemaParts {
  $ref?: string
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  additionalProperties?: unknown
  items?: Schema
}
