import { resolve } from 'node:path'
import type { Environment } from './environment.js'
import { runNode, TSX, type RunningProcess } from './processes.js'

/** Runs an ES module, given as its text, in a process of its own; `./src/…` is the project's source. */
export function runScript(code: string, environment: Environment = {}): RunningProcess {
  const args = [...TSX, '--input-type=module', '--eval', code]
  return runNode('script', args, environment, resolve('.'))
}
