import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Suite } from 'mocha'
import type { Context } from '../../src/domain/context.js'
import type { Environment } from '../helpers/process/environment.js'
import { runSource } from '../helpers/process/processes.js'
import { openForSuite } from '../helpers/suite.js'
import { createInstallation } from '../journeys/support/steps.js'

export interface Asked {
  args: readonly string[]
  environment: Environment
  cwd: string
  /** What it reads from standard input. */
  input: string
}

export interface Ended {
  exitCode: number | null
  outputLines: string[]
  errorLines: string[]
}

/** Runs the command line as a person does, but in a folder without an .env file unless one is given. */
export async function linehook(
  environment: Environment,
  args: readonly string[],
  cwd = tmpdir(),
): Promise<Ended> {
  const process = runSource('bin/linehook.ts', environment, { name: 'linehook', args, cwd })
  const exitCode = await process.exitCode
  return { exitCode, outputLines: process.outputLines, errorLines: process.errorLines }
}

const WARM = fileURLToPath(new URL('../../dist/test/bin/warm-program.js', import.meta.url))
let warm: ChildProcess | undefined
let last: Promise<unknown> = Promise.resolve()

/** As `linehook`, by a process that all of these share: for what a command does, and not how the program starts. */
export function command(environment: Environment, args: readonly string[], input = ''): Promise<Ended> {
  const ended = last.then(() => ask({ args, environment, cwd: tmpdir(), input }))
  last = ended.catch(() => undefined)
  return ended
}

async function ask(asked: Asked): Promise<Ended> {
  warm ??= fork(WARM, { env: { PATH: process.env.PATH }, execArgv: [] })
  const child = warm
  // It ends with this process, and keeps it waiting only while it is asked.
  child.ref()
  child.channel?.ref()
  const answered = new AbortController()
  try {
    const gone = once(child, 'exit', answered).then(() => Promise.reject(new Error('the program is gone')))
    child.send(asked)
    const [ended] = (await Promise.race([once(child, 'message', answered), gone])) as [Ended]
    return ended
  } finally {
    answered.abort()
    child.unref()
    child.channel?.unref()
    if (child.exitCode !== null) warm = undefined
  }
}

/** The answer of a command that succeeds, line by line. */
export async function answer(environment: Environment, ...args: string[]): Promise<string[]> {
  const { exitCode, outputLines, errorLines } = await command(environment, args)
  if (exitCode !== 0 || errorLines.length > 0) throw new Error(`exit ${exitCode}: ${errorLines.join('\n')}`)
  return outputLines
}

/** The answer of a command that succeeds with --json, parsed. */
export async function jsonAnswer(environment: Environment, ...args: string[]): Promise<unknown> {
  return JSON.parse((await answer(environment, ...args, '--json')).join('\n')) as unknown
}

/** What a command that fails as it should says: one line, and nothing on standard output. */
export async function refusal(environment: Environment, ...args: string[]): Promise<string> {
  const { exitCode, outputLines, errorLines } = await command(environment, args)
  if (exitCode !== 1 || outputLines.length > 0 || errorLines.length !== 1) {
    throw new Error(`exit ${exitCode}: ${[...outputLines, ...errorLines].join('\n')}`)
  }
  return errorLines[0] ?? ''
}

/** An installation of its own, and its command line. */
interface CommandLine {
  environment: Environment
  context: Context
  run: (...args: string[]) => Promise<string[]>
  json: <T = Record<string, unknown>>(...args: string[]) => Promise<T>
  refuse: (...args: string[]) => Promise<string>
}

type Body = (this: Suite, commands: CommandLine) => void

/** A `describe` of commands on a database and a Redis of its own; overrides are of its configuration. */
export function describeCommands(title: string, body: Body): void
export function describeCommands(title: string, overrides: Environment, body: Body): void
export function describeCommands(title: string, ...rest: [Body] | [Environment, Body]): void {
  const [overrides, body]: [Environment, Body] = rest.length === 1 ? [{}, rest[0]] : rest
  describe(title, function () {
    const environment: Environment = {}
    const context = openForSuite(async () => {
      const installation = await createInstallation(overrides)
      Object.assign(environment, installation.environment)
      return installation.context
    })
    body.call(this, {
      environment,
      context,
      run: (...args) => answer(environment, ...args),
      json: async <T>(...args: string[]) => (await jsonAnswer(environment, ...args)) as T,
      refuse: (...args) => refusal(environment, ...args),
    })
  })
}
