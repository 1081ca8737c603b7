/** A page of a list, newest first: ids are UUIDv7, so the id of the last row seen is the cursor. */
export interface Page {
  /** Only rows older than this one. */
  before?: string
  limit: number
}

/**
 * What has no index is looked for in so many of the newest messages, of all lines together: reading them takes some 50 ms.
 * SQL over `lines l`; each line has its share, and no less than a thousand.
 */
export const LOOKED_THROUGH = `greatest(1000, 20000 / (select count(*) from lines s where s.user_id = l.user_id))`

/**
 * The condition of a page and a span of time over a table's ids, for a query per line: every such condition can be
 * answered from the index (line_id, id).
 */
export function idsBetween(
  column: string,
  { before }: Page,
  { from, until }: { from?: Date; until?: Date },
): { sql: string; bindings: string[] } {
  const parts: [sql: string, binding: string | undefined][] = [
    [`${column} < ?::uuid`, before],
    [`${column} >= lowest_id_at(?::timestamptz)`, from?.toISOString()],
    [`${column} < lowest_id_at(?::timestamptz)`, until?.toISOString()],
  ]
  return conditions(parts)
}

/**
 * The condition of a status. Each of the `rare` groups has an index of its own, by line, that the condition names; no status
 * is compared plainly, or the planner would walk a partial index of unfinished rows from end to end.
 */
export function statusIs(
  column: string,
  status: string | undefined,
  rare: readonly (readonly string[])[],
): [sql: string, binding: string | undefined] {
  const group = rare.find((each) => status !== undefined && each.includes(status))
  if (group === undefined) return [`${column} || '' = ?`, status]
  const named = group.length === 1 ? `= '${group[0]}'` : `in (${group.map((each) => `'${each}'`).join(', ')})`
  return [`${column} ${named} and ${column} || '' = ?`, status]
}

/** `and …` for each condition that has a value. */
export function conditions(parts: readonly [sql: string, binding: string | undefined][]): {
  sql: string
  bindings: string[]
} {
  const given = parts.filter((part): part is [string, string] => part[1] !== undefined)
  return {
    sql: given.map(([sql]) => ` and ${sql}`).join(''),
    bindings: given.map(([, binding]) => binding),
  }
}
