import { expect } from 'chai'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runScript } from '../helpers/scripts.js'
import { stopProcesses, type RunningProcess } from '../helpers/process/processes.js'
import { createDataFolder } from '../helpers/services/services.js'
import { until } from '../helpers/until.js'

/** Starts a process that closes these steps on a signal, and waits until it listens for one. */
async function startClosing(
  steps: string,
  { startedByPid, after = '' }: { startedByPid?: number; after?: string } = {},
): Promise<RunningProcess> {
  const script = runScript(`
    import { setTimeout as sleep } from 'node:timers/promises'
    import { closeOnSignal } from './dist/src/kit/process/shutdown.js'
    import { stopWithStarter } from './dist/src/kit/process/stop-request.js'
    import { createLog } from './dist/src/telemetry/log.js'
    const say = (what) => process.stdout.write(what + '\\n')
    const close = closeOnSignal(createLog('test', 'info'), [${steps}])
    ${startedByPid === undefined ? '' : `stopWithStarter(${startedByPid})`}
    setInterval(() => undefined, 1000)
    ${after}
    say('ready')`)
  await until(
    () => `the script is ready; it said ${script.lines.join('\n')}`,
    () => script.lines.includes('ready'),
  )
  return script
}

/** What the steps said, without the log. */
function said(script: RunningProcess): string[] {
  return script.lines.filter((line) => line !== 'ready' && !line.startsWith('{'))
}

const SLOW = `{ name: 'server', close: async () => { say('server closing'); await sleep(100); say('server closed') } }`
const LAST = `{ name: 'connections', close: async () => { say('connections closed') } }`

describe('shutdown', () => {
  after(stopProcesses)

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    it(`closes its steps one after the other on ${signal}, and ends with 0`, async () => {
      const script = await startClosing(`${SLOW}, ${LAST}`)
      await script.kill(signal)
      expect(await script.exitCode).to.equal(0)
      expect(said(script)).to.deep.equal(['server closing', 'server closed', 'connections closed'])
      expect(script.log().map(({ msg }) => msg)).to.deep.equal(['process.stopping', 'process.stopped'])
      expect(script.log()[0]).to.include({ reason: signal })
    })
  }

  it('says in the log what nobody caught, and ends with 1', async () => {
    const script = await startClosing(LAST, { after: `setTimeout(() => { throw new Error('a bug') }, 50)` })
    expect(await script.exitCode).to.equal(1)
    const [crashed] = script.log()
    expect(crashed).to.include({ msg: 'process.crashed', level: 'fatal' })
    expect(crashed?.err).to.include({ message: 'a bug' })
  })

  it('says in the log what Node warns of, and nothing beside it', async () => {
    const script = await startClosing(LAST, { after: `process.emitWarning('11 listeners', 'LeakWarning')` })
    await until('it is logged', () => script.log().some(({ msg }) => msg === 'process.warning'))
    await script.kill('SIGTERM')
    const [warning] = script.log()
    expect(warning).to.include({ level: 'warn' })
    expect(warning?.err).to.include({ message: '11 listeners' })
    expect(said(script)).to.deep.equal(['connections closed'])
  })

  it('closes once, however often it is asked', async () => {
    const script = await startClosing(`${SLOW}, ${LAST}`)
    process.kill(script.pid, 'SIGTERM')
    await until('it closes', () => said(script).includes('server closing'))
    process.kill(script.pid, 'SIGINT')
    process.kill(script.pid, 'SIGTERM')
    expect(await script.exitCode).to.equal(0)
    expect(said(script)).to.deep.equal(['server closing', 'server closed', 'connections closed'])
  })

  for (const [manner, close] of [
    ['rejects', `async () => { throw new Error('cannot close') }`],
    ['throws', `() => { throw new Error('cannot close') }`],
  ] as const) {
    it(`closes the later steps when one ${manner}, and logs its name`, async () => {
      const script = await startClosing(`{ name: 'broken', close: ${close} }, ${LAST}`)
      await script.kill('SIGTERM')
      expect(await script.exitCode).to.equal(0)
      expect(said(script)).to.deep.equal(['connections closed'])
      const failed = script.log().find(({ msg }) => msg === 'process.close_failed')
      expect(failed).to.include({ step: 'broken' })
      expect(failed).to.have.nested.property('err.message', 'cannot close')
    })
  }

  for (const [format, end] of [
    ['auto', 'SIGTERM'],
    ['json', 'SIGTERM'],
    ['json', 'a crash'],
  ] as const) {
    it(`ends a process whose log nobody reads (${format}, ${end})`, async () => {
      const fifo = await createFifo()
      const code = `
        import { closeOnSignal } from './dist/src/kit/process/shutdown.js'
        import { createLog } from './dist/src/telemetry/log.js'
        const log = createLog('test', 'info', '${format}')
        closeOnSignal(log, [], { deadlineMs: 500 })
        setInterval(() => undefined, 1000)
        // More than a pipe holds, and more than may wait.
        for (let count = 0; count < 20_000; count += 1) log.info({ filler: 'x'.repeat(1000) }, 'line')
        ${end === 'SIGTERM' ? '' : `setTimeout(() => { throw new Error('a bug') }, 100)`}
        process.stderr.write('ready')`
      const args = ['--input-type=module', '--eval', code]
      const child = spawn(process.execPath, args, { stdio: ['ignore', fifo.fd, 'pipe'] })
      try {
        const exited = once(child, 'exit')
        await once(child.stderr!, 'data')
        if (end === 'SIGTERM') child.kill('SIGTERM')
        const late = sleep(30_000, ['still there'], { ref: false })
        expect(await Promise.race([exited, late])).to.deep.equal([1, null])
      } finally {
        child.kill('SIGKILL')
        await fifo.close()
      }
    })
  }

  it('can be asked for by the process itself', async () => {
    const script = await startClosing(LAST)
    expect(said(script)).to.deep.equal([])
    const asked = runScript(`
      import { closeOnSignal } from './dist/src/kit/process/shutdown.js'
      import { createLog } from './dist/src/telemetry/log.js'
      await closeOnSignal(createLog('test', 'info'), [])()`)
    expect(await asked.exitCode).to.equal(0)
    expect(asked.log()[0]).to.include({ reason: 'asked' })
    await script.kill('SIGTERM')
  })

  it('closes in order when the process that started it is gone', async () => {
    const starter = runScript('setInterval(() => undefined, 1000)')
    const script = await startClosing(`${SLOW}, ${LAST}`, { startedByPid: starter.pid })
    await starter.kill('SIGKILL')
    expect(await script.exitCode).to.equal(0)
    expect(said(script)).to.deep.equal(['server closing', 'server closed', 'connections closed'])
    expect(script.log()[0]).to.include({ reason: 'starter gone' })
  })

  it('goes on while the process that started it lives', async () => {
    const script = await startClosing(LAST, { startedByPid: process.pid })
    // Longer than the pause between two looks at the starter.
    await new Promise((resolve) => setTimeout(resolve, 1200))
    expect(script.isRunning()).to.be.true
    await script.kill('SIGTERM')
    expect(script.log()[0]).to.include({ reason: 'SIGTERM' })
  })
})

/** A pipe of the system, which Node makes none of: those of its child processes are sockets. Nobody reads it. */
async function createFifo() {
  const path = join(createDataFolder('fifo'), 'log')
  execFileSync('mkfifo', [path])
  // Opened for both, it waits for nobody.
  return open(path, 'r+')
}
