import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { readSources } from './supervise.js'

/** What is run: by the Procfile, by a person, by `linehook start`. */
const PROGRAMS = [
  'bin/linehook.ts',
  ...readSources().values(),
  'workers/all.ts',
  'dev/receiver.ts',
  'dev/smsc.ts',
]

/** What programs read at run time, by `inProject`. */
const FILES = [
  'src/web/assets',
  'src/database/sql',
  ...readdirSync('src')
    .filter(isLua)
    .map((file) => `src/${file}`),
]

/**
 * Packages that stay where they are: with a binary, with files that they read beside themselves, or loaded by few.
 * The rest is what other packages would use if they were there.
 */
const EXTERNAL = [
  '@node-rs/argon2',
  '@bull-board/*',
  '@aws-sdk/*',
  'msgpackr-extract',
  'pg-native',
  'pg-query-stream',
]

/** Parts of packages for databases that are not ours, which nobody asks for: 1 MB of each process. */
const UNUSED = new RegExp(
  `/node_modules/(${[
    'bullmq/dist/cjs/postgres/index',
    'knex/lib/dialects/(better-sqlite3|cockroachdb|mariadb|mssql|mysql2?|oracle(db)?|pgnative|redshift|sqlite3)/index',
  ].join('|')})\\.js$`,
)

/** An error that nobody caught is printed with its line. */
const MAX_LINE_LENGTH = 120
const CHUNK_LIFE_MS = 24 * 3_600_000

/** What packages that are CommonJS have. */
const BANNER = `import { createRequire as requireFor } from 'node:module'
const require = requireFor(import.meta.url)
const __dirname = import.meta.dirname`

/**
 * `npm run build`: puts each program, with the packages that it uses, into few files. It then starts in half the time (the
 * command line takes 0.6 s instead of 1.3 s, and a third of the processor time), because Node would else look for some
 * 850 files and read each. `npm run check` checks the types.
 *
 * @param more other programs, beside those of the project
 */
export async function bundleProject(folder = 'dist', more: readonly string[] = []): Promise<void> {
  const migrations = readdirSync('migrations')
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `migrations/${file}`)
  const { metafile } = await build({
    entryPoints: [...PROGRAMS, ...migrations, ...more],
    outdir: folder,
    outbase: '.',
    // One folder below, as sources are: see `inProject`.
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // Errors are known by the names of their classes.
    keepNames: true,
    // Comments and indentation are a third of what a process would keep in memory for as long as it runs.
    minifyWhitespace: true,
    lineLimit: MAX_LINE_LENGTH,
    sourcemap: true,
    external: EXTERNAL,
    plugins: [withoutUnused],
    banner: { js: BANNER },
    metafile: true,
    logLevel: 'warning',
  })
  rewriteOutputs(Object.keys(metafile.outputs))
  for (const file of FILES) cpSync(file, join(folder, file), { recursive: true })
  chmodSync(join(folder, 'bin/linehook.js'), 0o755)
  removeFormer(folder, new Set(Object.keys(metafile.outputs)))
}

const withoutUnused: Plugin = {
  name: 'without what is unused',
  setup: (bundling) => {
    bundling.onLoad({ filter: UNUSED }, () => ({ contents: 'module.exports = {}' }))
  },
}

/** What esbuild has no setting for. */
function rewriteOutputs(outputs: readonly string[]): void {
  let isFound = false
  for (const file of outputs.filter((each) => each.endsWith('.js'))) {
    const text = readFileSync(file, 'utf8')
    isFound ||= NAMING.test(text)
    writeFileSync(file, inAscii(nameClassesOnly(text)))
  }
  if (!isFound) throw new Error('esbuild names things in another way than it did')
}

/**
 * To keep names esbuild names every function anew whenever it is made, most of them arrows, which nobody asks for their
 * names: 8 % of what `web` does for a message. Classes keep theirs, which they give themselves (`this`).
 */
function nameClassesOnly(text: string): string {
  return text
    .replaceAll(/\b__name\(this,(\s*"[^"]*")\)/g, '__name(this,$1,true)')
    .replace(NAMING, '__name=(target,value,isClass)=>!isClass?target:__defProp(')
}

const NAMING = /\b__name=\(target,\s*value\)=>\s*__defProp\(/

/**
 * V8 keeps the text of what it runs, with two bytes for each character as soon as one of them needs two. esbuild leaves a
 * few of those in regular expressions, where an escape says the same: 6 MB of each process.
 */
function inAscii(text: string): string {
  return text.replace(/[^\p{ASCII}]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, n) => `\\u${character.charCodeAt(n).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
}

/**
 * Removes what former builds left, because every migration in the folder is run. Chunks stay for a day: a running program
 * of a former build may load one yet, since each program loads in two parts, and the code for media only when needed.
 */
function removeFormer(folder: string, built: ReadonlySet<string>): void {
  const former = ['migrations', 'chunks']
    .flatMap((each) => readdirSync(join(folder, each)).map((file) => join(folder, each, file)))
    .filter((file) => !built.has(relative('.', file)))
  for (const file of former) {
    const isOld = Date.now() - statSync(file).mtimeMs > CHUNK_LIFE_MS
    if (isOld || relative(folder, file).startsWith('migrations')) rmSync(file)
  }
}

function isLua(file: string): boolean {
  return file.endsWith('.lua')
}
