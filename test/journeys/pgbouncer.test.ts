import { expect } from 'chai'
import type { Context } from '../../src/domain/context.js'
import { createTestContext } from '../helpers/context.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { startProcess, startWeb, stopProcesses } from '../helpers/process/processes.js'
import { createEnvironment } from '../helpers/process/environment.js'
import { startPgBouncer, type Bouncer } from './support/pgbouncer.js'
import { numbers, postAll, whenSettled, WIDE } from './support/steps.js'

describe('journey: Postgres behind PgBouncer in transaction mode', function () {
  this.timeout(90_000)
  let bouncer: Bouncer | undefined
  let context: Context
  let url: string
  let line: TestLine

  before(async () => {
    // Migrations and what the test looks at go straight to Postgres, as an operator's would.
    const environment = await createEnvironment()
    bouncer = await startPgBouncer(environment.DATABASE_URL!)
    context = await createTestContext(environment)
    line = await createLine(context, WIDE)
    const behind = { ...environment, DATABASE_URL: bouncer.url, DATABASE_NAMED_STATEMENTS: 'false' }
    const [web] = await Promise.all([
      startWeb(behind),
      startProcess('send-message', behind),
      startProcess('maintenance', behind),
    ])
    url = web.url
  })

  after(async () => {
    await stopProcesses()
    if (bouncer === undefined) return
    await context.close()
    await bouncer.stop()
  })

  it('texts are accepted, sent and delivered, with DATABASE_NAMED_STATEMENTS=false', async () => {
    const texts = numbers(100).map((toNumber) => ({ toNumber }))
    const ids = await postAll(url, line, texts)
    const settled = await whenSettled(context, line)
    expect(settled.map(({ id }) => id)).to.have.members(ids)
    expect(settled.every(({ status }) => status === 'delivered')).to.equal(true)
  })
})
