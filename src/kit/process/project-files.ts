const folder = new URL('../../../', import.meta.url)

/**
 * A file that is read at run time, by its path in the project. What is built lies in `dist` as the sources lie in the
 * project, and `npm run build` copies there what is read (`dev/compile.ts`).
 */
export function inProject(path: string): URL {
  return new URL(path, folder)
}
