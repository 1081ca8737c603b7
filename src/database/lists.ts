import type { Database } from './connection.js'

/** A page of a list, newest first: ids are UUIDv7, so the id of the last row seen is the cursor. */
export interface Page {
  /** Only rows older than this one. */
  before?: string
  limit: number
}

/** A condition, with the values of its question marks. Without one of them nothing is asked. */
export type Condition = readonly [sql: string, ...bindings: (string | undefined)[]]

export interface Sql {
  sql: string
  bindings: (string | number)[]
}

/** Rows of one kind, in a list that is read line by line. */
export interface Source {
  /** The table's alias. */
  alias: string
  /** The table, with what is joined to it. */
  from: string
  columns: string
  where: readonly Condition[]
}

/**
 * What is the newest of some lines. A page's worth of each line is read from its index (line_id, id), so neither a busy line
 * nor a full table makes a page slower.
 *
 * @param lines which lines `l`: the owner comes first
 */
export function listOfLines(
  lines: readonly Condition[],
  sources: readonly Source[],
  { before, limit }: Page,
  { span = {}, columns = 'found.*', join = '' }: { span?: Span; columns?: string; join?: string } = {},
): Sql {
  const parts = sources.map(({ alias, from, columns: own, where }) => {
    const { sql, bindings } = allOf([...idsBetween(`${alias}.id`, { before, ...span }), ...where])
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

/** @param userId undefined: everybody's. @param lineIds only of these; none: of no line */
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

/**
 * What has no index is looked for in so many of the newest messages, of all lines together: reading them takes some 50 ms.
 * SQL over `lines l`; each line has its share, and no less than a thousand.
 */
export const LOOKED_THROUGH = `greatest(1000, 20000 / (select count(*) from lines s where s.user_id = l.user_id))`

interface Span {
  from?: Date | undefined
  until?: Date | undefined
}

/** Ids of a page and a span of time: such conditions are answered from an index. */
export function idsBetween(
  column: string,
  { before, from, until }: Span & { before?: string | undefined },
): Condition[] {
  return [
    [`${column} < ?::uuid`, before],
    [`${column} >= lowest_id_at(?::timestamptz)`, from?.toISOString()],
    [`${column} < lowest_id_at(?::timestamptz)`, until?.toISOString()],
  ]
}

/**
 * The condition of a status. Each of the `rare` groups has an index of its own, by line, that the condition names; no status
 * is compared plainly, or the planner would walk a partial index of unfinished rows from end to end.
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

/** `and …` for each condition that has its values. */
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
