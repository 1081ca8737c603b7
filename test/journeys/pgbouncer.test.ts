import { expect } from 'chai'
import { createLine } from '../helpers/factories.js'
import { startWeb, startWorkers, stopProcesses } from '../helpers/process/processes.js'
import { openForSuite } from '../helpers/suite.js'
import { describeInstallation } from './support/installation.js'
import { startPgBouncer } from './support/pgbouncer.js'
import { numbers, postAll, whenSettled, WIDE } from './support/steps.js'

/** Migrations and what the test looks at go straight to Postgres, as an operator's would. */
const SETUP = { processes: [] }

describeInstallation('journey: Postgres behind PgBouncer in transaction mode', SETUP, (installation) => {
  const { environment, context } = installation
  const bouncer = openForSuite(async () => {
    const started = await startPgBouncer(environment.DATABASE_URL!)
    return { ...started, close: () => started.stop() }
  })

  it('texts are accepted, sent and delivered, with DATABASE_NAMED_STATEMENTS=false', async () => {
    const behind = { ...environment, DATABASE_URL: bouncer.url, DATABASE_NAMED_STATEMENTS: 'false' }
    const [web] = await Promise.all([startWeb(behind), startWorkers(['send-message', 'maintenance'], behind)])
    const line = await createLine(context, WIDE)
    const texts = numbers(100).map((toNumber) => ({ toNumber }))
    const ids = await postAll(web.url, line, texts)
    const settled = await whenSettled(context, line)
    expect(settled.map(({ id }) => id)).to.have.members(ids)
    expect(settled.every(({ status }) => status === 'delivered')).to.equal(true)
    await stopProcesses()
  })
})
