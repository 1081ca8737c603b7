import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { freePort } from '../../../dev/services/free-port.js'
import { processesBelow } from '../../helpers/process/process-table.js'
import { runProgram, stopProcesses, type RunningProcess } from '../../helpers/process/processes.js'
import { until } from '../../helpers/until.js'
import { createStartFolder, removeStartFolder } from '../support/start-folder.js'

/** However `npm start` is ended, nothing of the service is left; and what was meant to outlive its shell does. */
describe('journey: stopping npm start', function () {
  this.timeout(240_000)
  let folder = ''
  let port = 0

  before(async () => {
    folder = createStartFolder(['node_modules'])
    port = await freePort()
    // As it is, but for the build before it. A worker stands for all, and a few lines for `web`, which takes longest to start.
    const { scripts, ...manifest } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ ...manifest, scripts: { start: scripts.start } }),
    )
    writeFileSync(
      join(folder, 'Procfile'),
      'web: node web.js\nmaintenance: node dist/workers/maintenance.js\n',
    )
    writeFileSync(join(folder, 'web.js'), WEB)
  })

  after(async () => {
    await stopProcesses()
    removeStartFolder(folder)
  })

  afterEach(async () => {
    for (const pid of processesBelow(folder)) killIfThere(pid)
    await until('nothing is left', isNothingLeft)
  })

  const isNothingLeft = () => processesBelow(folder).length === 0
  const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok

  const run = (command: string[]) =>
    runProgram(
      command.join(' '),
      // Or it takes standard input, a socket, for a remote login.
      command[0] === 'bash' ? ['bash', '--norc', ...command.slice(1)] : command,
      { PORT: String(port), npm_config_cache: join(folder, '.npm'), npm_config_update_notifier: 'false' },
      { cwd: folder, isLeader: true },
    )

  async function runUntilReady(...command: string[]): Promise<RunningProcess> {
    const started = run(command)
    await until(() => `web answers; it was said:\n${started.lines.join('\n')}`, isReady, 90_000)
    return started
  }

  it('SIGTERM to npm, as from a supervisor or a container, ends everything, and npm exits with 0', async () => {
    const npm = await runUntilReady('npm', 'start')
    expect(processesBelow(folder).length).to.be.at.least(6)
    await npm.kill('SIGTERM')
    expect(await npm.exitCode).to.equal(0)
    expect(processesBelow(folder)).to.deep.equal([])
  })

  it('SIGTERM to npm during startup ends everything, and npm exits with 0', async () => {
    const npm = run(['npm', 'start'])
    await until('it starts', () => npm.lines.includes('Starting Postgres and Redis …'), 60_000)
    await npm.kill('SIGTERM')
    expect(await npm.exitCode).to.equal(0)
    expect(processesBelow(folder)).to.deep.equal([])
  })

  it('Ctrl-C, which reaches every foreground process, ends everything, and npm exits with 0', async () => {
    const npm = await runUntilReady('npm', 'start')
    process.kill(-npm.pid, 'SIGINT')
    expect(await npm.exitCode).to.equal(0)
    expect(processesBelow(folder)).to.deep.equal([])
  })

  it('kill %1 in a shell ends everything', async () => {
    const script =
      'set -m; npm start & until [ -e over ]; do sleep 0.1; done; kill %1; wait %1; echo "ended with $?"'
    const shell = await runUntilReady('bash', '-c', script)
    writeFileSync(join(folder, 'over'), '')
    expect(await shell.exitCode).to.equal(0)
    expect(shell.lines.at(-1)).to.equal('ended with 0')
    expect(processesBelow(folder)).to.deep.equal([])
  })

  it('kill -9 to npm ends everything', async () => {
    const npm = await runUntilReady('npm', 'start')
    process.kill(npm.pid, 'SIGKILL')
    await until('nothing is left', isNothingLeft, 60_000)
    expect(npm.lines).to.include('Stopping …')
  })

  it('everything ends when the reader of its output ends', async () => {
    const shell = run(['bash', '-c', 'set -o pipefail; npm start | head -n 5'])
    expect(await shell.exitCode).to.equal(0)
    expect(processesBelow(folder)).to.deep.equal([])
  })

  for (const command of ['nohup npm start', 'setsid node dist/bin/linehook.js start']) {
    it(`${command} & keeps running when its shell ends`, async () => {
      const shell = run(['bash', '-c', `${command} > log 2>&1 &`])
      expect(await shell.exitCode).to.equal(0)
      await until('web answers', isReady, 90_000)
      process.kill(Number(readFileSync(join(folder, '.data/start.pid'), 'utf8')), 'SIGTERM')
      await until('nothing is left', isNothingLeft, 60_000)
    })
  }
})

/** Answers as `web` does when it is ready. */
const WEB = `import { createServer } from 'node:http'
  createServer((_, response) => response.end('{}')).listen(process.env.PORT)`

interface Manifest {
  scripts: Record<string, string>
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself.
  }
}
