import { expect } from 'chai'
import { resolve } from 'node:path'
import { readProcfile } from '../../dev/start/supervise.js'
import { runNode, stopProcesses } from '../helpers/process/processes.js'

/**
 * Module hooks that send the process a SIGTERM in the middle of loading, and let it load no further. Every process uses
 * `crypto`; the file that it starts with does not.
 */
const HOOKS = `export const load = (url, context, next) => {
  if (url !== 'node:crypto') return next(url, context)
  process.kill(process.pid, 'SIGTERM')
  return new Promise(() => {})
}`
/** The signal comes from the thread of the hooks: the process must not have run out of work before it is there. */
const PRELOAD = `import { register } from 'node:module'
setInterval(() => undefined, 60_000)
register(${JSON.stringify(dataUrl(HOOKS))})`

describe('SIGTERM while a process loads', () => {
  after(stopProcesses)

  const processes = readProcfile().map(({ name, command }) => ({ name, args: command.slice(1) }))
  const others = [
    { name: 'start', args: ['dist/bin/linehook.js', 'start'] },
    { name: 'workers in one process', args: ['dist/workers/all.js', 'send-message', 'deliver-event'] },
  ]
  for (const { name, args } of [...processes, ...others]) {
    it(`ends ${name} with 0`, async () => {
      const loading = runNode(name, ['--import', dataUrl(PRELOAD), ...args], {}, resolve('.'))
      expect(await loading.exitCode).to.equal(0)
      expect(loading.lines).to.deep.equal([])
    })
  }
})

function dataUrl(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`
}
