import { expect } from 'chai'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  fromSources,
  joinWorkers,
  readProcfile,
  readSources,
  supervise,
  withMetricsPorts,
  type Supervisor,
} from '../../../dev/start/supervise.js'
import { createDataFolder } from '../../helpers/services/services.js'
import { until } from '../../helpers/until.js'

describe('supervise', () => {
  let folder: string
  let lines: string[]
  const supervisors: Supervisor[] = []

  beforeEach(() => {
    folder = createDataFolder('supervise')
    lines = []
  })
  afterEach(() => Promise.all(supervisors.splice(0).map((supervisor) => supervisor.stop())))

  /** Supervises programs that print their process id first; `then` is what they do after it. */
  function run(then: Record<string, string>, options: Parameters<typeof supervise>[3] = {}): Supervisor {
    const types = Object.entries(then).map(([name, program]) => ({
      name,
      command: [process.execPath, '-e', `console.log(process.pid); ${program}`],
    }))
    const supervisor = supervise(types, process.env, (line) => lines.push(line), options)
    supervisors.push(supervisor)
    return supervisor
  }

  /** The process ids that a program has printed so far, one for each time that it was started. */
  function pidsOf(name: string): number[] {
    return lines.flatMap((line) => {
      const [, pid] = new RegExp(`^${name} *│ (\\d+)$`).exec(line) ?? []
      return pid === undefined ? [] : [Number(pid)]
    })
  }

  const stay = 'setInterval(() => {}, 1000)'

  it('the Procfile names the processes that stay, without release', () => {
    expect(readProcfile()).to.deep.equal([
      { name: 'web', command: ['node', 'dist/src/server.js'] },
      { name: 'send-message', command: ['node', 'dist/workers/send-message.js'] },
      { name: 'deliver-event', command: ['node', 'dist/workers/deliver-event.js'] },
      { name: 'fetch-media', command: ['node', 'dist/workers/fetch-media.js'] },
      { name: 'maintenance', command: ['node', 'dist/workers/maintenance.js'] },
      { name: 'receive-smpp', command: ['node', 'dist/workers/receive-smpp.js'] },
    ])
  })

  it('on a small machine the workers that the Procfile names are one process', () => {
    expect(joinWorkers(readProcfile())).to.deep.equal([
      { name: 'web', command: ['node', 'dist/src/server.js'] },
      {
        name: 'workers',
        command: [
          ...['node', 'dist/workers/all.js'],
          ...['send-message', 'deliver-event', 'fetch-media', 'maintenance', 'receive-smpp'],
        ],
      },
    ])
    const web = { name: 'web', command: ['node', 'web.js'] }
    expect(joinWorkers([web])).to.deep.equal([web])
  })

  it('each process has a port of its own for its metrics, in the order of the Procfile', () => {
    const web = { name: 'web', command: ['node', 'web.js'] }
    const worker = { name: 'worker', command: ['node', 'worker.js'] }
    expect(withMetricsPorts([web, worker], 9464)).to.deep.equal([
      { ...web, env: { METRICS_PORT: '9464' } },
      { ...worker, env: { METRICS_PORT: '9465' } },
    ])
    expect(withMetricsPorts([web, worker], undefined)).to.deep.equal([web, worker])
  })

  it('a process gets what is its own beside what all get', async () => {
    const command = [
      process.execPath,
      '-e',
      'console.log(process.env.ALL, process.env.OWN); setInterval(() => {}, 1e3)',
    ]
    const types = [
      { name: 'a', command, env: { OWN: '1' } },
      { name: 'b', command, env: { OWN: '2' } },
    ]
    supervisors.push(supervise(types, { ...process.env, ALL: 'all' }, (line) => lines.push(line)))
    await until('both have said it', () => lines.includes('a │ all 1') && lines.includes('b │ all 2'))
  })

  it('a Procfile may have comments and empty lines', async () => {
    const path = join(folder, 'Procfile')
    await writeFile(path, '# one process\n\nrelease: node up.js\nweb:   node  server.js --port 1\n')
    expect(readProcfile(path)).to.deep.equal([{ name: 'web', command: ['node', 'server.js', '--port', '1'] }])
  })

  it('a process of the Procfile is known by the source that it is built from', async () => {
    const path = join(folder, 'Procfile')
    await writeFile(path, 'release: node dist/up.js\nweb: node dist/src/server.js --port 1\n')
    expect([...readSources(path)]).to.deep.equal([['web', 'src/server.ts']])
  })

  it('from the sources, a process runs by tsx and starts again when they change', () => {
    expect(fromSources({ name: 'web', command: ['node', 'dist/src/server.js'] })).to.deep.equal({
      name: 'web',
      command: ['node', '--watch', '--import', 'tsx', 'src/server.ts'],
    })
  })

  it('every line that a process writes is printed under its name, standard error too', async () => {
    run({ web: `console.error('oh'); ${stay}`, 'send-message': stay })
    await until('both have written', () => lines.length === 3)
    expect(lines).to.include('web          │ oh')
    expect(pidsOf('web')).to.have.length(1)
    expect(pidsOf('send-message')).to.have.length(1)
  })

  it('a process that ends is started again, and again, however it ended; the others stay', async () => {
    run({
      zero: 'setTimeout(() => process.exit(0), 20)',
      one: 'setTimeout(() => process.exit(1), 20)',
      killed: `setTimeout(() => process.kill(process.pid, 'SIGKILL'), 20)`,
      long: stay,
    })
    for (const name of ['zero', 'one', 'killed']) {
      await until(`${name} has been started three times`, () => pidsOf(name).length >= 3)
      expect(new Set(pidsOf(name)).size).to.be.at.least(3)
      expect(lines).to.include(`${name.padEnd(6)} │ starting again`)
    }
    expect(pidsOf('long')).to.have.length(1)
  })

  it('a program that is not there is named, and tried again', async () => {
    const types = [{ name: 'ghost', command: [join(folder, 'nothing')] }]
    supervisors.push(supervise(types, process.env, (line) => lines.push(line)))
    await until('it has been tried twice', () => lines.filter((line) => line.includes('ENOENT')).length >= 2)
    expect(lines[0]).to.match(/^ghost │ could not be started: Error: spawn .*nothing ENOENT$/)
  })

  it('stop lets every process end by itself, and starts none again', async () => {
    const leave = `process.on('SIGTERM', () => { console.log('bye'); process.exit(0) }); console.log('ready'); ${stay}`
    const supervisor = run({ one: leave, two: leave })
    await until('both listen', () => lines.filter((line) => line.endsWith('│ ready')).length === 2)
    await supervisor.stop()
    await until('both have said bye', () => lines.filter((line) => line.endsWith('│ bye')).length === 2)
    expect([...pidsOf('one'), ...pidsOf('two')].filter(isAlive)).to.deep.equal([])
    expect(lines).to.have.length(6)
  })

  it('stop kills a process that does not heed SIGTERM', async () => {
    const deaf = `process.on('SIGTERM', () => console.log('what?')); console.log('ready'); ${stay}`
    const supervisor = run({ deaf }, { stopMs: 5000 })
    await until('it listens', () => lines.includes('deaf │ ready'))
    await supervisor.stop()
    await until('its answer is read', () => lines.includes('deaf │ what?'))
    expect(pidsOf('deaf').filter(isAlive)).to.deep.equal([])
  })

  it('stop while a process waits to be started again is the end of it', async () => {
    const supervisor = run({ short: '' }, { restartMs: 600_000 })
    await until('it has ended', () => pidsOf('short').some((pid) => !isAlive(pid)))
    await supervisor.stop()
    expect(lines.filter((line) => line.includes('starting again'))).to.deep.equal([])
    expect(pidsOf('short')).to.have.length(1)
  })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
