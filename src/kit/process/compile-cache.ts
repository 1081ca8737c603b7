import module from 'node:module'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../../.compile-cache', import.meta.url))

/**
 * Node 22.1 and newer cache the compiled code of each file, so that the next start is quicker. The cache is beside the
 * build, not in the machine's folder for temporary files, where other users could put code. If the folder cannot be
 * written, Node continues without a cache.
 */
export function keepCompiled(): void {
  const isBuilt = import.meta.url.endsWith('.js')
  if (isBuilt) (module as CompileCache).enableCompileCache?.(folder)
}

/** The types of the oldest Node that this runs on do not have it yet. */
interface CompileCache {
  enableCompileCache?(folder: string): unknown
}
