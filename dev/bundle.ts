import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { readSources } from './supervise.js'

/** The programs that the Procfile, a person or `linehook start` runs. */
const PROGRAMS = [
  'bin/linehook.ts',
  ...readSources().values(),
  'workers/all.ts',
  'dev/receiver.ts',
  'dev/smsc.ts',
]

/** The files that programs read at run time, by `inProject`. */
const FILES = [
  'src/web/assets',
  'src/database/sql',
  ...readdirSync('src')
    .filter(isLua)
    .map((file) => `src/${file}`),
]

/**
 * These packages stay in node_modules, because they have a binary, read files beside themselves, or are seldom loaded. The
 * last three are not installed: other packages would use them if they were.
 */
const EXTERNAL = [
  '@node-rs/argon2',
  '@bull-board/*',
  '@aws-sdk/*',
  '@simplewebauthn/*',
  'msgpackr-extract',
  'pg-native',
  'pg-query-stream',
]

/**
 * These parts of packages are for other databases than Postgres. Nobody uses them, and they take 1 MB of each process.
 */
const UNUSED = new RegExp(
  `/node_modules/(${[
    'bullmq/dist/cjs/postgres/index',
    'knex/lib/dialects/(better-sqlite3|cockroachdb|mariadb|mssql|mysql2?|oracle(db)?|pgnative|redshift|sqlite3)/index',
  ].join('|')})\\.js$`,
)

/** Node prints an uncaught error with its whole line of source. Without breaks a line would be as long as the file. */
const MAX_LINE_LENGTH = 120
/** A program of the build before may still load its chunks. No upgrade takes a day, and the disk must not fill. */
const CHUNK_LIFE_MS = 24 * 3_600_000

/** Packages that are CommonJS expect these names. */
const BANNER = `import { createRequire as requireFor } from 'node:module'
const require = requireFor(import.meta.url)
const __dirname = import.meta.dirname`

/**
 * `npm run build`: puts each program, with the packages that it uses, into few files. A program then starts in half the
 * time: the command line takes 0.6 s instead of 1.3 s, and a third of the processor time. Otherwise Node would have to find
 * and read some 850 files. `npm run check` checks the types.
 *
 * @param more programs to build besides those of the project
 */
export async function bundleProject(folder = 'dist', more: readonly string[] = []): Promise<void> {
  const migrations = readdirSync('migrations')
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `migrations/${file}`)
  const { metafile } = await build({
    entryPoints: [...PROGRAMS, ...migrations, ...more],
    outdir: folder,
    outbase: '.',
    // Chunks are one folder below the top, as sources are, because `inProject` counts on that.
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // Code and logs tell errors by the names of their classes.
    keepNames: true,
    // A process keeps its source in memory for as long as it runs, and a third of that is comments and indentation.
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

/** Changes what esbuild wrote, where it has no setting. */
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
 * To keep names, esbuild sets the name of a function each time the function is made. Most are arrow functions, and nobody
 * reads their names, but setting them takes 8 % of the time that `web` has for a message. So only classes keep their names.
 * They are recognized by `this`, because a class sets its own name.
 */
function nameClassesOnly(text: string): string {
  return text
    .replaceAll(/\b__name\(this,(\s*"[^"]*")\)/g, '__name(this,$1,true)')
    .replace(NAMING, '__name=(target,value,isClass)=>!isClass?target:__defProp(')
}

const NAMING = /\b__name=\(target,\s*value\)=>\s*__defProp\(/

/**
 * V8 keeps the source that it runs. If one character needs two bytes, each character takes two. esbuild leaves a few such
 * characters in regular expressions, where an escape means the same. This saves 6 MB in each process.
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
 * Removes what earlier builds left. Old migrations must go, because every migration in the folder is run. Old chunks stay
 * for a day, because a program of an earlier build may still load one: each program loads in two parts, and the code for
 * media only when it is needed.
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
