import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Knex } from 'knex'
import { inProject } from '../kit/process/project-files.js'

const folder = inProject('src/database/sql/')

/**
 * Finds the functions of the schema. Each is in a file with its name in a folder of `src/database/sql/`.
 *
 * @returns the files by name
 */
function functionFiles(): Map<string, URL> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.sql'),
  )
  return new Map(files.map((file) => [basename(file, '.sql'), new URL(file, folder)]))
}

export function listFunctions(): string[] {
  return [...functionFiles().keys()].sort()
}

/**
 * Creates functions as they are in their files, or replaces them. `migrate` does so every time, so to change a function
 * you only change its file. If its parameters or columns change, it gets a new name, because processes of the previous
 * release run beside those of this one.
 */
export async function createFunctions(db: Knex, names: readonly string[] = listFunctions()): Promise<void> {
  // A function may use objects that a later migration makes.
  await db.raw('set check_function_bodies = off')
  const files = functionFiles()
  for (const name of names) {
    const file = files.get(name)
    if (file === undefined) throw new Error(`there is no ${name}.sql in src/database/sql`)
    const sql = readFileSync(file, 'utf8')
    // knex treats a question mark as a binding unless it is escaped.
    await db.raw(sql.replaceAll('?', '\\?'))
  }
  await db.raw('reset check_function_bodies')
}
