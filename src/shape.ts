/**
 * The fields of a noun, stated once: the columns that are read, the type of a row, what the API shows of it, and the
 * API's description of it all come from one list of fields (`database/messages/message.ts` is one).
 */
export type Fields = Readonly<Record<string, Field>>

export interface Field<Type = unknown> {
  kind: Kind<Type>
  /** The column of the field. If it is left out, the presenter makes the field from others. */
  column?: string
  isShown: boolean
  /** A sentence in the API's description. `{line}` and `{lines}` are the product word. */
  about?: string
}

/** The kind of a value: its type in the code, and its JSON Schema. */
export interface Kind<Type> {
  schema: JsonSchema
  /** The property never has a value: it only carries the type. */
  readonly type?: Type
}

export type JsonSchema = Record<string, unknown>

/** A row that was read with `columnsOf`. */
export type Row<List extends Fields> = {
  [Name in keyof List as List[Name] extends { column: string } ? Name : never]: List[Name] extends Field<
    infer Type
  >
    ? Type
    : never
}

interface ReadField<Type> extends Field<Type> {
  column: string
}

/** A field that the API shows. */
export function shown<Type>(column: string, kind: Kind<Type>, about?: string): ReadField<Type> {
  return { column, kind, isShown: true, ...(about === undefined ? {} : { about }) }
}

/** A field that the API does not show. Its kind may be left out, because only the type matters. */
export function internal<Type>(column: string, kind: Kind<Type> = { schema: {} }): ReadField<Type> {
  return { column, kind, isShown: false }
}

/** A field of the API that is not a column: the code that presents the row provides it. */
export function made(kind: Kind<unknown>, about?: string): Omit<Field, 'column'> {
  return { kind, isShown: true, ...(about === undefined ? {} : { about }) }
}

/** Each column under the name of its field, for a `select`. */
export function columnsOf(fields: Fields): string {
  return Object.entries(fields)
    .flatMap(([name, { column }]) => (column === undefined ? [] : [`${column} as "${name}"`]))
    .join(', ')
}

/**
 * Returns what the API shows of a row: only the fields that are marked as shown, so that nothing else gets out by
 * accident.
 */
export function present<List extends Fields>(
  fields: List,
  row: Row<List>,
  givenFields: Record<string, unknown> = {},
): Record<string, unknown> {
  const values = { ...row, ...givenFields } as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, { isShown }]) => (isShown ? [[name, values[name]]] : [])),
  )
}

export const text: Kind<string> = { schema: { type: 'string' } }
export const flag: Kind<boolean> = { schema: { type: 'boolean' } }
export const integer: Kind<number> = { schema: { type: 'integer' } }
export const count: Kind<number> = { schema: { type: 'integer', minimum: 0 } }
export const uuid: Kind<string> = { schema: { type: 'string', format: 'uuid' } }
export const moment: Kind<Date> = { schema: { type: 'string', format: 'date-time' } }
export const url: Kind<string> = { schema: { type: 'string', format: 'uri' } }
/** It may have more than digits: the other party may be a short code or a name. */
export const number: Kind<string> = { schema: { type: 'string', examples: ['+15551234567'] } }

export function oneOf<const Word extends string>(...words: readonly Word[]): Kind<Word> {
  return { schema: { type: 'string', enum: words } }
}

export function listOf<Type>({ schema }: Kind<Type>): Kind<Type[]> {
  return { schema: { type: 'array', items: schema } }
}

export function orNull<Type>({ schema }: Kind<Type>): Kind<Type | null> {
  const { type } = schema
  // Generators of clients lose the null of an object that is widened.
  const mayBeWidened = typeof type === 'string' && type !== 'object' && !('enum' in schema)
  return {
    schema: mayBeWidened ? { ...schema, type: [type, 'null'] } : { anyOf: [schema, { type: 'null' }] },
  }
}

/** A kind that has this name in `components.schemas` of the API's description, and another name in the code. */
export function named<Type>(name: string): Kind<Type> {
  return { schema: { $ref: `#/components/schemas/${name}` } }
}

/** The facts about a field of a form, a setting or a request beyond the checks that yup makes. */
declare module 'yup' {
  interface CustomSchemaMetadata {
    /** True if it is never shown again. */
    secret?: boolean
    /** True if it has several lines. */
    multiline?: boolean
    /** True if empty is a value of its own, and not "left out". */
    mayBeEmpty?: boolean
    /** A sentence in the API's description. */
    about?: string
    /**
     * The schema of a request's field, where it says more than yup knows. For an object, what it has besides its
     * fields.
     */
    schema?: JsonSchema
  }
}
