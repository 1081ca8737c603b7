import { expect } from 'chai'
import { freePort } from '../../../dev/services/free-port.js'
import { findMetric, parseMetrics } from '../../helpers/metrics.js'
import { runNode, stopProcesses, type RunningProcess } from '../../helpers/process/processes.js'
import { until } from '../../helpers/until.js'
import { createStartFolder, removeStartFolder } from '../support/start-folder.js'
import {
  findWebhookUrl,
  inboundText,
  isAlive,
  messageTo,
  pidsOf,
  post,
  textsInOutbox,
  untilBanner,
} from '../support/started.js'
import { numbers } from '../support/steps.js'

const WORKERS = ['send-message', 'deliver-event', 'fetch-media', 'maintenance', 'receive-smpp']
const friends = numbers(8)

describe('linehook start --small', function () {
  this.timeout(240_000)
  let folder = ''
  let port = 0
  let metricsPort = 0
  let started: RunningProcess

  before(async () => {
    folder = createStartFolder()
    port = await freePort()
    metricsPort = await freePort()
    const ports = { PORT: String(port), METRICS_PORT: String(metricsPort) }
    started = runNode('start', ['dist/bin/linehook.js', 'start', '--small'], ports, folder)
    await untilBanner(started)
  })

  after(async () => {
    await stopProcesses()
    removeStartFolder(folder)
  })

  /** Of our processes; the receiver prints events. */
  const log = () =>
    started.lines.flatMap((line) => {
      const [, json] = /^(?:web|workers) *│ (\{.*\})$/.exec(line) ?? []
      return json === undefined ? [] : [JSON.parse(json) as Record<string, unknown>]
    })

  const workersPid = () => pidsOf(started, 'workers').at(-1) ?? 0

  const receive = (text: string) => post(`http://127.0.0.1:${port}/simulator/inbound`, inboundText(text))

  const isPrinted = (text: string) =>
    started.lines.some((line) => line.includes(text) && line.includes('signature valid'))

  it('explains why, and runs every worker in one process and web in another', async () => {
    expect(started.lines.map((line) => line.trim())).to.include(
      'All workers run in one process, because --small was given.',
    )
    const starts = () => log().filter(({ msg }) => msg === 'process.started')
    await until('all have started', () => starts().length === WORKERS.length + 1)
    const pidByName = new Map(starts().map(({ process, pid }) => [process, pid]))
    expect([...pidByName.keys()]).to.have.members([...WORKERS, 'web'])
    expect(new Set(pidByName.values())).to.have.property('size', 2)
  })

  it('sends texts and delivers events', async () => {
    expect(await post(findWebhookUrl(started), messageTo(friends[0] ?? '', 'first'))).to.deep.equal({
      success: true,
    })
    await until('the text is in the outbox', async () => (await textsInOutbox(port)).includes('first'))
    await receive('Hi there')
    await until('the signed event is printed', () => isPrinted('Hi there'))
  })

  it('serves metrics: web on METRICS_PORT, and the workers on the next port', async () => {
    for (const [n, name] of ['web', 'workers'].entries()) {
      const answer = await fetch(`http://127.0.0.1:${metricsPort + n}/metrics`)
      const samples = parseMetrics(await answer.text())
      expect(findMetric(samples, 'linehook_process_info', { process: name }), name).to.equal(1)
    }
  })

  it('restarts the workers after a kill -9, and nothing is lost', async () => {
    const killed = workersPid()
    // So that it has done nothing yet of what comes.
    process.kill(killed, 'SIGSTOP')
    const texts = friends.map((_, n) => `in the way ${n}`)
    for (const [n, text] of texts.entries()) {
      const message = messageTo(friends[n] ?? '', text)
      expect(await post(findWebhookUrl(started), message)).to.deep.equal({ success: true })
    }
    await receive('Are you there?')
    process.kill(killed, 'SIGKILL')
    await until('they are there again', () => workersPid() !== killed)
    await until('each text is in the outbox', async () => {
      const sent = await textsInOutbox(port)
      return texts.every((text) => sent.includes(text))
    })
    await until('the event is delivered', () => isPrinted('Are you there?'))
  })

  it('leaves no process behind on SIGTERM, after each worker has shut down', async () => {
    const pids = [started.pid, ...pidsOf(started, 'web'), ...pidsOf(started, 'workers')]
    await started.kill('SIGTERM')
    expect(await started.exitCode).to.equal(0)
    expect(pids.filter(isAlive)).to.deep.equal([])
    const stopped = log().filter(({ msg }) => msg === 'process.stopped')
    expect(stopped.map(({ process }) => process)).to.have.members([...WORKERS, 'web'])
  })
})
