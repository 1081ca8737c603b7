import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import knex from 'knex'
import { freePort } from '../dev/services/free-port.js'
import { startServices } from '../dev/services/services.js'
import { readProcfile } from '../dev/start/supervise.js'
import type { Environment } from './helpers/process/environment.js'
import { runNode, stopProcesses, type RunningProcess } from './helpers/process/processes.js'
import { startReceiver, type Receiver } from './helpers/services/receiver.js'
import { until } from './helpers/until.js'

/**
 * `npm run test:upgrade`: processes of two commits on one database, side by side in every order of an upgrade and back,
 * with texts and events in between. It ends with 1 unless every text that was answered 200 was sent once, every event was
 * delivered, and nothing crashed.
 */
const { values } = parseArgs({
  options: { from: { type: 'string' }, to: { type: 'string', default: 'HEAD' } },
})
const STAGE_MS = 8000
const TEXT_EVERY_MS = 100
const SETTLED_MS = 90_000
const LINE = '+15005550100'
/** What a process says when it met what nobody expected. */
const CRASHES = /"(job\.crashed|request\.failed|process\.crashed|sweep\.failed)"/

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()
/** Before the first release, the only migration and the functions are changed in place: no upgrade leads over such a change. */
const isReleased = readdirSync('migrations').filter((file) => file.endsWith('.ts')).length > 1
const commits = {
  old: git('rev-parse', values.from ?? (isReleased ? `${newestMigration()}^` : newestSchema())),
  new: git('rev-parse', values.to),
}

mkdirSync('.data', { recursive: true })
const folder = mkdtempSync(resolve('.data/upgrade-'))
const fault: string[] = []
let receiver: Receiver | undefined
let services: Awaited<ReturnType<typeof startServices>> | undefined
try {
  const old = build('old')
  const young = build('new')
  services = await startServices({ dataFolder: join(folder, 'data'), cacheFolder: resolve('.data/packages') })
  receiver = await startReceiver()
  const port = await freePort()
  await run(old, young, createEnvironment(services, port))
} finally {
  await stopProcesses()
  await receiver?.close()
  await services?.stop()
  for (const name of ['old', 'new']) {
    if (existsSync(join(folder, name))) git('worktree', 'remove', '--force', join(folder, name))
  }
  rmSync(folder, { recursive: true, force: true })
}
for (const each of fault) console.error(each)
console.log(fault.length === 0 ? 'Nothing was lost, doubled or refused.' : `${fault.length} faults`)
process.exit(fault.length === 0 ? 0 : 1)

function newestMigration(): string {
  return git('log', '-1', '--diff-filter=A', '--format=%H', values.to, '--', 'migrations/2*.ts')
}

function newestSchema(): string {
  return git('log', '-1', '--format=%H', values.to, '--', 'migrations', 'src/database/sql')
}

/** @returns the folder of the commit, built */
function build(name: keyof typeof commits): string {
  const path = join(folder, name)
  console.log(`${name}: ${git('log', '-1', '--format=%h %ad %s', '--date=iso', commits[name])}`)
  git('worktree', 'add', '--detach', path, commits[name])
  if (hasOurPackages(path)) symlinkSync(resolve('node_modules'), join(path, 'node_modules'))
  else execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: path, stdio: 'ignore' })
  execFileSync('npm', ['run', 'build', '--silent'], { cwd: path, stdio: ['ignore', 'inherit', 'inherit'] })
  return path
}

/** Whether every package that it asks for is installed here in that version. */
function hasOurPackages(path: string): boolean {
  const read = (file: string) =>
    JSON.parse(readFileSync(file, 'utf8')) as {
      dependencies: Record<string, string>
      devDependencies: object
    }
  const theirs = read(join(path, 'package.json'))
  const ours = read('package.json')
  const installed = new Map(Object.entries({ ...ours.dependencies, ...ours.devDependencies }))
  return Object.entries({ ...theirs.dependencies, esbuild: installed.get('esbuild') }).every(
    ([name, version]) => installed.get(name) === version,
  )
}

function createEnvironment(on: { databaseUrl: string; redisUrl: string }, port: number): Environment {
  return {
    DATABASE_URL: on.databaseUrl,
    REDIS_URL: on.redisUrl,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    PORT: String(port),
    HOST: '127.0.0.1',
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    MEDIA_FOLDER: join(folder, 'media'),
    SIMULATOR: 'true',
    ALLOW_HTTP: 'true',
    ALLOWED_PRIVATE_CIDRS: '127.0.0.0/8',
    REQUIRE_SECOND_FACTOR: 'off',
    LOG_FORMAT: 'json',
    DATABASE_POOL_SIZE: '5',
  }
}

async function run(old: string, young: string, environment: Environment): Promise<void> {
  const linehook = async (path: string, ...args: string[]) => {
    const command = runNode('linehook', [join(path, 'dist/bin/linehook.js'), ...args], environment, path)
    if ((await command.exitCode) !== 0)
      throw new Error(`linehook ${args.join(' ')}: ${command.lines.join('\n')}`)
    return command.outputLines
  }
  await linehook(old, 'migrate')
  await linehook(old, 'user', 'add', 'ada@example.com')
  const limits = ['--per-number', '100000', '--per-minute', '100000']
  await linehook(old, 'line', 'add', LINE, '--user', 'ada@example.com', ...limits)
  await linehook(old, 'connection', 'enable', LINE)
  await linehook(old, 'connection', 'set-url', LINE, receiver?.url ?? '')
  const webhookUrl = /http\S+/.exec((await linehook(old, 'webhook', 'create', LINE)).join('\n'))?.[0] ?? ''

  const fleet = createFleet(environment)
  const traffic = createTraffic(webhookUrl, environment.PUBLIC_URL ?? '')
  const stages: [name: string, web: string, workers: string, before?: () => Promise<unknown>][] = [
    ['web and workers of the old one', old, old],
    ['the database of the new one', old, old, () => linehook(young, 'migrate')],
    ['old web, new workers', old, young],
    ['new web, old workers', young, old],
    ['web and workers of the new one', young, young],
    ['back: web and workers of the old one', old, old],
    ['and forward again', young, young],
  ]
  for (const [name, web, workers, before] of stages) {
    await before?.()
    await fleet.become(web, workers)
    const counts = await traffic.during(STAGE_MS)
    const crashes = fleet.takeCrashes()
    console.log(`${name}: ${counts.texts} texts, ${counts.events} events, ${counts.refused.length} refused`)
    fault.push(...[...counts.refused, ...crashes].map((each) => `${name}: ${each}`))
  }
  await settle(environment.DATABASE_URL ?? '', traffic)
  fault.push(...fleet.takeCrashes())
}

/** One process of each type; those whose release changes are stopped as an upgrade does, and started from the other folder. */
function createFleet(environment: Environment) {
  const running = new Map<string, { process: RunningProcess; path: string }>()
  const ended: RunningProcess[] = []
  const replace = async (name: string, path: string) => {
    const former = running.get(name)
    if (former?.path === path) return
    await former?.process.kill('SIGTERM')
    if (former) ended.push(former.process)
    const type = readProcfile(join(path, 'Procfile')).find((each) => each.name === name)
    if (type === undefined) return
    const started = runNode(name, [join(path, type.command[1] ?? '')], environment, path)
    running.set(name, { process: started, path })
    const hasStarted = () => started.log().some(({ msg }) => msg === 'process.started')
    await until(() => `${name} starts: ${started.lines.join('\n')}`, hasStarted, 30_000)
  }
  return {
    become: async (web: string, workers: string) => {
      await replace('web', web)
      const names = new Set(
        [web, workers].flatMap((path) => readProcfile(join(path, 'Procfile')).map(({ name }) => name)),
      )
      names.delete('web')
      await Promise.all(Array.from(names, (name) => replace(name, workers)))
    },
    takeCrashes: () =>
      [...ended, ...Array.from(running.values(), ({ process }) => process)].flatMap(({ name, lines }) =>
        lines.splice(0).flatMap((line) => (CRASHES.test(line) ? [`${name}: ${line.slice(0, 600)}`] : [])),
      ),
  }
}

type Traffic = ReturnType<typeof createTraffic>

/** Texts to the incoming webhook, and texts that the line receives, each to or from a number of its own. */
function createTraffic(webhookUrl: string, url: string) {
  const texts: string[] = []
  const events: string[] = []
  let count = 0
  const postJson = (to: string, body: object) =>
    fetch(to, { method: 'POST', body: JSON.stringify(body), signal: AbortSignal.timeout(10_000) })
  const once = async (refused: string[]) => {
    const number = `+1415555${String((count += 1)).padStart(4, '0')}`
    const out = await postJson(webhookUrl, { intent: 'message', data: { toNumber: number, text: 'Hello' } })
    if (out.status === 200) texts.push(out.headers.get('message-id') ?? '')
    else refused.push(`a text was answered ${out.status} ${await out.text()}`)
    const payload = `Text ${count}`
    const inbound = { fromNumber: number, toNumber: LINE, text: payload }
    const back = await postJson(`${url}/simulator/inbound`, inbound)
    if (back.status === 200) events.push(payload)
    else refused.push(`an inbound text was answered ${back.status} ${await back.text()}`)
  }
  return {
    texts,
    events,
    during: async (ms: number) => {
      const before = { texts: texts.length, events: events.length }
      const refused: string[] = []
      for (const end = Date.now() + ms; Date.now() < end;) {
        await once(refused).catch((error: unknown) => {
          refused.push(`no answer: ${String(error)}`)
        })
        await sleep(TEXT_EVERY_MS)
      }
      return { texts: texts.length - before.texts, events: events.length - before.events, refused }
    },
  }
}

/** Compares what was acknowledged with what the carrier and the receiver got. */
async function settle(databaseUrl: string, { texts, events }: Traffic): Promise<void> {
  const db = knex({ client: 'pg', connection: databaseUrl, pool: { min: 0, max: 1 } })
  try {
    const open = async () => {
      const messages = await db('messages')
        .whereIn('status', ['queued', 'sending', 'sent'])
        .count<{ count: string }[]>()
      const deliveries = await db('deliveries').whereNot({ status: 'delivered' }).count<{ count: string }[]>()
      return Number(messages[0]?.count) + Number(deliveries[0]?.count)
    }
    await until('everything is over', async () => (await open()) === 0, SETTLED_MS).catch(
      (error: unknown) => {
        fault.push(String(error))
      },
    )
    const taken: { id: string; count: number }[] = await db('simulator_outbox')
      .groupBy('message_id')
      .select({ id: 'message_id' }, db.raw('count(*)::integer as count'))
    const counts = new Map(taken.map(({ id, count }) => [id, count]))
    const heard = new Map<string, Set<unknown>>()
    for (const { headers, body } of receiver?.requests ?? []) {
      const { payload } = JSON.parse(body) as { payload: string }
      heard.set(payload, (heard.get(payload) ?? new Set()).add(headers['webhook-id']))
    }
    const lost = texts.filter((id) => !counts.has(id)).length
    const doubled = taken.filter(({ count }) => count > 1).length
    const unheard = events.filter((payload) => !heard.has(payload)).length
    const twoIds = [...heard.values()].filter((ids) => ids.size > 1).length
    console.log(`${texts.length} texts: ${lost} lost, ${doubled} doubled`)
    console.log(`${events.length} events: ${unheard} lost, ${twoIds} with two ids`)
    if (lost + doubled + unheard + twoIds > 0) fault.push('texts or events were lost or doubled')
  } finally {
    await db.destroy()
  }
}
