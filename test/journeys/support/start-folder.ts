import { cpSync, existsSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** A folder in which a stranger starts Linehook: the compiled program, with nothing configured. */
export function createStartFolder(files = ['package.json', 'Procfile', 'node_modules']): string {
  mkdirSync('.data', { recursive: true })
  const folder = mkdtempSync(resolve('.data/start-test-'))
  cpSync('dist', join(folder, 'dist'), { recursive: true })
  for (const file of files) symlinkSync(resolve(file), join(folder, file))
  // Unpacked once for all tests; a fresh folder would download Redis again.
  mkdirSync(join(folder, '.data'))
  if (existsSync('.data/packages')) symlinkSync(resolve('.data/packages'), join(folder, '.data/packages'))
  return folder
}
