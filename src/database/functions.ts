import { readdirSync, readFileSync } from 'node:fs'
import type { Knex } from 'knex'
import { inProject } from '../project-files.js'

const folder = inProject('src/database/sql/')

/** The functions of the schema, each in a file of its name in `src/database/sql/`. */
export function listFunctions(): string[] {
  return readdirSync(folder)
    .map((file) => file.replace(/\.sql$/, ''))
    .sort()
}

/**
 * Creates functions as they are in their files, or replaces them. `migrate` does so every time, so to change a function
 * you only change its file. If its parameters or columns change, it gets a new name, because processes of the release
 * before run beside those of this one.
 */
export async function createFunctions(db: Knex, names: readonly string[] = listFunctions()): Promise<void> {
  // A function may use what a later migration makes.
  await db.raw('set check_function_bodies = off')
  for (const name of names) {
    const sql = readFileSync(new URL(`${name}.sql`, folder), 'utf8')
    // A question mark is a binding to knex, unless it is told otherwise.
    await db.raw(sql.replaceAll('?', '\\?'))
  }
  await db.raw('reset check_function_bodies')
}
