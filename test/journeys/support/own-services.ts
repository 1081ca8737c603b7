import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { freePort } from '../../../dev/services/free-port.js'
import { startPostgres, type EmbeddedService } from '../../../dev/services/postgres.js'
import { startRedis } from '../../../dev/services/redis.js'
import { createDataFolder } from '../../helpers/services/services.js'

/** A service that a story may stop: on a port and with data of its own, which it keeps between its lives. */
export interface OwnService {
  url: string
  /** Without a word to it. */
  kill(): Promise<void>
  /** As an operator would. */
  stop(): Promise<void>
  start(): Promise<void>
  /** Stops it, and deletes its data. */
  remove(): Promise<void>
}

export function ownRedis(): Promise<OwnService> {
  return own('redis', (dataFolder, port) =>
    startRedis({ dataFolder, port, cacheFolder: resolve('.data/packages') }),
  )
}

export function ownPostgres(): Promise<OwnService> {
  return own('postgres', (dataFolder, port) => startPostgres({ dataFolder, port }))
}

async function own(
  name: string,
  start: (dataFolder: string, port: number) => Promise<EmbeddedService>,
): Promise<OwnService> {
  const folder = createDataFolder(`journey-${name}`)
  const dataFolder = join(folder, name)
  const port = await freePort()
  let service = await start(dataFolder, port)
  return {
    url: service.url,
    kill: async () => {
      process.kill(service.pid, 'SIGKILL')
      await service.stop()
    },
    stop: () => service.stop(),
    start: async () => {
      service = await start(dataFolder, port)
    },
    remove: async () => {
      await service.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
