import { tmpdir } from 'node:os'
import type { Environment } from '../helpers/process/environment.js'
import { runSource } from '../helpers/process/processes.js'

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

/** The answer of a command that succeeds, line by line. */
export async function answer(environment: Environment, ...args: string[]): Promise<string[]> {
  const { exitCode, outputLines, errorLines } = await linehook(environment, args)
  if (exitCode !== 0 || errorLines.length > 0) throw new Error(`exit ${exitCode}: ${errorLines.join('\n')}`)
  return outputLines
}

/** The answer of a command that succeeds with --json, parsed. */
export async function jsonAnswer(environment: Environment, ...args: string[]): Promise<unknown> {
  return JSON.parse((await answer(environment, ...args, '--json')).join('\n')) as unknown
}

/** What a command that fails as it should says: one line, and nothing on standard output. */
export async function refusal(environment: Environment, ...args: string[]): Promise<string> {
  const { exitCode, outputLines, errorLines } = await linehook(environment, args)
  if (exitCode !== 1 || outputLines.length > 0 || errorLines.length !== 1) {
    throw new Error(`exit ${exitCode}: ${[...outputLines, ...errorLines].join('\n')}`)
  }
  return errorLines[0] ?? ''
}
