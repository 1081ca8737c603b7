import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { startServices, type Services } from '../dev/services.js'
import { readConfig } from '../src/config.js'
import { migrate } from '../src/database/migrations.js'
import { createContext, type Context } from '../src/domain/context.js'
import { whenReady } from '../src/redis.js'

/** A Linehook of its own for one bench run: services, a context to prepare data with, and processes to measure. */
export interface Bench {
  context: Context
  env: Record<string, string>
  /** Starts a compiled process and waits until it says that it has started. */
  start(script: string, overrides?: Record<string, string>): Promise<ChildProcess>
  close(): Promise<void>
}

const dataFolder = resolve('.data/bench')

export async function openBench(): Promise<Bench> {
  rmSync(dataFolder, { recursive: true, force: true })
  const services: Services = await startServices({ dataFolder, cacheFolder: resolve('.data/packages') })
  const env = {
    DATABASE_URL: services.databaseUrl,
    REDIS_URL: services.redisUrl,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
    SIMULATOR: 'true',
    ALLOW_HTTP: 'true',
    ALLOWED_PRIVATE_CIDRS: '127.0.0.0/8',
    MAX_QUEUED_MESSAGES: '10000000',
    MAX_QUEUED_PER_LINE: '1000000',
  }
  const context = createContext(readConfig({ ...env, LOG_LEVEL: 'warn' }), {
    process: 'bench',
    statementTimeoutMs: 60_000,
  })
  await whenReady(context.redis)
  await migrate(context.db)
  const children: ChildProcess[] = []
  return {
    context,
    env,
    start: async (script, overrides = {}) => {
      const child = spawn(process.execPath, [script], {
        env: { PATH: process.env.PATH, ...env, ...overrides },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      children.push(child)
      for await (const line of createInterface({ input: child.stdout })) {
        if (line.includes('process.started')) break
      }
      child.stdout.resume()
      return child
    },
    close: async () => {
      for (const child of children) await stop(child)
      await context.close()
      await services.stop()
      rmSync(dataFolder, { recursive: true, force: true })
    },
  }
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** Waits for work that is under way elsewhere; gives the milliseconds that it took. */
export async function timed(isDone: () => Promise<boolean>, limitMs = 120_000): Promise<number> {
  const startedAt = performance.now()
  while (!(await isDone())) {
    if (performance.now() - startedAt > limitMs) throw new Error(`not done within ${limitMs} ms`)
    await new Promise((next) => setTimeout(next, 20))
  }
  return performance.now() - startedAt
}
