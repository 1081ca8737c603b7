import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { environmentOf, unpackPackages } from '../../../dev/services/debian-packages.js'
import { onPath } from '../../../dev/services/redis-packages.js'
import { createDataFolder } from '../../helpers/services/services.js'
import { until } from '../../helpers/until.js'

/** A serial cable: a pseudo-terminal of the kernel at one end, a port of this machine at the other. */
export interface Cable {
  /** The path of the device. */
  device: string
  /** Pulls it out: the device is gone, for who has it open too. */
  cut(): Promise<void>
}

/** @param device the path that it had before */
export async function startCable(
  port: number,
  device = join(createDataFolder('modem'), 'modem'),
): Promise<Cable> {
  const { command, env } = await findSocat()
  const ends = [`pty,raw,echo=0,link=${device}`, `tcp:127.0.0.1:${port}`]
  const socat = spawn(command, ends, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(socat, 'exit')
  await until('there is a device', () => existsSync(device))
  return {
    device,
    cut: async () => {
      socat.kill('SIGTERM')
      await ended
    },
  }
}

/** The one that is installed. Otherwise Debian's package is unpacked, once. */
async function findSocat(): Promise<{ command: string; env: NodeJS.ProcessEnv }> {
  const installed = onPath('socat')
  if (installed !== undefined) return { command: installed, env: { ...process.env, LC_ALL: 'C' } }
  const cacheFolder = resolve('.data/packages')
  const unpacked = join(cacheFolder, 'socat')
  if (!existsSync(unpacked)) {
    await unpackPackages('socat', cacheFolder, unpacked).catch((error: unknown) => {
      throw new Error('there is no socat: install it (apt-get install socat)', { cause: error })
    })
  }
  return { command: join(unpacked, 'usr/bin/socat'), env: await environmentOf(unpacked) }
}
