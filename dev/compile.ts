import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { build } from 'esbuild'

/** The programs, and what they import. */
const FOLDERS = ['bin', 'dev', 'migrations', 'src', 'workers']
const TYPESCRIPT = /\.tsx?$/
const DECLARATION = /\.d\.ts$/
const COMPILED = /\.js(\.map)?$/

/**
 * `npm run build`: compiles our files one by one into `dist`, in the same layout as the sources. Packages stay in
 * node_modules and run as they were published, because bundling would change them (an undeclared variable is an error in
 * an ES module, and a chunk need not have the exports of its package). `npm run check` checks the types.
 *
 * A file is written only if it changes, because programs may be running from it.
 *
 * @param more folders or files to compile besides those that are run
 */
export async function compileProject(more: readonly string[] = [], folder = 'dist'): Promise<void> {
  const files = [...FOLDERS, ...more].flatMap(filesBelow)
  const { outputFiles } = await build({
    entryPoints: files.filter((file) => TYPESCRIPT.test(file) && !DECLARATION.test(file)),
    outdir: folder,
    outbase: '.',
    bundle: false,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    sourcemap: true,
    sourcesContent: false,
    write: false,
    logLevel: 'warning',
  })
  let hasChanged = false
  for (const { path, contents } of outputFiles) hasChanged = writeChanged(path, contents) || hasChanged
  // Node keeps compiled code there for files that have changed (`src/kit/process/compile-cache.ts`).
  if (hasChanged) rmSync(join(folder, '.compile-cache'), { recursive: true, force: true })
  // These files are read at run time (`inProject`): the statements, the scripts of Redis, the files of pages.
  for (const file of files.filter(
    (each) => /^(src|migrations\/tables)\//.test(each) && !TYPESCRIPT.test(each),
  ))
    writeChanged(join(folder, file), readFileSync(file))
  chmodSync(join(folder, 'bin/linehook.js'), 0o755)
  removeOrphans(folder)
}

function filesBelow(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

/** @returns true if the file had to be written */
function writeChanged(path: string, contents: Uint8Array): boolean {
  if (existsSync(path) && readFileSync(path).equals(contents)) return false
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, contents)
  return true
}

/** Removes compiled files whose sources are gone: every migration in the folder would be run. */
function removeOrphans(folder: string): void {
  const compiled = filesBelow(folder).filter((file) => COMPILED.test(file))
  for (const file of compiled) {
    const source = relative(folder, file).replace(COMPILED, '')
    if (!['.ts', '.tsx', '.js'].some((ending) => existsSync(`${source}${ending}`))) rmSync(file)
  }
}
