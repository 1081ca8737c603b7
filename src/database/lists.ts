import type { Database } from './connection.js'

/** A page of a list, newest first. Ids are UUIDv7, so the id of the last row seen is the cursor. */
export interface Page {
  before?: string
  limit: number
}

/** A condition, with the values of its question marks. If a value is missing, the condition is left out. */
export type Condition = readonly [sql: string, ...bindings: (string | undefined)[]]

export interface Sql {
  sql: string
  bindings: (string | number)[]
}

/** Rows of one kind for a list that is read line by line. */
export interface Source {
  alias: string
  /** The table and its joins. */
  from: string
  columns: string
  where: readonly Condition[]
}

/**
 * Selects the newest rows of some lines. A page's worth of each line is read from its index (line_id, id), so neither
 * a busy line nor a full table makes a page slower.
 *
 * @param lines selects the lines `l`: the owner comes first
 */
export function listOfLines(
  lines: readonly Condition[],
  sources: readonly Source[],
  { before, limit }: Page,
  { span = {}, columns = 'found.*', join = '' }: { span?: Span; columns?: string; join?: string } = {},
): Sql {
  const parts = sources.map(({ alias, from, columns: own, where }) => {
    const { sql, bindings } = allOf([...madeBetween(`${alias}.`, { before, ...span }), ...where])
    return {
      sql: `(select ${own} from ${from} where ${alias}.line_id = l.id${sql} order by ${alias}.id desc limit ?)`,
      bindings: [...bindings, limit],
    }
  })
  const line = allOf(lines)
  return {
    sql: `select ${columns} from lines l${join}
      cross join lateral (${parts.map(({ sql }) => sql).join(' union all ')}) found
      where true${line.sql} order by found.id desc limit ?`,
    bindings: [...parts.flatMap(({ bindings }) => bindings), ...line.bindings, limit],
  }
}

/**
 * @param userId undefined for every user
 * @param lineIds only these lines; if empty, no line
 */
export function linesThat(
  userId: string | undefined,
  { lineId, lineIds }: { lineId?: string | undefined; lineIds?: readonly string[] | undefined },
): Condition[] {
  return [
    ['l.user_id = ?::uuid', userId],
    ['l.id = ?::uuid', lineId],
    ['l.id = any (?::uuid[])', lineIds && `{${lineIds.join()}}`],
  ]
}

export async function readList<Row>(db: Database, { sql, bindings }: Sql): Promise<Row[]> {
  const { rows } = await db.raw<{ rows: Row[] }>(sql, bindings)
  return rows
}

/** Counts the rows of a `from` clause. */
export async function countOf(
  db: Database,
  from: string,
  bindings: readonly (string | number)[] | Record<string, string | number>,
): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ count: number }] }>(
    `select count(*)::integer as count from ${from}`,
    bindings,
  )
  return rows[0].count
}

/**
 * The number of the newest messages, of all lines together, that are searched if there is no index: reading them
 * takes about 50 ms. It is SQL over `lines l`; each line has its share, and no less than a thousand.
 */
export const LOOKED_THROUGH = `greatest(1000, 20000 / (select count(*) from lines s where s.user_id = l.user_id))`

interface Span {
  from?: Date | undefined
  until?: Date | undefined
}

/**
 * SQL: how much the time in a row's id may differ from its `created_at`. The id has the time of the process that made
 * it, whose clock may be off, and which may then have waited for a connection.
 */
export const CLOCKS = `interval '1 minute'`

/**
 * Bounds the ids by a page and, within a minute, by a time range: an index answers such conditions, and no other
 * partition is read.
 */
export function idsBetween(
  column: string,
  { before, from, until }: Span & { before?: string | undefined },
): Condition[] {
  return [
    [`${column} < ?::uuid`, before],
    [`${column} >= lowest_id_at(?::timestamptz - ${CLOCKS})`, from?.toISOString()],
    [`${column} < lowest_id_at(?::timestamptz + ${CLOCKS})`, until?.toISOString()],
  ]
}

/**
 * Bounds rows by a page and a time range, by the time that their reader sees.
 *
 * @param prefix the table's alias with its dot; '' if it has none
 */
export function madeBetween(
  prefix: string,
  span: Span & { before?: string | undefined },
  createdAt = 'created_at',
): Condition[] {
  return [
    ...idsBetween(`${prefix}id`, span),
    [`${prefix}${createdAt} >= ?::timestamptz`, span.from?.toISOString()],
    [`${prefix}${createdAt} < ?::timestamptz`, span.until?.toISOString()],
  ]
}

/**
 * Makes the condition of a status. Each of the `rare` groups has an index by line, whose condition is repeated here;
 * no status is compared plainly, or the planner would walk a partial index of unfinished rows from end to end.
 */
export function statusIs(
  column: string,
  status: string | undefined,
  rare: readonly (readonly string[])[],
): Condition {
  const group = rare.find((each) => status !== undefined && each.includes(status))
  if (group === undefined) return [`${column} || '' = ?`, status]
  const named = group.length === 1 ? `= '${group[0]}'` : `in (${group.map((each) => `'${each}'`).join(', ')})`
  return [`${column} ${named} and ${column} || '' = ?`, status]
}

/** Joins the conditions that have their values, as `and …` each. */
export function allOf(conditions: readonly Condition[]): { sql: string; bindings: string[] } {
  const given = conditions.filter(isGiven)
  return {
    sql: given.map(([sql]) => ` and ${sql}`).join(''),
    bindings: given.flatMap(([, ...bindings]) => bindings),
  }
}

export function isGiven(condition: Condition): condition is readonly [string, ...string[]] {
  return !condition.includes(undefined)
}
