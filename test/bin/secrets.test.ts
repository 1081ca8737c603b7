import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { createTestContext } from '../helpers/context.js'
import { createEnvironment, type Environment } from '../helpers/environment.js'
import { createLine } from '../helpers/factories.js'
import { stopProcesses } from '../helpers/processes.js'
import { answer, jsonAnswer, linehook } from './linehook.js'

describe('linehook secrets reseal', function () {
  this.timeout(30_000)

  let environment: Environment
  let oldKey: string
  const newKey = randomBytes(32).toString('base64')

  before(async () => {
    environment = await createEnvironment()
    oldKey = environment.ENCRYPTION_KEY ?? ''
    const context = await createTestContext(environment)
    await createLine(context, { outgoingUrl: 'http://127.0.0.1:1/events' })
    await context.close()
  })

  after(stopProcesses)

  it('puts the secrets under the first key, and says when the others can go', async () => {
    const both = { ...environment, ENCRYPTION_KEY: `${newKey},${oldKey}` }
    expect(await answer(both, 'secrets', 'reseal')).to.deep.equal([
      '2 put under the first key, 0 were under it already',
      'Every secret is under the first key: the others can be taken out of ENCRYPTION_KEY.',
    ])
    expect(await jsonAnswer({ ...environment, ENCRYPTION_KEY: newKey }, 'secrets', 'reseal')).to.deep.equal({
      resealedCount: 0,
      currentCount: 2,
      unreadable: [],
    })
  })

  it('ends with 1 and names the places that none of the keys opens', async () => {
    const { exitCode, outputLines } = await linehook(environment, ['secrets', 'reseal'])
    expect(exitCode).to.equal(1)
    expect(outputLines.filter((line) => line.startsWith('no key of ENCRYPTION_KEY opens '))).to.have.length(2)
    expect(outputLines.at(-1)).to.match(/^Keep all keys\./)
  })
})
