import { resolve } from 'node:path'
import type { Environment } from './process/environment.js'
import { runNode, type RunningProcess } from './process/processes.js'

/** Runs an ES module, given as its text, in a process of its own; `./dist/src/…` is what was built. */
export function runScript(code: string, environment: Environment = {}): RunningProcess {
  const args = ['--input-type=module', '--eval', code]
  return runNode('script', args, environment, resolve('.'))
}
