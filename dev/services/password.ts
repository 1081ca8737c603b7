import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** Reads the password in this file, or writes a new one. Only the owner of the file may read it. */
export function keptPassword(path: string): string {
  // The file is empty if the process that wrote it was killed.
  const kept = existsSync(path) ? readFileSync(path, 'utf8') : ''
  if (kept !== '') return kept
  const password = randomBytes(24).toString('hex')
  writeFileSync(path, password, { mode: 0o600 })
  return password
}
