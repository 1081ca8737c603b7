import { readdirSync, rmSync, statfsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { stopOrphan } from '../../dev/services/orphan.js'
import { startServices, type Services } from '../../dev/services/services.js'
import { createTemplate } from './services/services.js'

const MEMORY = '/dev/shm'
/** Of a whole run; it has some 300 databases. */
const NEEDED_BYTES = 4 * 1024 ** 3
const PREFIX = 'linehook-test-'

/** In memory where there is enough of it: half of the time of a test that asks Postgres went into its files. */
const dataFolder = join(hasRoomInMemory() ? MEMORY : resolve('.data'), `${PREFIX}${process.pid}`)
let services: Services | undefined

/** One Postgres and one Redis for the run, with data of its own; test files get databases of theirs in it. */
export async function mochaGlobalSetup(): Promise<void> {
  try {
    await removeLeftovers()
    await startOwnServices()
  } catch (error) {
    // Mocha calls no teardown then, and what runs would keep the process.
    await mochaGlobalTeardown()
    throw error
  }
}

async function startOwnServices(): Promise<void> {
  services = await startServices({ dataFolder, cacheFolder: resolve('.data/packages') })
  process.env.TEST_DATA_FOLDER = dataFolder
  process.env.TEST_DATABASE_URL = services.databaseUrl
  process.env.TEST_REDIS_URL = services.redisUrl
  await createTemplate()
}

/** The process that reports a parallel run gets only the stack of a failure, and a stack does not name the cause. */
export const mochaHooks = {
  afterEach(this: Mocha.Context): void {
    const error = this.currentTest?.err
    if (error?.cause instanceof Error && process.env.MOCHA_WORKER_ID !== undefined)
      error.stack = `${error.stack}\nCaused by: ${error.cause.stack}`
  },
}

export async function mochaGlobalTeardown(): Promise<void> {
  await services?.stop()
  rmSync(dataFolder, { recursive: true, force: true })
  endEvenIfSomethingIsLeft()
}

/** A run that a server or a socket of a test keeps open would never end, and nobody would know why. */
function endEvenIfSomethingIsLeft(): void {
  setTimeout(() => {
    console.error(`A test left something open: ${process.getActiveResourcesInfo().join(', ')}`)
    process.exit(1)
  }, 120_000).unref()
}

function hasRoomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize > NEEDED_BYTES
  } catch {
    return false
  }
}

/**
 * Of runs that were killed: nobody else would give the memory back. Postgres ends when its folder is gone, Redis does
 * not.
 */
async function removeLeftovers(): Promise<void> {
  if (!dataFolder.startsWith(MEMORY)) return
  for (const name of readdirSync(MEMORY).filter((name) => name.startsWith(PREFIX))) {
    if (isRunning(Number(name.slice(PREFIX.length)))) continue
    const folder = join(MEMORY, name, 'redis')
    const search = { pidPath: join(folder, 'redis.pid'), folder, names: ['redis-server', 'valkey-server'] }
    await stopOrphan(search, ['SIGKILL'])
    rmSync(join(MEMORY, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
