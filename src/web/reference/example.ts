import type { Keywords, Schema } from '../openapi/parts.js'

type Schemas = ReadonlyMap<string, Schema>

/** Examples of strings by the names of their fields, where their schema has none. */
const BY_NAME: Record<string, string> = {
  text: 'Your order is ready.',
  name: 'Front desk',
  shape: 'linehook',
  month: '2026-01',
  currency: 'USD',
  scope: 'messages:write',
  title: 'An endpoint is failing',
  payload: 'Is my order ready?',
  clientRef: 'order-1042',
  mediaUrl: 'https://example.com/picture.jpg',
  contentType: 'image/jpeg',
  carrierAccount: 'main',
  carrierMessageId: 'SM0123456789',
  sentAt: '2026-01-31T09:30:01.000Z',
  receiptAt: '2026-01-31T09:30:03.000Z',
}

/** The usual states: an example has one of these if its field allows it. */
const USUAL: readonly unknown[] = ['delivered', 'sent', 'active']

const BY_FORMAT: Record<string, string> = {
  uuid: '01a1f8a0-0000-7000-8000-000000000001',
  'date-time': '2026-01-31T09:30:00.000Z',
  uri: 'https://example.com/hooks',
}

const BY_PATTERN: Record<string, string> = {
  '^whpk_': 'whpk_…',
  '^whsec_': 'whsec_…',
  '^\\d+$': '1769852000',
}

/** A schema that contains itself ends at this depth. */
const MAX_DEPTH = 8

/**
 * Makes a value that the schema allows: in a request only what is required, and in a response everything.
 *
 * @param asked.name the name of the field
 */
export function exampleOf(
  schema: Schema,
  schemas: Schemas,
  asked: { isRequest: boolean; name?: string; depth?: number },
): unknown {
  const { name = '', depth = 0 } = asked
  const found = resolve(schema, schemas)
  const { examples, anyOf, oneOf, items } = found
  if (depth > MAX_DEPTH) return null
  const inner = (each: Schema, more: { name?: string } = {}) =>
    exampleOf(each, schemas, { ...asked, ...more, depth: depth + 1 })
  if (examples !== undefined) return examples[0]
  if (found.const !== undefined) return found.const
  if (!asked.isRequest && BY_NAME[name] === undefined && mayBeNull(found)) return null
  if (found.enum !== undefined) return USUAL.find((each) => found.enum?.includes(each)) ?? found.enum[0]
  const type = typeOf(found)
  if (found.properties !== undefined || type === 'object') {
    const fields = Object.entries(found.properties ?? {})
    const needed = asked.isRequest ? neededFields(found) : undefined
    return Object.fromEntries(
      fields
        .filter(([field]) => needed === undefined || needed.has(field))
        .map(([field, each]) => [field, inner(each, { name: field })]),
    )
  }
  const [variant] = (anyOf ?? oneOf ?? []).filter((each) => typeOf(each as Keywords) !== 'null')
  if (variant !== undefined) return inner(variant)
  if (type === 'array') return items === undefined ? [] : [inner(items)]
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return Math.max(found.minimum ?? 1, 1)
  return BY_FORMAT[found.format ?? ''] ?? BY_PATTERN[found.pattern ?? ''] ?? BY_NAME[name] ?? '…'
}

/** Most fields that may be null usually are, such as `disabledAt` and `carrierCode`. */
function mayBeNull({ type, anyOf = [] }: Keywords): boolean {
  return Array.isArray(type)
    ? type.includes('null')
    : anyOf.some((each) => (each as Keywords).type === 'null')
}

export function resolve(schema: Schema, schemas: Schemas): Keywords {
  const { $ref } = schema as Keywords
  return $ref === undefined ? schema : (schemas.get(nameOf($ref)) ?? {})
}

/** @returns the name of the schema that a reference leads to */
export function nameOf($ref: string): string {
  return $ref.split('/').at(-1) ?? ''
}

/** @returns the type that is not null */
export function typeOf({ type }: Keywords): string | undefined {
  return Array.isArray(type) ? type.find((each) => each !== 'null') : type
}

/** The required fields, with those of the first choice if there is one; a body that needs some field has its first. */
function neededFields(schema: Keywords): Set<string> {
  const choice = ((schema.anyOf ?? schema.oneOf)?.[0] ?? schema.if?.not) as Keywords | undefined
  const needed = [...(schema.required ?? []), ...(choice === undefined ? [] : neededFields(choice))]
  if (needed.length > 0 || schema.minProperties === undefined) return new Set(needed)
  return new Set(Object.keys(schema.properties ?? {}).slice(0, 1))
}
