const folder = new URL('../../../', import.meta.url)

/**
 * The URL of a file that is read at run time, by its path in the project. The build in `dist` has the same layout as
 * the sources, and `npm run build` copies the files that are read to it (`dev/compile.ts`).
 */
export function inProject(path: string): URL {
  return new URL(path, folder)
}
