import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { freePort } from '../dev/free-port.js'
import type { Environment } from '../test/helpers/environment.js'
import { runNode, TSX, type ProcessName, type RunningProcess } from '../test/helpers/processes.js'
import { until } from '../test/helpers/until.js'
import { startCopy, type Copy } from './fleet.js'
import { startProxy, type Proxy } from './proxy.js'
import { seed, type Seeds } from './seeds.js'
import type { Manner } from './stand-ins/receiver.js'
import { ownPostgres, ownRedis, redisLog, type RedisLog, type Store } from './stores.js'

/** How many of each there are, and what is wrong with their clocks. */
export interface Layout {
  copies: Partial<Record<ProcessName, number>>
  /** In ms, by copy; those that are not named have the right time. */
  clocksMs: Partial<Record<ProcessName, readonly number[]>>
  environment: Environment
}

export interface ProxyPair {
  postgres: Proxy
  redis: Proxy
}

/** A Linehook of its own, with all that it talks to. */
export interface Installation {
  postgres: Store
  redis: Store
  redisLog: RedisLog
  /** Between `web` and the stores, and between the workers and the stores. */
  proxies: { web: ProxyPair; workers: ProxyPair }
  /** Between everybody and the carrier. */
  carrier: Proxy
  copies: Copy[]
  webUrls: string[]
  seeds: Seeds
  /** How the first receiver treats events from now on; the second one is always good. */
  treatEvents: (manner: Manner) => Promise<void>
  taken(): Promise<Taken[]>
  received(): Promise<Received[]>
  /** Leaves what they all wrote, and ends everything. */
  close(): Promise<void>
}

/** What the carrier saw: a text, when it had it. */
export interface Taken {
  at: number
  sid: string
  from: string
  to: string
  text: string
}

/** What a receiver saw and answered with success. */
export interface Received {
  at: number
  /** The header webhook-id. */
  id: string
  event: { type: string; payload: string; fromNumber: string; toNumber: string }
}

const EVERY_KIND: Record<ProcessName, number> = {
  web: 1,
  'send-message': 1,
  'deliver-event': 1,
  'fetch-media': 1,
  maintenance: 1,
  'receive-smpp': 0,
}

/** Short, so that what a killed worker held is looked at again within a run: a lease is 15 s longer than these. */
const TIMES: Environment = {
  CARRIER_TIMEOUT_MS: '2000',
  DELIVERY_TIMEOUT_MS: '2000',
  DELIVERY_RETRY_BASE_MS: '300',
}

export async function install(
  folder: string,
  template: string,
  layout: Partial<Layout>,
): Promise<Installation> {
  await mkdir(folder, { recursive: true })
  const ends: (() => unknown)[] = []
  try {
    return await build(folder, template, layout, ends)
  } catch (error) {
    await endAll(ends)
    throw error
  }
}

async function build(
  folder: string,
  template: string,
  { copies: given = {}, clocksMs = {}, environment: extra = {} }: Partial<Layout>,
  ends: (() => unknown)[],
): Promise<Installation> {
  const redisFolder = join(folder, 'redis')
  const [postgres, redis] = await Promise.all([
    ownPostgres(join(folder, 'postgres'), template),
    ownRedis(redisFolder),
  ])
  ends.push(
    () => postgres.stop(),
    () => redis.stop(),
  )
  const proxy = async (port: number) => {
    const started = await startProxy(port)
    ends.push(() => {
      started.close()
    })
    return started
  }
  const standIn = (name: string) => startStandIn(name, folder, ends)
  const [carrier, ...receivers] = await Promise.all([
    standIn('carrier'),
    standIn('receiver-1'),
    standIn('receiver-2'),
  ])
  const carrierProxy = await proxy(Number(new URL(carrier).port))
  const proxies = {
    web: { postgres: await proxy(postgres.port), redis: await proxy(redis.port) },
    workers: { postgres: await proxy(postgres.port), redis: await proxy(redis.port) },
  }

  const counts = { ...EVERY_KIND, ...given }
  const ports = await Promise.all(Array.from({ length: counts.web }, () => freePort()))
  const webUrls = ports.map((port) => `http://127.0.0.1:${port}`)
  const environment: Environment = {
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    HOST: '127.0.0.1',
    PUBLIC_URL: webUrls[0] ?? '',
    MEDIA_FOLDER: resolve(folder, 'media'),
    LOG_LEVEL: 'info',
    ALLOW_HTTP: 'true',
    ALLOWED_PRIVATE_CIDRS: '127.0.0.0/8,::1/128',
    ...TIMES,
    ...extra,
  }
  const straight = { ...environment, LOG_LEVEL: 'silent', DATABASE_URL: postgres.url, REDIS_URL: redis.url }
  const seeds = await seed(straight, `http://127.0.0.1:${carrierProxy.port}`, receivers.map(eventsOf))

  const copies = Object.entries(counts).flatMap(([name, count]) =>
    Array.from({ length: count }, (_, index) => {
      const kind = name as ProcessName
      const through = proxies[kind === 'web' ? 'web' : 'workers']
      const own = {
        ...environment,
        DATABASE_URL: withPort(postgres.url, through.postgres.port),
        REDIS_URL: withPort(redis.url, through.redis.port),
        ...(kind === 'web' ? { PORT: String(ports[index]) } : {}),
      }
      return startCopy(kind, own, clocksMs[kind]?.[index])
    }),
  )
  ends.push(...copies.map((copy) => () => copy.end()))
  await Promise.all(copies.map((copy) => copy.whenStarted()))

  const [first] = receivers
  return {
    postgres,
    redis,
    redisLog: redisLog(redisFolder),
    proxies,
    carrier: carrierProxy,
    copies,
    webUrls,
    seeds,
    treatEvents: async (manner) => {
      await fetch(`${first}/manner`, { method: 'PUT', body: manner })
    },
    taken: () => readRecords<Taken>(folder, 'carrier'),
    received: async () => {
      const both = ['receiver-1', 'receiver-2'].map((name) => readRecords<Received>(folder, name))
      return (await Promise.all(both)).flat()
    },
    close: async () => {
      await endAll(ends)
      for (const [index, copy] of copies.entries()) {
        await writeFile(join(folder, `${copy.name}-${index}.log`), `${copy.output().join('\n')}\n`)
      }
    },
  }
}

/** @returns its URL */
async function startStandIn(name: string, folder: string, ends: (() => unknown)[]): Promise<string> {
  const script = resolve(`chaos/stand-ins/${name.replace(/-\d$/, '')}.ts`)
  const standIn = runNode(name, [...TSX, script], { RECORD: recordOf(folder, name) })
  ends.push(() => standIn.kill('SIGKILL'))
  return until(`${name} has started`, () => urlOf(standIn), 60_000)
}

function urlOf(standIn: RunningProcess): string | undefined {
  if (!standIn.isRunning()) throw new Error(`it ended:\n${standIn.lines.join('\n')}`)
  return standIn.log().find(({ msg }) => msg === 'process.started')?.url as string | undefined
}

function recordOf(folder: string, name: string): string {
  return join(folder, `${name}.jsonl`)
}

async function readRecords<T>(folder: string, name: string): Promise<T[]> {
  const text = await readFile(recordOf(folder, name), 'utf8').catch(() => '')
  const lines = text.split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as T)
}

function eventsOf(url: string): string {
  return `${url}/events`
}

function withPort(url: string, port: number): string {
  const changed = new URL(url)
  changed.port = String(port)
  return changed.href
}

/** Last made, first ended; one that fails does not keep the others. */
async function endAll(ends: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = []
  for (const end of [...ends].reverse()) {
    try {
      await end()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'something could not be ended')
}
