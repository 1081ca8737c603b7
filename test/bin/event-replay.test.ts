import { expect } from 'chai'
import type { Context } from '../../src/domain/context.js'
import { receiveForDelivery } from '../domain/fixtures.js'
import type { Environment } from '../helpers/environment.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { runSource, stopProcesses } from '../helpers/processes.js'
import { startReceiver, type Receiver } from '../helpers/receiver.js'
import { until } from '../helpers/until.js'
import { createInstallation } from '../journeys/steps.js'
import { answer, linehook, refusal } from './linehook.js'

describe('linehook event replay', function () {
  this.timeout(60_000)

  let environment: Environment
  let context: Context
  let target: Receiver
  let line: TestLine

  before(async () => {
    ;({ environment, context } = await createInstallation())
    target = await startReceiver()
    line = await createLine(context, { outgoingUrl: target.url })
    for (let n = 0; n < 3; n += 1) await receiveForDelivery(context, line)
  })

  after(async () => {
    await stopProcesses()
    await target.close()
    await context.close()
  })

  const args = (...more: string[]) => ['event', 'replay', '--since', '1h', '--to', target.url, ...more]

  it('says how many of how many, or only how many there are', async () => {
    expect(await answer(environment, ...args('--line', line.number, '--dry-run'))).to.deep.equal([
      '3 would be replayed',
    ])
    expect(target.requests).to.have.length(0)
    expect(await answer(environment, ...args('--all-lines', '--rate', '100'))).to.deep.equal([
      '3 of 3 replayed',
    ])
    expect(target.requests).to.have.length(3)
  })

  it('on Ctrl-C it says how far it came and how to go on, and ends with 1', async () => {
    const seen = target.requests.length
    const running = runSource('bin/linehook.ts', environment, {
      name: 'replay',
      args: args('--line', line.lineId, '--rate', '1'),
    })
    await until('the first one is replayed', () => target.requests.length > seen)
    await running.kill('SIGINT')
    expect(await running.exitCode).to.equal(1)
    expect(running.outputLines[0]).to.match(/^[12] of 3 replayed$/)
    expect(running.outputLines[1]).to.match(
      /^Go on with --since 2\S+Z; those of that millisecond come twice\.$/,
    )
  })

  it('wants to be told which lines, and a URL that can be called', async () => {
    expect(await refusal(environment, ...args())).to.equal(
      'give --line, or --all-lines to replay the events of every line',
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
