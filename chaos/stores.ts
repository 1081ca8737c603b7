import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, statSync, truncateSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../dev/services/free-port.js'
import { startPostgres, type EmbeddedService } from '../dev/services/postgres.js'
import { startRedis } from '../dev/services/redis.js'
import { connectDatabase } from '../src/database/connection.js'
import { migrate } from '../src/database/migrations.js'

/** A Postgres or a Redis of one installation, which can be harmed. */
export interface Store {
  /** It leads straight to the store, past all proxies. */
  url: string
  port: number
  /** REDIS_SENTINELS, where the URL names a master that only they know. */
  sentinels?: string
  /** Kills it without a warning. */
  kill(): Promise<void>
  /** Stops it as an operator would. */
  stop(): Promise<void>
  /** Starts it on the same port, with the same data; or resolves when its replica has taken its place. */
  start(): Promise<void>
  /** Sends SIGSTOP to all of its processes: it keeps its connections and does nothing. */
  freeze(): void
  wake(): void
  /** Of all of its processes. */
  pids(): number[]
}

const PACKAGES = resolve('.data/packages')
const START_ATTEMPTS = 5

/** Makes a migrated cluster to copy from, once in a run, because initdb and migrations take seconds. */
export async function createTemplate(folder: string): Promise<void> {
  const postgres = await startPostgres({ dataFolder: folder })
  const db = connectDatabase({ url: postgres.url, poolSize: 2, applicationName: 'chaos template' })
  await migrate(db)
  await db.destroy()
  await postgres.stop()
}

/** The copy keeps the owner of the files, because Postgres does not run as root. */
export async function copyTemplate(template: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await promisify(execFile)('cp', ['-a', `${template}/.`, folder])
}

export async function ownPostgres(folder: string, template: string): Promise<Store> {
  await copyTemplate(template, folder)
  return own((port) => startPostgres({ dataFolder: folder, port }))
}

export async function ownRedis(folder: string): Promise<Store> {
  await mkdir(folder, { recursive: true })
  return own((port) => startRedis({ dataFolder: folder, port, cacheFolder: PACKAGES }))
}

async function own(launch: (port: number) => Promise<EmbeddedService>): Promise<Store> {
  const port = await freePort()
  let service = await launch(port)
  let frozen: number[] = []
  const wake = () => {
    for (const pid of frozen) signal(pid, 'SIGCONT')
    frozen = []
  }
  return {
    url: service.url,
    port,
    kill: async () => {
      killFamily(service.pid)
      await service.stop()
    },
    stop: () => {
      wake()
      return service.stop()
    },
    start: async () => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          service = await launch(port)
          return
        } catch (error) {
          if (attempt === START_ATTEMPTS) throw error
          await sleep(300)
        }
      }
    },
    freeze: () => {
      // The main process is stopped first, so that it makes no more processes.
      signal(service.pid, 'SIGSTOP')
      frozen = family(service.pid)
      for (const pid of frozen) signal(pid, 'SIGSTOP')
    },
    wake,
    pids: () => family(service.pid),
  }
}

/** The file in which Redis writes down its commands. */
export interface RedisLog {
  size: () => number
  cut: (size: number) => void
}

export function redisLog(folder: string): RedisLog {
  const path = () => {
    const parts = join(folder, 'appendonlydir')
    const file = readdirSync(parts).find((name) => name.endsWith('.incr.aof'))
    if (file === undefined) throw new Error(`no AOF in ${parts}`)
    return join(parts, file)
  }
  return {
    size: () => statSync(path()).size,
    cut: (size) => {
      truncateSync(path(), Math.min(size, statSync(path()).size))
    },
  }
}

/** A server, and the processes that it has made. */
export function killFamily(pid: number): void {
  for (const each of family(pid)) signal(each, 'SIGKILL')
}

function family(pid: number): number[] {
  return [pid, ...childrenOf(pid)]
}

/** They are read from /proc, because a bare machine may have no `ps`. */
function childrenOf(pid: number): number[] {
  if (process.platform !== 'linux') throw new Error('only Linux says which processes belong to Postgres')
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(name) === pid)
    .map(Number)
}

function parentOf(pid: string): number | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The process's name stands before it, and may have spaces and brackets.
    return Number(line.slice(line.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // The process has ended.
  }
}
