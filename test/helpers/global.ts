import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { startServices, type Services } from '../../dev/services.js'
import { compile } from './compile.js'
import { createTemplate } from './services.js'

const dataFolder = resolve(`.data/test-${process.pid}`)
let services: Services | undefined

/** One Postgres and one Redis for the run, with data of its own; test files get databases of theirs in it. */
export async function mochaGlobalSetup(): Promise<void> {
  try {
    await Promise.all([compile(), startOwnServices()])
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
  }, 20_000).unref()
}
