import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Checks the rules of the architecture by the import lines, and prints which rule a file breaks. A file imports from
 * lower floors only. The rooms of a floor with `keepApart` never import each other. Some packages have one owner.
 */
const FLOORS: { floor: number; rooms: RegExp[]; keepApart?: boolean }[] = [
  {
    floor: 0,
    rooms: [/^src\/(config|errors|ids|shape|vocabulary|weak-password|without-ending)\.ts$/, /^src\/config\//],
  },
  { floor: 1, rooms: [/^src\/(kit|telemetry|safe-fetch)\//, /^src\/[a-z-]+\.ts$/] },
  {
    floor: 2,
    rooms: [/^src\/database\//, /^src\/queues\//, /^src\/carriers\//, /^src\/storage\//],
    keepApart: true,
  },
  { floor: 3, rooms: [/^src\/domain\//] },
  { floor: 4, rooms: [/^src\/(web\/|server\.ts$)/, /^workers\//], keepApart: true },
]

const OWNERS: Record<string, RegExp> = {
  koa: /^src\/web\//,
  '@koa/router': /^src\/web\//,
  knex: /^src\/database\//,
  pg: /^src\/database\//,
  'pg-copy-streams': /^src\/database\//,
  bullmq: /^(src\/queues\/|workers\/)/,
  ioredis: /^src\/kit\/redis\/|^src\/queues\/|^src\/domain\/(open-)?context\.ts$/,
  nodemailer: /^src\/mail\.ts$/,
  undici: /^src\/safe-fetch/,
  '@aws-sdk/client-s3': /^src\/storage\//,
  smpp: /^src\/carriers\/smpp\//,
  serialport: /^src\/carriers\/modem\//,
  pino: /^src\/telemetry\//,
  'prom-client': /^src\/telemetry\//,
  '@opentelemetry/api': /^src\/telemetry\//,
  '@opentelemetry/sdk-trace-base': /^src\/telemetry\//,
  'pino-pretty': /^src\/telemetry\//,
}

export interface Import {
  from: string
  /** The path of a file of the project, or the name of a package. */
  to: string
}

/** @returns a sentence for each broken rule */
export function findBreaches(imports: readonly Import[]): string[] {
  return [
    ...imports.flatMap(({ from, to }) => [...breachOfFloor(from, to), ...breachOfOwner(from, to)]),
    ...findCycles(imports),
  ]
}

function breachOfFloor(from: string, to: string): string[] {
  const here = locate(from)
  const there = locate(to)
  if (here === undefined || there === undefined) return []
  if (here.floor < there.floor)
    return [
      `${from} (floor ${here.floor}) imports ${to} (floor ${there.floor}): only lower floors may be imported`,
    ]
  const isOtherRoom = here.floor === there.floor && here.room !== there.room
  return isOtherRoom && here.keepApart
    ? [`${from} imports ${to}: these two rooms of floor ${here.floor} never import one another`]
    : []
}

function breachOfOwner(from: string, to: string): string[] {
  const owner = OWNERS[to]
  return owner && /^(src|workers)\//.test(from) && !owner.test(from)
    ? [`${from} imports ${to}, which belongs to ${owner.source}`]
    : []
}

function findCycles(imports: readonly Import[]): string[] {
  const graph = new Map<string, string[]>()
  for (const { from, to } of imports) graph.set(from, [...(graph.get(from) ?? []), to])
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (file: string, path: string[]) => {
    if (path.includes(file))
      cycles.push(`import cycle: ${[...path.slice(path.indexOf(file)), file].join(' → ')}`)
    if (done.has(file) || path.includes(file)) return
    for (const next of graph.get(file) ?? []) visit(next, [...path, file])
    done.add(file)
  }
  for (const file of graph.keys()) visit(file, [])
  return cycles
}

function locate(path: string) {
  for (const { floor, rooms, keepApart = false } of FLOORS) {
    const room = rooms.findIndex((pattern) => pattern.test(path))
    // server.ts belongs to the same room as web/. Without this exception, it would match the single files of floor 1.
    if (room >= 0 && !(floor === 1 && path === 'src/server.ts')) return { floor, room, keepApart }
  }
  return undefined
}

const IMPORT = /^(?:import|export)\b[^'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm

/** Imports of types count too, because a file that knows a type knows something about the other room. */
export function readImports(folders: readonly string[]): Import[] {
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => join(folder, file)),
  )
  return files.flatMap((from) =>
    [...readFileSync(from, 'utf8').matchAll(IMPORT)].map((match) => {
      const specifier = match[1] ?? match[2] ?? match[3] ?? ''
      const to = specifier.startsWith('.')
        ? sourceOf(normalize(join(dirname(from), specifier)))
        : specifier
            .split('/')
            .slice(0, specifier.startsWith('@') ? 2 : 1)
            .join('/')
      return { from, to }
    }),
  )
}

/** The source of the built file that an import names. */
function sourceOf(path: string): string {
  const page = path.replace(/\.js$/, '.tsx')
  return existsSync(page) ? page : path.replace(/\.js$/, '.ts')
}

/** All code that runs. The rules of floors and owners are about `src` and `workers`; cycles are allowed nowhere. */
export const FOLDERS = ['src', 'workers', 'bin', 'dev', 'bench', 'chaos']

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const breaches = findBreaches(readImports(FOLDERS))
  process.stdout.write(breaches.length === 0 ? 'The architecture holds.\n' : `${breaches.join('\n')}\n`)
  process.exitCode = breaches.length === 0 ? 0 : 1
}
