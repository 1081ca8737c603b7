import { expect } from 'chai'
import { runNode, stopProcesses } from '../helpers/process/processes.js'

const MOCHA = 'node_modules/mocha/bin/mocha.js'
const FILES = ['authorize', 'console-journey'].map((name) => `test/browser/${name}.test.ts`)

describe('running page tests on a machine where the browser does not start', function () {
  this.timeout(300_000)

  after(stopProcesses)

  it('reports it once per file, and exits', async () => {
    const run = runNode('mocha', [MOCHA, ...FILES], {
      CHROMIUM: '/bin/false',
      HOME: process.env.HOME ?? '',
      TEST_COMPILED: 'true',
    })
    expect(await run.exitCode, run.lines.join('\n')).to.equal(FILES.length)
    expect(run.outputLines.at(-1)).to.match(/^\d+ passed, 2 failed$/)
    const failures = run.outputLines.filter((line) => line.includes('hook'))
    expect(failures.join()).to.include('"before all" hook').and.not.include('"after all" hook')
    expect(run.lines.join('\n')).to.not.include('left something open')
  })
})
