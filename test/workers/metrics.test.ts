import { expect } from 'chai'
import { freePort } from '../../dev/services/free-port.js'
import { createLine } from '../helpers/factories.js'
import { findMetric, parseMetrics, type Sample } from '../helpers/metrics.js'
import { runSource, startProcess, startWeb } from '../helpers/process/processes.js'
import { until } from '../helpers/until.js'
import { describeInstallation } from '../journeys/support/installation.js'
import { numbers, postAll, textTo, whenSettled } from '../journeys/support/steps.js'

const [anna = '', ben = ''] = numbers(2)

/** Each process on a port of its own, as Prometheus finds them. */
describeInstallation('the metrics of processes', { processes: [] }, ({ environment, context, receiver }) => {
  const ports: Record<string, string> = {}

  before(async () => {
    for (const name of ['web', 'send-message', 'deliver-event', 'maintenance']) {
      ports[name] = String(await freePort())
    }
  })

  const withPort = (name: string) => ({ ...environment, METRICS_PORT: ports[name] ?? '' })

  async function scrapeOf(name: string): Promise<Sample[]> {
    const answer = await fetch(`http://127.0.0.1:${ports[name] ?? ''}/metrics`)
    expect(answer.status).to.equal(200)
    return parseMetrics(await answer.text())
  }

  it('tell of a text from the request to the carrier, and of one from the carrier to the endpoint', async () => {
    const [web] = await Promise.all([
      startWeb(withPort('web')),
      startProcess('send-message', withPort('send-message')),
      startProcess('deliver-event', withPort('deliver-event')),
      startProcess('maintenance', withPort('maintenance')),
    ])
    const line = await createLine(context, { outgoingUrl: receiver.url })
    await postAll(web.url, line, [{ toNumber: anna }, { toNumber: ben }])
    await textTo(web.url, { fromNumber: anna, toNumber: line.number, text: 'Hi' })
    await whenSettled(context, line)
    await until('the event has arrived', () => receiver.requests.length > 0)

    await until('web has counted it', async () => {
      const ofWeb = await scrapeOf('web')
      return (
        findMetric(ofWeb, 'linehook_message_requests_total', { outcome: 'accepted', process: 'web' }) === 2 &&
        findMetric(ofWeb, 'linehook_inbound_messages_total', { type: 'inboundText', outcome: 'received' }) ===
          1 &&
        ['send-message', 'deliver-event', 'maintenance'].every(
          (queue) => findMetric(ofWeb, 'linehook_queue_workers', { queue }) === 1,
        ) &&
        findMetric(ofWeb, 'linehook_queue_workers', { queue: 'fetch-media' }) === 0
      )
    })
    const taken = { carrier: 'simulator', outcome: 'taken', process: 'send-message' }
    await until('send-message has', async () => {
      const samples = await scrapeOf('send-message')
      return (
        findMetric(samples, 'linehook_carrier_attempts_total', taken) === 2 &&
        findMetric(samples, 'linehook_message_outcomes_total', { outcome: 'sent', reason: 'none' }) === 2 &&
        findMetric(samples, 'linehook_message_hand_over_age_seconds_count') === 2 &&
        (findMetric(samples, 'linehook_job_duration_seconds_count', { outcome: 'done' }) ?? 0) >= 2
      )
    })
    await until('deliver-event has', async () => {
      const samples = await scrapeOf('deliver-event')
      const delivered = { outcome: 'delivered', answer: '2xx', process: 'deliver-event' }
      return (findMetric(samples, 'linehook_delivery_attempts_total', delivered) ?? 0) >= 1
    })
    await until('maintenance sweeps', async () => {
      const found = findMetric(await scrapeOf('maintenance'), 'linehook_sweeper_finds_total', {
        what: 'stranded_messages',
      })
      return found !== undefined
    })
  })

  it('a process whose port is in use says so, and ends', async () => {
    const second = runSource('workers/fetch-media.ts', withPort('maintenance'))
    expect(await second.exitCode).to.equal(1)
    expect(second.errorLines).to.deep.equal([
      `METRICS_PORT ${ports.maintenance ?? ''} is in use. Each process on a machine needs its own port.`,
    ])
  })

  it('workers that share a process share its port', async () => {
    const port = String(await freePort())
    ports.workers = port
    const args = ['fetch-media', 'receive-smpp']
    const all = runSource(
      'workers/all.ts',
      { ...environment, LOG_LEVEL: 'info', METRICS_PORT: port },
      { args },
    )
    const started = () => all.log().filter(({ msg }) => msg === 'process.started')
    await until('both have started', () => started().length === 2, 60_000)
    const samples = await scrapeOf('workers')
    expect(findMetric(samples, 'linehook_process_info', { process: 'workers' })).to.equal(1)
    expect(findMetric(samples, 'linehook_job_crashes_total', { queue: 'fetch-media' })).to.equal(0)
  })
})
