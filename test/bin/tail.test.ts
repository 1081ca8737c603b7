import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { startProxy } from '../database/proxy.js'
import { ANNA, queueMessage } from '../domain/fixtures.js'
import { lineForAllTests } from '../helpers/factories.js'
import { runProgram, runSource, stopProcesses, type RunningProcess } from '../helpers/process/processes.js'
import { openForSuite } from '../helpers/suite.js'
import { until } from '../helpers/until.js'
import { describeCommands } from './linehook.js'

describeCommands('linehook tail', ({ environment, context }) => {
  const proxy = openForSuite(() => startProxy(environment.DATABASE_URL ?? ''))
  const line = lineForAllTests(context, { name: 'Front desk' })

  // There is always something to begin with, and so it is known that it follows.
  before(() => queueMessage(context, line))

  after(stopProcesses)

  /** Follows until it is stopped. */
  const tail = async (...args: string[]): Promise<RunningProcess> => {
    const started = runSource(
      'bin/linehook.ts',
      { ...environment, DATABASE_URL: proxy.url },
      { name: 'tail', args: ['tail', '--last', '1', ...args] },
    )
    await until(
      () => `it has begun: ${started.lines.join('\n')}`,
      () => started.outputLines.length > 0,
    )
    return started
  }
  const says = (process: RunningProcess, pattern: RegExp) =>
    until(
      () => `${pattern.source} in: ${process.lines.join('\n')}`,
      () => process.lines.find((each) => pattern.test(each)),
    )

  it('prints a line for each step as it happens, with masked numbers, and ends with 0 on Ctrl-C', async () => {
    const running = await tail()
    const id = await queueMessage(context, line, { text: 'a private matter' })
    await context.db('messages').where({ id }).update({ status: 'failed', error: 'expired' })
    expect(await says(running, /expired/)).to.match(
      /^\d{4}-\S+Z {2}Front desk {8}outbound {7}\+1•••0101 {5}failed {5}expired$/,
    )
    await running.kill('SIGINT')
    expect(await running.exitCode).to.equal(0)
    expect(running.errorLines).to.deep.equal([])
    expect(running.lines.join()).not.to.include(ANNA).and.not.to.include('private matter')
  })

  it('prints JSON, only certain states and whole numbers to who asks for them', async () => {
    const running = await tail('--json', '--numbers', '--status', 'unknown', 'queued', '--line', line.number)
    const id = await queueMessage(context, line)
    await context.db('messages').where({ id }).update({ status: 'sent', sent_at: new Date() })
    await says(running, new RegExp(id))
    await context.db('messages').where({ id }).update({ status: 'unknown', error: 'worker_lost' })
    const said = await says(running, /worker_lost/)
    expect(JSON.parse(said)).to.deep.include({
      kind: 'message',
      id,
      number: ANNA,
      state: 'unknown',
      lineName: 'Front desk',
    })
    expect(running.outputLines.join()).not.to.include('"sent"')
    await running.kill('SIGTERM')
  })

  it('goes on when Postgres was away, and tells what happened meanwhile', async () => {
    const running = await tail()
    proxy.goDown()
    await says(running, /^Postgres is unavailable/)
    const id = await queueMessage(context, line)
    await context.db('messages').where({ id }).update({ error: 'throttled' })
    proxy.goUp()
    await says(running, /^Postgres is available again\.$/)
    await says(running, /throttled/)
    expect(running.errorLines).to.have.length(2)
    await running.kill('SIGINT')
    expect(await running.exitCode).to.equal(0)
  })

  it('ends with 0 when nobody reads any more', async () => {
    const program = fileURLToPath(new URL('../../dist/bin/linehook.js', import.meta.url))
    const piped = runProgram(
      'tail | head',
      ['sh', '-c', `(node ${program} tail --last 1; echo "ended with $?" >&2) | head -n 1`],
      environment,
    )
    await until('it has begun', () => piped.outputLines.length > 0)
    await queueMessage(context, line)
    await says(piped, /^ended with 0$/)
    await piped.exitCode
    expect(piped.errorLines).to.deep.equal(['ended with 0'])
  })
})
