import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { receiveMessage } from '../../src/domain/messages/receive.js'
import { revealSigningSecret } from '../../src/domain/endpoints/signing-secrets.js'
import { inboundText } from '../domain/fixtures.js'
import { startReceiver } from '../helpers/services/receiver.js'
import { openForSuite } from '../helpers/suite.js'
import { until } from '../helpers/until.js'
import { createTestContext } from '../helpers/context.js'
import {
  createEnvironment,
  environmentForAllTests,
  type Environment,
} from '../helpers/process/environment.js'
import { createLine, own } from '../helpers/factories.js'
import { startProcess, stopProcesses } from '../helpers/process/processes.js'
import { answer, command, jsonAnswer } from './linehook.js'

describe('linehook secrets reseal', () => {
  const environment = environmentForAllTests()
  const context = openForSuite(() => createTestContext(environment))
  const newKey = randomBytes(32).toString('base64')

  before(() => createLine(context, { outgoingUrl: 'http://127.0.0.1:1/events' }))

  after(stopProcesses)

  it('puts the secrets under the first key, and says when the others can go', async () => {
    const both = { ...environment, ENCRYPTION_KEY: `${newKey},${environment.ENCRYPTION_KEY}` }
    expect(await answer(both, 'secrets', 'reseal')).to.deep.equal([
      '2 re-encrypted with the first key, 0 already used it',
      'Every secret uses the first key. You can remove the others from ENCRYPTION_KEY.',
    ])
    expect(await jsonAnswer({ ...environment, ENCRYPTION_KEY: newKey }, 'secrets', 'reseal')).to.deep.equal({
      resealedCount: 0,
      currentCount: 2,
      unreadable: [],
    })
  })

  it('changes the key while processes run: those with OLD,NEW, NEW,OLD and NEW alone open what the others seal', async () => {
    const started = await createEnvironment()
    const [old, young] = [started.ENCRYPTION_KEY ?? '', randomBytes(32).toString('base64')]
    const having = (keys: string): Environment => ({ ...started, ENCRYPTION_KEY: keys })
    const context = await createTestContext(having(`${old},${young}`))
    const receiver = await startReceiver()
    const line = await createLine(context, { outgoingUrl: receiver.url })
    const arrives = async (count: number) => {
      await receiveMessage(context, inboundText(line))
      await until(`${count} events have come`, () => receiver.requests.length === count)
      const { headers, body } = receiver.requests.at(-1)!
      const secret = await revealSigningSecret(context, ...own(line))
      expect(() => new Webhook(secret).verify(body, headers as Record<string, string>)).not.to.throw()
    }

    const first = await startProcess('deliver-event', having(`${old},${young}`))
    await arrives(1)
    // Somebody has the new key first already, while the process goes on.
    await answer(having(`${young},${old}`), 'connection', 'set-url', line.number, '')
    await answer(having(`${young},${old}`), 'connection', 'set-url', line.number, `${receiver.url}?again`)
    await arrives(2)
    await answer(having(`${young},${old}`), 'secrets', 'reseal')
    await arrives(3)
    await first.kill('SIGTERM')
    await startProcess('deliver-event', having(young))
    await arrives(4)
    await context.close()
    await receiver.close()
  })

  it('ends with 1 and names the places that none of the keys opens', async () => {
    const { exitCode, outputLines } = await command(environment, ['secrets', 'reseal'])
    expect(exitCode).to.equal(1)
    expect(
      outputLines.filter((line) => line.startsWith('no key in ENCRYPTION_KEY decrypts ')),
    ).to.have.length(2)
    expect(outputLines.at(-1)).to.match(/^Keep all keys\./)
  })
})
