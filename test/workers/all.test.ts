import { expect } from 'chai'
import { newId } from '../../src/ids.js'
import { createEnvironment, type Environment } from '../helpers/process/environment.js'
import { runSource, stopProcesses, type RunningProcess } from '../helpers/process/processes.js'

describe('workers in one process', () => {
  let environment: Environment

  before(async () => {
    environment = await createEnvironment({ LOG_LEVEL: 'info' })
  })

  after(stopProcesses)

  const run = (...args: string[]): RunningProcess => runSource('workers/all.ts', environment, { args })

  it('does a job that is to be done alone, with no other worker beside it, and ends', async () => {
    const done = run('fetch-media', '--alone', JSON.stringify({ v: 1, id: newId() }))
    expect(await done.exitCode).to.equal(0)
    expect(done.log().filter(({ msg }) => msg === 'process.started')).to.deep.equal([])

    const faulty = run('deliver-event', '--alone', '{}')
    expect(await faulty.exitCode).to.equal(1)
    expect(faulty.log().map(({ process, msg }) => [process, msg])).to.deep.equal([
      ['deliver-event', 'job.crashed'],
    ])
  })

  it('says when there is no worker of a name', async () => {
    const refused = run('send-message', 'send-postcard')
    expect(await refused.exitCode).not.to.equal(0)
    expect(refused.errorLines.join('\n')).to.contain('there is no worker send-postcard')
  })
})
