import { readFileSync } from 'node:fs'

/** A secret that is longer is another file. */
const MAX_LENGTH = 65_536

export interface GivenSecrets {
  /** Each secret by its own name, wherever it came from. */
  env: NodeJS.ProcessEnv
  /** One sentence for each that cannot be had, which begins with the name of its variable. */
  faults: string[]
}

/**
 * A secret may stand in a file that `<NAME>_FILE` names, as the secrets of Docker, Kubernetes and systemd are given: so it is in
 * no environment, which other programs of the same account read and crash reports carry. The end of the line is not part of it.
 */
export function readSecretFiles(given: NodeJS.ProcessEnv, names: readonly string[]): GivenSecrets {
  // Without the names of files: the process that starts the others has read them, and no child does again.
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
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
    if (text.length > MAX_LENGTH) return { fault: `names a file with more than ${MAX_LENGTH} characters` }
    return text.trim() === '' ? { fault: 'names an empty file' } : text
  } catch (error) {
    // The path is no secret, and what stands in the file never gets here.
    return {
      fault: `names a file that cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`,
    }
  }
}
