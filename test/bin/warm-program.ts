import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { createProgram } from '../../bin/program.js'
import type { CarrierKind } from '../../src/carriers/kind.js'
import { CARRIER_KINDS } from '../../src/carriers/registry.js'
import { BIRDS } from '../helpers/services/parrot.js'
import type { Asked, Ended } from './linehook.js'

/**
 * The command line in a process that stays: it gives the commands that it is sent one after the other. To load the program
 * takes a second of a processor, and the command itself some milliseconds. It knows the tests' kinds of carriers, too.
 */
for (const [kind, definition] of BIRDS) (CARRIER_KINDS as Map<string, CarrierKind>).set(kind, definition)

/** What a command throws in the place of ending the process. */
class Exit extends Error {}

const LEFT_OPEN_MS = 30_000
let last: Promise<unknown> = Promise.resolve()

process.exit = (code) => {
  process.exitCode = code ?? process.exitCode
  throw new Exit()
}
process.on('message', (asked: Asked) => {
  last = last.then(async () => process.send?.(await give(asked)))
})
process.on('disconnect', () => {
  process.kill(process.pid, 'SIGKILL')
})

async function give({ args, environment, cwd, input }: Asked): Promise<Ended> {
  const said = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    process[stream].write = (text: string | Uint8Array) => {
      said[stream] += String(text)
      return true
    }
  }
  Object.defineProperty(process, 'stdin', { value: Readable.from([input]), configurable: true })
  process.chdir(cwd)
  process.env = { PATH: process.env.PATH, ...environment }
  process.argv = [process.execPath, 'linehook', ...args]
  process.exitCode = undefined
  // What the message itself has begun is over then.
  await sleep(1)
  const before = process.getActiveResourcesInfo().length
  try {
    await (await createProgram(args)).parseAsync()
  } catch (error) {
    if (!(error instanceof Exit)) {
      process.exitCode = 1
      said.stderr += inspect(error)
    }
  }
  const exitCode = takeExitCode()
  const left = await leftOpen(before)
  if (left !== undefined) said.stderr += `the process would not end: ${left}`
  return { exitCode, outputLines: linesOf(said.stdout), errorLines: linesOf(said.stderr) }
}

/** A command whose process would not end by itself. undefined: it would. */
async function leftOpen(before: number): Promise<string | undefined> {
  const deadline = Date.now() + LEFT_OPEN_MS
  while (process.getActiveResourcesInfo().length > before) {
    if (Date.now() > deadline) return process.getActiveResourcesInfo().join(', ')
    await sleep(5)
  }
  return undefined
}

function takeExitCode(): number {
  const exitCode = Number(process.exitCode ?? 0)
  process.exitCode = undefined
  return exitCode
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}
