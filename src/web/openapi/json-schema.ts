import type * as yup from 'yup'
import { describe, listOf, object, type Schema } from './parts.js'

/** The part of yup's description that is used. */
interface Described {
  type: string
  meta?: yup.CustomSchemaMetadata
  optional?: boolean
  nullable?: boolean
  default?: unknown
  oneOf?: unknown[]
  tests?: { name?: string; params?: Record<string, unknown> }[]
  innerType?: Described
  fields?: Record<string, Described>
}

/** Converts the fields of a request to JSON Schema. */
export function jsonSchemaOf(schema: yup.AnyObjectSchema): Schema {
  return schemaOf(schema.describe() as Described)
}

export function fieldSchemas(schema: yup.AnyObjectSchema): [name: string, Schema][] {
  return Object.entries(jsonSchemaOf(schema).properties as Record<string, Schema>)
}

function schemaOf(field: Described): Schema {
  const { meta: { about, schema } = {}, default: fallback } = field
  const inner = field.fields === undefined ? (schema ?? derive(field)) : { ...fieldsOf(field), ...schema }
  const hasDefault = field.fields === undefined && fallback !== undefined && fallback !== null
  const whole = hasDefault ? { ...inner, default: fallback } : inner
  return about === undefined ? whole : describe(whole, about)
}

function fieldsOf({ fields = {} }: Described): Schema {
  const optional = Object.keys(fields).filter((name) => fields[name]?.optional !== false)
  return object(
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOf(field)])),
    optional,
  )
}

/** The keywords for yup's own tests, by name. */
const KEYWORDS: Record<string, Record<string, string>> = {
  string: { min: 'minLength', max: 'maxLength' },
  number: { min: 'minimum', max: 'maximum' },
  array: { min: 'minItems', max: 'maxItems' },
}

function derive({ type, nullable, oneOf = [], tests = [], innerType }: Described): Schema {
  if (oneOf.length > 0) return { type: 'string', enum: oneOf }
  const bounds = tests.flatMap(({ name = '', params = {} }) => {
    const keyword = KEYWORDS[type]?.[name]
    return keyword === undefined ? [] : [[keyword, params[name]] as const]
  })
  const base: Schema =
    type === 'array' && innerType !== undefined
      ? listOf(schemaOf(innerType))
      : { type: type === 'number' ? 'integer' : type }
  return {
    ...base,
    ...(nullable === true ? { type: [base.type, 'null'] } : {}),
    ...Object.fromEntries(bounds),
  }
}
