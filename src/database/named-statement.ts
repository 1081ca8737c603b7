import type { Database } from './connection.js'

/**
 * Runs a statement of a hot path. It has a name, so that on each connection Postgres parses it once (`PREPARE`) and
 * plans it a few times; from then on, one plan serves all values. So use it only for statements whose plan does not
 * depend on statistics, which are misleading while a table is fresh: a call of a function, or look-ups by keys alone.
 *
 * @param sql must always be the same under this name
 */
export async function runNamed<Row>(
  db: Database,
  name: string,
  sql: string,
  bindings: readonly (string | number | null | readonly string[])[],
): Promise<Row[]> {
  const { rows } = await db.raw<{ rows: Row[] }>(sql, bindings as never).options({ name: `linehook_${name}` })
  return rows
}
