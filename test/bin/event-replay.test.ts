import { expect } from 'chai'
import type { Context } from '../../src/domain/context.js'
import { receiveForDelivery } from '../domain/fixtures.js'
import type { Environment } from '../helpers/process/environment.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { runSource, startProcess, stopProcesses } from '../helpers/process/processes.js'
import { startReceiver, type Receiver } from '../helpers/services/receiver.js'
import { until } from '../helpers/until.js'
import { createInstallation } from '../journeys/support/steps.js'
import { answer, linehook, refusal } from './linehook.js'

describe('linehook event replay', function () {
  this.timeout(60_000)

  let environment: Environment
  let context: Context
  let target: Receiver
  let line: TestLine

  before(async () => {
    ;({ environment, context } = await createInstallation())
    await startProcess('maintenance', environment)
    target = await startReceiver()
    line = await createLine(context, { outgoingUrl: target.url })
    for (let n = 0; n < 3; n += 1) await receiveForDelivery(context, line)
  })

  after(async () => {
    await stopProcesses()
    await target.close()
    await context.close()
  })

  const args = (...more: string[]) => ['event', 'replay', '--since', '1h', '--to-url', target.url, ...more]

  it('says how many of how many, or only how many there are', async () => {
    expect(await answer(environment, ...args('--line', line.number, '--dry-run'))).to.deep.equal([
      '3 would be replayed',
    ])
    expect(target.requests).to.have.length(0)
    const [said = ''] = await answer(environment, ...args('--all-lines', '--rate', '100'))
    expect(said).to.match(/^replay \S{36} is done: 3 of 3$/)
    expect(target.requests).to.have.length(3)
    const [, id = ''] = said.split(' ')
    expect(await answer(environment, 'task', 'show', id)).to.deep.equal([said])
  })

  it('on Ctrl-C the replay is stopped, and the command ends with 1; or it goes on without the command', async () => {
    const seen = target.requests.length
    const running = runSource('bin/linehook.ts', environment, {
      name: 'replay',
      args: args('--line', line.lineId, '--rate', '1'),
    })
    await until('the first one is replayed', () => target.requests.length > seen)
    await running.kill('SIGINT')
    expect(await running.exitCode).to.equal(1)
    expect(running.outputLines[0]).to.match(/^replay \S{36} is stopped: [0-3] of 3$/)
    expect(running.outputLines[1]).to.equal('Why: somebody has stopped it')

    const [said = ''] = await answer(environment, ...args('--line', line.lineId, '--rate', '1', '--detach'))
    // Whether it has begun by then is the worker's to say.
    expect(said).to.match(/^replay \S{36} is (waiting|running): [01] of 3$/)
    const [, id = ''] = said.split(' ')
    await linehook(environment, ['task', 'stop', id])
    const list = () => answer(environment, 'task', 'list', '--json')
    await until('it is stopped', async () => {
      const tasks = JSON.parse((await list()).join('')) as { id: string; status: string }[]
      return tasks[0]?.id === id && tasks[0].status === 'stopped'
    })
  })

  it('wants to be told which lines, and a URL that can be called', async () => {
    expect(await refusal(environment, ...args())).to.equal(
      'give one of --line, --endpoint, or --all-lines to replay the events of every line',
    )
    const { exitCode, errorLines } = await linehook(environment, [
      'event',
      'replay',
      '--since',
      'monday',
      '--all-lines',
    ])
    expect([exitCode, errorLines[0]]).to.deep.equal([
      1,
      "error: option '--since <time>' argument 'monday' is invalid. It must be 2026-11-21T13:00:00Z, or how long ago, such as 90s, 15m, 2h or 3d.",
    ])
  })
})
