import type { Database } from './connection.js'
import { runNamed } from './named-statement.js'
import { SQL_ANSWERS } from './sql-answers.js'

type Name = keyof typeof SQL_ANSWERS

/** The types of Postgres and their types in the code. */
interface Types {
  uuid: string
  text: string
  integer: number
  bigint: string
  'double precision': number
  boolean: boolean
  'timestamp with time zone': Date
  bytea: Buffer
  jsonb: unknown
  'text[]': string[]
  'uuid[]': string[]
}

type CamelCase<Text extends string> = Text extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Text

/**
 * A row of a function's answer, as its SQL declares it. Only the caller knows which columns may be null, and which
 * words a text column may contain.
 */
export type Answer<Function extends Name> = {
  [Column in keyof (typeof SQL_ANSWERS)[Function] & string as CamelCase<Column>]:
    | (Types & Record<string, unknown>)[(typeof SQL_ANSWERS)[Function][Column] & string]
    | null
}

/** Lists every column of the function's answer under its name in the code, for a `select`. */
export function columnsOfAnswer(name: Name, alias = name as string): string {
  const key = `${alias}.${name}`
  const known = listed.get(key)
  if (known !== undefined) return known
  const columns = Object.keys(SQL_ANSWERS[name])
    .map((column) => `${alias}.${column} as "${camelCase(column)}"`)
    .join(', ')
  listed.set(key, columns)
  return columns
}

/** The hot paths keep asking for the same lists. */
const listed = new Map<string, string>()

/**
 * Calls a function of a hot path. A column that its SQL renames, drops or adds does not compile here, because `Row`
 * has all of them.
 *
 * @param args the text between its parentheses
 * @param more columns and joins besides the answer
 */
export function callFunction<Function extends Name, Row extends Answer<Function>>(
  db: Database,
  name: Function,
  args: string,
  bindings: readonly (string | number | null | readonly string[])[],
  more: { columns?: string; join?: string } = {},
): Promise<Row[]> {
  const { columns = '', join = '' } = more
  const sql = `select ${columnsOfAnswer(name)}${columns} from ${name}(${args})${join}`
  return runNamed<Row>(db, name, sql, bindings)
}

function camelCase(column: string): string {
  return column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
