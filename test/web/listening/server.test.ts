import { Agent } from 'node:http'
import { expect } from 'chai'
import { createTestContext } from '../../helpers/context.js'
import { environmentForAllTests } from '../../helpers/process/environment.js'
import { createLine, messageBody } from '../../helpers/factories.js'
import { startWeb, stopProcesses, withoutAdvice } from '../../helpers/process/processes.js'
import { openForSuite } from '../../helpers/suite.js'
import { UNLIMITED } from '../../domain/fixtures.js'
import { messagesOf, newNumber } from '../support.js'
import { requestRaw } from '../../helpers/web/raw-request.js'

describe('the process web', () => {
  const environment = environmentForAllTests({ MAX_QUEUED_PER_LINE: '100000' })
  const context = openForSuite(() => createTestContext(environment))

  after(stopProcesses)

  // When it is told too little is in test/network.test.ts.
  it('reports where it listens, what nobody told it of its proxy, and that its port is in use', async () => {
    const web = await startWeb({ ...environment, PUBLIC_URL: 'https://lines.example.com' })
    const { port } = new URL(web.url)
    expect(web.log().find(({ msg }) => msg === 'process.started')).to.include({
      process: 'web',
      host: '127.0.0.1',
      port: Number(port),
    })
    const second = await startWeb({ ...environment, PORT: port }).catch((error: unknown) => error)
    expect(String(second)).to.include(`Port ${port} is in use`)
    await web.kill('SIGTERM')
    const [warning, ...others] = web.log().filter(({ msg }) => msg === 'proxy.untold')
    expect(warning).to.have.property('advice').that.includes('TRUSTED_PROXY_HOPS')
    expect(others).to.deep.equal([])
  })

  it('exits with 0 soon after SIGTERM, even with busy clients, and loses no accepted message', async () => {
    const web = await startWeb(environment)
    const port = Number(new URL(web.url).port)
    const line = await createLine(context, UNLIMITED)
    let accepted = 0
    let isTold = false
    const failures: unknown[] = []

    // A connection each, kept; a client leaves when it is told to.
    const clients = Array.from({ length: 10 }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      try {
        for (;;) {
          const body = JSON.stringify(messageBody({ toNumber: newNumber() }))
          const { status, headers } = await requestRaw(port, line.webhookPath, {
            agent,
            method: 'POST',
            body,
          })
          if (status === 200) accepted += 1
          // On a busy machine it may turn some away, until it closes.
          else if (status !== 503 || isTold) failures.push(status)
          if (accepted === 100 && !isTold) {
            isTold = true
            void web.kill('SIGTERM')
          }
          if (headers.connection === 'close') return
        }
      } catch (error) {
        failures.push(error)
      } finally {
        agent.destroy()
      }
    })
    await Promise.all(clients)

    const askedAt = performance.now()
    expect(await web.exitCode).to.equal(0)
    expect(performance.now() - askedAt).to.be.below(10_000)
    expect(failures).to.deep.equal([])
    expect(web.log().filter(({ msg }) => msg === 'proxy.untold')).to.deep.equal([])
    expect(accepted).to.be.at.least(100)
    expect(await messagesOf(context, line.lineId)).to.have.length(accepted)
    expect(withoutAdvice(web.errorLines)).to.deep.equal([])
  })
})
