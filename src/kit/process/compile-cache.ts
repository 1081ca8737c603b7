import module from 'node:module'

const folder = new URL('../../../.compile-cache', import.meta.url)

/**
 * Node 22.1 and newer keep what they compiled of each file, so that the next start is quicker. It stands beside the build
 * and not in the machine's folder for temporary files, where others could put code of theirs. Where the folder cannot be
 * written, Node goes on without.
 */
export function keepCompiled(): void {
  const isBuilt = import.meta.url.endsWith('.js')
  if (isBuilt) (module as CompileCache).enableCompileCache?.(folder.pathname)
}

/** Not yet in the types of the oldest Node that this runs on. */
interface CompileCache {
  enableCompileCache?(folder: string): unknown
}
