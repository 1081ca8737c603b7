import type { Middleware } from 'koa'
import { UserError } from '../../errors.js'
import type { Vocabulary } from '../../vocabulary.js'
import type { Operation } from '../api/operation.js'
import { queryFields } from '../input/query.js'
import { knownNames, refuseUnknown, type Known } from '../input/unknown-fields.js'
import { bodySchemaOf } from '../openapi/operations.js'
import type { Keywords, Schema } from '../openapi/parts.js'
import { inProductWord } from '../openapi/product-word.js'
import { isForm, isRecord } from './json-body.js'

/**
 * Refuses a request with a field, in its body or its query, that the operation does not have: if a field were dropped
 * silently, such as a picture under a misspelt name, only its recipient would notice. The operations of the original
 * still ignore such fields, and so do forms.
 */
export function requireKnownFields(operation: Operation, vocabulary: Vocabulary): Middleware {
  if (operation.ignoresUnknown === true) return (_, next) => next()

  const query = knownNames(Object.keys(vocabulary.fields(operation.query?.fields ?? {})))
  const body =
    operation.body === undefined
      ? knownNames([])
      : knownIn(inProductWord(bodySchemaOf(operation), vocabulary))
  // A request may also say "line" if the operation has the product word.
  const inWord = (fields: Record<string, unknown>) => vocabulary.fields(vocabulary.canonicalFields(fields))
  return async (ctx, next) => {
    if (!isForm(ctx)) {
      refuseUnknown(inWord(queryFields(ctx)), query, 'query parameter')
      if (isRecord(ctx.request.body)) refuseUnknown(inWord(ctx.request.body), body)
    }
    await next()
  }
}

/** Refuses a form in which a field is given twice, unless the operation takes a list of them. */
export function requireSingleFields(operation: Operation, vocabulary: Vocabulary): Middleware {
  const { properties = {} } = inProductWord(bodySchemaOf(operation), vocabulary) as Keywords
  const single = Object.keys(properties).filter((name) => !isList(properties[name]))
  return async (ctx, next) => {
    const fields = vocabulary.fields(vocabulary.canonicalFields(ctx.request.body ?? {}))
    const twice = isForm(ctx) ? single.find((name) => Array.isArray(fields[name])) : undefined
    if (twice !== undefined) throw new UserError(`${twice} can be given only once`)
    await next()
  }
}

function isList(schema: Keywords = {}): boolean {
  return [schema.type].flat().includes('array')
}

/** Only fields of a schema that allows no others are known. */
function knownIn(schema: Schema): Known {
  const { anyOf, properties, additionalProperties, items } = schema as Keywords
  if (items !== undefined) return { items: knownIn(items) }
  if (properties !== undefined && additionalProperties === false) {
    const inner = Object.entries(properties).map(([name, each]) => [name, knownIn(each)] as const)
    return { fields: new Map(inner) }
  }
  return Object.assign({}, ...(anyOf ?? []).map(knownIn)) as Known
}
