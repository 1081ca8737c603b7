import { createRequire } from 'node:module'

/**
 * Makes a JSON line of the log one for people. It works on the line as it is written, in this thread, so that a process
 * that crashes loses no more lines than it would as JSON.
 *
 * The package is read only where it is wanted: processes whose logs a program reads have no use for it.
 */
export function prettifier(): (line: string) => string {
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty')
  return prettyFactory({
    translateTime: 'SYS:HH:MM:ss.l',
    // One line for each unit of work, also here; only stacks have more.
    singleLine: true,
    // Who reads it has started the process, or `linehook start` names it at the beginning of the line.
    ignore: 'pid,process',
  })
}
