import type { ComponentChildren } from 'preact'
import type { Keywords, Schema } from '../openapi/parts.js'
import { nameOf, typeOf } from './example.js'
import { schemaPath } from './model.js'
import { Prose } from './prose.js'

export interface Field {
  name: string
  schema: Schema
  isRequired: boolean
  description?: string
}

/** @returns the fields of an object; of a choice of objects, the fields of all */
export function fieldsOf(schema: Schema): Field[] {
  const { properties, required = [], anyOf, oneOf } = schema as Keywords
  if (properties === undefined) {
    const fields = (oneOf ?? anyOf ?? []).flatMap(fieldsOf)
    return fields.filter(({ name }, n) => fields.findIndex((each) => each.name === name) === n)
  }
  return Object.entries(properties).map(([name, each]) => ({
    ...{ name, schema: each, isRequired: required.includes(name) },
  }))
}

/** Shows fields: name, type, bounds and meaning. The fields of a nested object are folded. */
export function Fields({ fields, showsRequired }: { fields: readonly Field[]; showsRequired: boolean }) {
  return (
    <dl class="fields">
      {fields.map(({ name, schema, isRequired, description = descriptionOf(schema) }) => {
        const inner = innerFields(schema)
        const type = (
          <>
            <TypeWords schema={schema} />
            {boundsOf(schema as Keywords).map((bound) => `, ${bound}`)}
            {showsRequired && isRequired && <b> required</b>}
          </>
        )
        return (
          <Row key={name} {...{ name, type, about: description }}>
            {inner.length > 0 && (
              <dd>
                <details>
                  <summary>
                    Fields of <code>{name}</code>
                  </summary>
                  <Fields fields={inner} showsRequired={showsRequired} />
                </details>
              </dd>
            )}
          </Row>
        )
      })}
    </dl>
  )
}

/** Shows a row of a list of fields: its name, its type and its meaning. */
export function Row(props: {
  id?: string
  name: string
  type?: ComponentChildren
  about: string | undefined
  children?: ComponentChildren
}) {
  const { id, name, type, about, children } = props
  return (
    <div id={id}>
      <dt>
        <code>{name}</code>
      </dt>
      {type !== undefined && <dd class="type">{type}</dd>}
      {about !== undefined && (
        <dd>
          <Prose text={about} />
        </dd>
      )}
      {children}
    </div>
  )
}

function descriptionOf(schema: Schema): string | undefined {
  const { description, anyOf = [], oneOf = anyOf } = schema as Keywords
  return description ?? oneOf.map(descriptionOf).find((each) => each !== undefined)
}

/** A named object has its fields on the page of objects. */
function innerFields(schema: Schema): Field[] {
  const { items, anyOf = [], oneOf = anyOf } = schema as Keywords
  if (items !== undefined) return innerFields(items)
  return [
    ...fieldsOf(schema),
    ...oneOf.flatMap(({ items: each }: Keywords) => (each ? innerFields(each) : [])),
  ]
}

const FORMATS: Record<string, string> = { uuid: 'UUID', 'date-time': 'time', uri: 'URL' }

/** Says what a value can be, such as "list of URL" or "UUID or null". */
export function TypeWords({ schema }: { schema: Schema }) {
  const variants = variantsOf(schema)
  return (
    <>
      {variants.map((each, n) => (
        <>
          {n > 0 && (n === variants.length - 1 ? ' or ' : ', ')}
          {each}
        </>
      ))}
    </>
  )
}

function variantsOf(schema: Keywords): ComponentChildren[] {
  const { $ref, type, items, anyOf = [], oneOf = anyOf, properties } = schema
  if ($ref !== undefined) return [<a href={schemaPath(nameOf($ref))}>{nameOf($ref)}</a>]
  if (schema.const !== undefined) return [literal(schema.const)]
  const nothing = Array.isArray(type) && type.includes('null') ? ['null'] : []
  if (schema.enum !== undefined) return [...new Set([...schema.enum, ...nothing])].map(literal)
  if (properties === undefined && oneOf.length > 0) return distinct(oneOf.flatMap((each) => variantsOf(each)))
  const own = typeOf(schema) ?? 'object'
  if (own === 'array' && items !== undefined) {
    return [
      <>
        list of <TypeWords schema={items} />
      </>,
      ...nothing,
    ]
  }
  return distinct([FORMATS[schema.format ?? ''] ?? own, ...nothing])
}

function literal(value: unknown): ComponentChildren {
  if (value === null) return 'null'
  return value === '' ? 'empty' : <code>{JSON.stringify(value).replace(/^"(.*)"$/, '$1')}</code>
}

function distinct(variants: ComponentChildren[]): ComponentChildren[] {
  return variants.filter((each, n) => typeof each !== 'string' || variants.indexOf(each) === n)
}

/** A larger maximum, such as 2^53, tells readers nothing. */
const MAX_SAID = 2 ** 32

function boundsOf(schema: Keywords): string[] {
  const { minimum, maximum, maxLength, maxItems, default: fallback, anyOf = [], oneOf = anyOf } = schema
  const said = maximum !== undefined && maximum < MAX_SAID ? maximum : undefined
  return [
    ...(minimum !== undefined && said !== undefined ? [`${count(minimum)} to ${count(said)}`] : []),
    ...(minimum !== undefined && minimum > 1 && said === undefined ? [`at least ${count(minimum)}`] : []),
    ...(minimum === undefined && said !== undefined ? [`at most ${count(said)}`] : []),
    ...(maxLength === undefined ? [] : [`at most ${count(maxLength)} characters`]),
    ...(maxItems === undefined ? [] : [`at most ${count(maxItems)} items`]),
    ...(fallback === undefined || typeof fallback === 'object'
      ? []
      : [`default ${JSON.stringify(fallback)}`]),
    ...new Set(oneOf.flatMap((each) => boundsOf(each))),
  ]
}

function count(number: number): string {
  return number.toLocaleString('en')
}
