import type { Database } from './connection.js'

/**
 * A statement of a hot path. It has a name, by which each connection has Postgres read it once (`PREPARE`) and plan it
 * a few times: from then on one plan does for all values. So it must be one that has the same good plan whatever the
 * statistics are, which those of a fresh table are not: a call of a function, or look-ups by keys alone.
 *
 * @param sql always the same under this name
 */
export async function runNamed<Row>(
  db: Database,
  name: string,
  sql: string,
  bindings: readonly (string | number | readonly string[])[],
): Promise<Row[]> {
  const { rows } = await db.raw<{ rows: Row[] }>(sql, bindings as never).options({ name: `linehook_${name}` })
  return rows
}
