import { closeSync, openSync, readSync } from 'node:fs'

/** A longer file is not a secret. */
const MAX_LENGTH = 65_536

export interface GivenSecrets {
  /** Each secret under its name, wherever it came from. */
  env: NodeJS.ProcessEnv
  /** A sentence for each secret that cannot be read, which begins with the name of its variable. */
  faults: string[]
}

/**
 * Reads secrets from the files that `<NAME>_FILE` names, which is how Docker, Kubernetes and systemd provide secrets.
 * Such a secret is in no environment, which other programs of the same account can read and crash reports carry. The
 * newline at the end of the file is not part of it.
 */
export function readSecretFiles(given: NodeJS.ProcessEnv, names: readonly string[]): GivenSecrets {
  // The names of files are left out: the process that starts the others has read them, and no child reads them again.
  const files = new Set(names.map((name) => `${name}_FILE`))
  const env: NodeJS.ProcessEnv = Object.fromEntries(
    Object.entries(given).filter(([name]) => !files.has(name)),
  )
  const faults: string[] = []
  for (const name of names) {
    const variable = `${name}_FILE`
    const path = given[variable]?.trim() ?? ''
    if (path === '') continue
    if ((given[name]?.trim() ?? '') !== '') {
      faults.push(`${variable} and ${name} are both set. Remove one of them`)
      continue
    }
    const read = readSecret(path)
    if (typeof read === 'string') env[name] = read
    else faults.push(`${variable} ${read.fault}`)
  }
  return { env, faults }
}

function readSecret(path: string): string | { fault: string } {
  try {
    const text = readBeginning(path).replace(/\r?\n$/, '')
    if (text.length > MAX_LENGTH) return { fault: `names a file with more than ${MAX_LENGTH} characters` }
    return text.trim() === '' ? { fault: 'names an empty file' } : text
  } catch (error) {
    // The path is not secret, and the file's contents never get here.
    return {
      fault: `names a file that cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`,
    }
  }
}

/** A character has up to three bytes in UTF-8 for each unit of its length; the newline may have two more. */
const MAX_BYTES = 3 * MAX_LENGTH + 2

/** Reads one byte more than a secret can have, so that nothing is read to an end that is far away, or never comes. */
function readBeginning(path: string): string {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(MAX_BYTES + 1)
    let length = 0
    // A pipe gives its bytes in parts.
    for (let read = 1; read > 0 && length < bytes.length; length += read)
      read = readSync(file, bytes, length, bytes.length - length, null)
    return bytes.toString('utf8', 0, length)
  } finally {
    closeSync(file)
  }
}
