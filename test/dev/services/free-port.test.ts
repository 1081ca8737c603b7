import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { freePort } from '../../../dev/services/free-port.js'
import { failure } from '../../helpers/failure.js'

describe('freePort', () => {
  // A test starts its program on one port again and again, and another test runs beside it.
  it('names no port that a process has named and does not listen on at the moment', async () => {
    const port = await freePort()
    expect((await failure(inAnotherProcess(port, port + 1))).message).to.include('no free port on 127.0.0.1')
    expect((await failure(freePort(port, port + 1))).message).to.equal('no free port on 127.0.0.1')
  })

  it('names a port again when the process that named it has ended', async () => {
    const port = await inAnotherProcess()
    expect(await freePort(port, port + 1)).to.equal(port)
  })
})

async function inAnotherProcess(...range: number[]): Promise<number> {
  const program = `import('./dist/dev/services/free-port.js')
    .then(({ freePort }) => freePort(${range.join()}))
    .then(console.log)`
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program])
  return Number(stdout)
}
