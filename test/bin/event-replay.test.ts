import { expect } from 'chai'
import { receiveForDelivery } from '../domain/fixtures.js'
import { createLine, lineForAllTests } from '../helpers/factories.js'
import { runSource, startProcess, stopProcesses } from '../helpers/process/processes.js'
import { startReceiver } from '../helpers/services/receiver.js'
import { openForSuite } from '../helpers/suite.js'
import { until } from '../helpers/until.js'
import { command, describeCommands } from './linehook.js'

describeCommands('linehook event replay', ({ environment, context, run, json, refuse }) => {
  const target = openForSuite(startReceiver)
  const line = lineForAllTests(context, () => ({ outgoingUrl: target.url }))

  before(async () => {
    await startProcess('maintenance', environment)
    for (let n = 0; n < 3; n += 1) await receiveForDelivery(context, line)
  })
  after(stopProcesses)

  const args = (...more: string[]) => ['event', 'replay', '--since', '1h', '--to-url', target.url, ...more]

  it('says how many of how many, or only how many there are', async () => {
    expect(await run(...args('--line', line.number, '--dry-run'))).to.deep.equal(['3 would be replayed'])
    expect(target.requests).to.have.length(0)
    const [said = ''] = await run(...args('--all-lines', '--rate', '100'))
    expect(said).to.match(/^replay \S{36} is done: 3 of 3$/)
    expect(target.requests).to.have.length(3)
    const [, id = ''] = said.split(' ')
    expect(await run('task', 'show', id)).to.deep.equal([said])
  })

  it('on Ctrl-C the replay is stopped, and the command ends with 1; or it goes on without the command', async () => {
    // So many, at one a second, that it is not over before it is stopped.
    const long = await createLine(context, { outgoingUrl: target.url })
    for (let n = 0; n < 60; n += 1) await receiveForDelivery(context, long)
    const seen = target.requests.length
    const running = runSource('bin/linehook.ts', environment, {
      name: 'replay',
      args: args('--line', long.lineId, '--rate', '1'),
    })
    await until('the first one is replayed', () => target.requests.length > seen)
    await running.kill('SIGINT')
    expect(await running.exitCode).to.equal(1)
    expect(running.outputLines[0]).to.match(/^replay \S{36} is stopped: \d+ of 60$/)
    expect(running.outputLines[1]).to.equal('Reason: Stopped manually')

    const [said = ''] = await run(...args('--line', long.lineId, '--rate', '1', '--detach'))
    // Whether it has begun by then is the worker's to say.
    expect(said).to.match(/^replay \S{36} is (waiting|running): \d+ of 60$/)
    const [, id = ''] = said.split(' ')
    await run('task', 'stop', id)
    await until('it is stopped', async () => {
      const [task] = await json<{ id: string; status: string }[]>('task', 'list')
      return task?.id === id && task.status === 'stopped'
    })
  })

  it('wants to be told which lines, and a URL that can be called', async () => {
    expect(await refuse(...args())).to.equal(
      'Give --line or --endpoint, or --all-lines to replay the events of every line',
    )
    const asked = ['event', 'replay', '--since', 'monday', '--all-lines']
    const { exitCode, errorLines } = await command(environment, asked)
    expect([exitCode, errorLines[0]]).to.deep.equal([
      1,
      "error: option '--since <time>' argument 'monday' is invalid. It must be a time such as 2026-11-21 or 2026-11-21T13:00:00Z, or how long ago, such as 90s, 15m, 2h or 3d.",
    ])
  })
})
