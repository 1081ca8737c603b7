import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** The password in this file, which its owner alone may read; a new one where there is none. */
export function keptPassword(path: string): string {
  // Empty is one whose writer was killed.
  const kept = existsSync(path) ? readFileSync(path, 'utf8') : ''
  if (kept !== '') return kept
  const password = randomBytes(24).toString('hex')
  writeFileSync(path, password, { mode: 0o600 })
  return password
}
