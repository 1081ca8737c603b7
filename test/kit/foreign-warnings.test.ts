import { expect } from 'chai'
import { createEnvironment } from '../helpers/process/environment.js'
import { freePort } from '../../dev/services/free-port.js'
import { linehook } from '../bin/linehook.js'
import { runSource, sourceOf, startWeb, stopProcesses } from '../helpers/process/processes.js'
import { withoutInfo } from '../journeys/support/guest-redis.js'
import { createInstallation } from '../journeys/support/steps.js'
import { until } from '../helpers/until.js'

const METRICS_TOKEN = 'dd3YcN8zRr5mVJq0Wk2hTg7Lx9Qp4Sa6'

describe('what web says when it starts', () => {
  after(() => stopProcesses())

  it('is its log alone with a Redis whose INFO is closed, however often it is scraped, and so with a command', async () => {
    const { context, environment } = await createInstallation({
      ...{ PORT: String(await freePort()), LOG_LEVEL: 'info', METRICS_TOKEN },
    })
    try {
      await withoutInfo(context, async (redisUrl) => {
        const restricted = { ...environment, REDIS_URL: redisUrl }
        const web = await startWeb(restricted)
        const authorization = `Bearer ${METRICS_TOKEN}`
        const scraped = await (await fetch(`${web.url}/metrics`, { headers: { authorization } })).text()
        expect(scraped).to.match(/^linehook_store_up\{store="redis".*\} 1$/m)
        expect(scraped).not.to.match(/^linehook_redis_safe\{/m)
        expect(web.log().map(({ msg }) => msg)).not.to.include('metrics.not_read')
        for (const line of web.lines) expect(() => JSON.parse(line) as unknown, line).not.to.throw()
        expect((await linehook(restricted, ['status'])).errorLines).to.deep.equal([])
      })
    } finally {
      await context.close()
    }
  })

  it('is its log alone, whatever packages think of this version of Node', async () => {
    const environment = await createEnvironment({
      PORT: String(await freePort()),
      LOG_FORMAT: 'json',
      LOG_LEVEL: 'info',
    })
    const web = runSource(sourceOf('web'), environment, { name: 'web' })
    await until('it has started', () => web.log().some(({ msg }) => msg === 'process.started'))
    for (const line of web.lines) expect(() => JSON.parse(line) as unknown, line).not.to.throw()
    const isOutdated = Number(process.versions.node.split('.')[0]) < 22
    await until('it has said so', () => web.log().some(({ msg }) => msg === 'node.outdated') === isOutdated)
  })
})
