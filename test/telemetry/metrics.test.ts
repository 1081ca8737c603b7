import { expect } from 'chai'
import { boundedCode } from '../../src/telemetry/bounded-code.js'
import { measureProcess, metricTable, scrape, watchPool } from '../../src/telemetry/metrics.js'
import { findMetric, parseMetrics } from '../helpers/metrics.js'

describe('metrics', () => {
  it('are named as Prometheus would have it', () => {
    for (const { name, kind, help, labels } of metricTable) {
      expect(name).to.match(/^linehook_[a-z]+(_[a-z]+)*$/)
      expect(name.endsWith('_total'), `${name} is a ${kind}`).to.equal(kind === 'counter')
      if (kind === 'histogram') expect(name).to.match(/_seconds$/)
      expect(help, name).to.match(/^[A-Z].*\.$/)
      for (const label of labels) expect(label, name).to.match(/^[a-z_]+$/)
      expect(labels, name).not.to.include.members(['process'])
    }
    expect(new Set(metricTable.map(({ name }) => name)).size).to.equal(metricTable.length)
  })

  it('have no label for what is somebody’s own', () => {
    const labels = new Set(metricTable.flatMap(({ labels }) => labels))
    for (const private_ of ['number', 'user', 'line', 'token', 'url', 'path', 'endpoint', 'id', 'host']) {
      expect(labels.has(private_), private_).to.be.false
    }
  })

  it('say what an alert looks at from the beginning: a rise from nothing is none', async () => {
    const samples = parseMetrics((await scrape()).text)
    for (const reason of ['worker_lost', 'carrier_outcome_unknown']) {
      const labels = { outcome: 'unknown', reason }
      expect(findMetric(samples, 'linehook_message_outcomes_total', labels), reason).to.be.a('number')
    }
  })

  it('tell the connections of all pools of a process', async () => {
    const read = async (name: string, labels = {}) =>
      findMetric(parseMetrics((await scrape()).text), name, labels)
    const connections = 'linehook_database_pool_connections'
    const before = [await read(connections, { state: 'used' }), await read('linehook_database_pool_waiting')]
    const unwatch = [3, 4].map((used) => watchPool(() => ({ used, free: 1, max: 5, waiting: 2 * used })))
    expect(await read(connections, { state: 'used' })).to.equal((before[0] ?? 0) + 7)
    expect(await read('linehook_database_pool_waiting')).to.equal((before[1] ?? 0) + 14)
    for (const end of unwatch) end()
    expect(await read(connections, { state: 'used' })).to.equal(before[0])
  })

  // Which process they are of is tested where there are some: test/workers/metrics.test.ts.
  it('say which version they are of, and how the event loop is', async () => {
    measureProcess('send-message', '1.2.3')
    const samples = parseMetrics((await scrape()).text)
    expect(findMetric(samples, 'linehook_process_info', { version: '1.2.3' })).to.equal(1)
    expect(findMetric(samples, 'linehook_nodejs_eventloop_lag_p99_seconds')).to.be.a('number')
    expect(samples.every(({ name }) => name.startsWith('linehook_'))).to.be.true
  })

  it('take what a carrier calls its codes, and not what may be a number or a text', () => {
    for (const code of ['21211', 'ESME_RINVDSTADR', '0x00000400', 'not.found', 'E-17']) {
      expect(boundedCode(code)).to.equal(code)
    }
    for (const text of ['+15005550199', '15005550199', 'sorry, no', '', 'x'.repeat(33), 'a"b', 'a\nb']) {
      expect(boundedCode(text), text).to.equal('other')
    }
  })

  it('have so many codes from outside and no more', () => {
    const given = Array.from({ length: 300 }, (_, n) => boundedCode(`code-${n}`))
    expect(given.filter((code) => code !== 'other')).to.have.lengthOf.within(1, 200)
    expect(boundedCode('code-0')).to.equal('code-0')
    expect(boundedCode('code-299')).to.equal('other')
  })
})
