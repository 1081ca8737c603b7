import { expect } from 'chai'
import { createEnvironment } from '../helpers/process/environment.js'
import { freePort } from '../../dev/services/free-port.js'
import { runSource, sourceOf, stopProcesses } from '../helpers/process/processes.js'
import { until } from '../helpers/until.js'

describe('what web says when it starts', () => {
  after(() => stopProcesses())

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
