import { createRequire } from 'node:module'

/**
 * Makes a JSON line of the log readable for people. It works on the line as it is written, in this thread, so that a
 * process that crashes loses no more lines than it would as JSON.
 *
 * The package is loaded only where it is wanted: processes whose logs a program reads do not need it.
 */
export function prettifier(): (line: string) => string {
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty')
  return prettyFactory({
    translateTime: 'SYS:HH:MM:ss.l',
    // Here, too, each unit of work is one line; only stacks have more.
    singleLine: true,
    // The reader either started the process, or `linehook start` names it at the beginning of the line.
    ignore: 'pid,process',
  })
}
