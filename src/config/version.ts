import { readFileSync } from 'node:fs'
import { hasCode } from '../errors.js'

export function readVersion(): string {
  return readManifest()?.version ?? '0.0.0'
}

/** The oldest Node that the service runs on, such as `20.19`. */
export function oldestNode(): string | undefined {
  return readManifest()?.engines.node.replace(/^>=/, '')
}

interface Manifest {
  name: string
  version: string
  engines: { node: string }
}

/** package.json is two folders up from the sources and three from the compiled files. */
function readManifest(): Manifest | undefined {
  for (const path of ['../../package.json', '../../../package.json']) {
    try {
      const parsed = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as Manifest
      if (parsed.name === 'linehook') return parsed
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error
    }
  }
  return undefined
}
