import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { environmentOf, unpackPackages } from '../../../dev/services/debian-packages.js'

const run = promisify(execFile)

/** Pages and the server itself: 270 MB. */
const UNUSED = ['usr/share', 'usr/bin/prometheus']

/**
 * Runs Prometheus's own tool: the one on PATH, else that of Debian's package, unpacked once.
 *
 * @param input what it reads from standard input
 * @returns what it printed
 * @throws Error with what it printed, when it found something, and where Debian's packages cannot be had
 */
export async function promtool(args: readonly string[], input = ''): Promise<string> {
  const { command, env } = await findPromtool()
  try {
    const running = run(command, args, { env })
    running.child.stdin?.end(input)
    const { stdout, stderr } = await running
    return stdout + stderr
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`promtool ${args.join(' ')}:\n${stdout}${stderr}`, { cause: error })
  }
}

async function findPromtool(): Promise<{ command: string; env: NodeJS.ProcessEnv }> {
  if (spawnSync('promtool', ['--version']).status === 0) return { command: 'promtool', env: process.env }
  const cacheFolder = resolve('.data/packages')
  const unpacked = join(cacheFolder, 'prometheus')
  if (!existsSync(unpacked)) {
    await unpackPackages('prometheus', cacheFolder, unpacked)
    for (const part of UNUSED) await rm(join(unpacked, part), { recursive: true, force: true })
  }
  return { command: join(unpacked, 'usr/bin/promtool'), env: await environmentOf(unpacked) }
}
