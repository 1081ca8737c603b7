import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import pino from 'pino'
import { newId } from '../../src/ids.js'
import { createTracer } from '../../src/telemetry/opentelemetry.js'
import { ROOT, type Span, type Tracer } from '../../src/telemetry/span.js'
import { startReceiver, type Receiver } from '../helpers/services/receiver.js'
import { until } from '../helpers/until.js'
import { spansOf } from '../helpers/process/spans.js'

const MESSAGE = '018f2b1c-0000-7000-8000-0123456789ab'
const TRACE = MESSAGE.replaceAll('-', '')

describe('traces', () => {
  let collector: Receiver
  const logged: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) })

  beforeEach(async () => {
    collector = await startReceiver()
    logged.length = 0
  })
  afterEach(() => collector.close())

  const open = ({ endpoint = `http://127.0.0.1:${collector.port}`, share = 1 } = {}): Tracer =>
    createTracer(
      { process: 'web', version: '1.0.0', endpoint, headers: { authorization: 'Bearer x' }, share },
      log,
    )

  const span = (more: Partial<Span> = {}): Span => ({
    of: MESSAGE,
    key: ROOT,
    name: 'accept message',
    kind: 'server',
    startedAt: new Date('2026-01-01T00:00:00Z'),
    durationMs: 12.5,
    attributes: { 'linehook.attempt': 1, 'linehook.status': undefined },
    ...more,
  })

  it('of a message have its id, and all hang on the span with which it began', async () => {
    const [web, worker] = [open(), open()]
    worker.add(span({ key: 'send 1', name: 'send message', fault: 'throttled' }))
    await worker.close()
    web.add(span())
    await web.close()
    const [sent, accepted] = spansOf(collector.requests)
    expect(accepted).to.include({ traceId: TRACE, name: 'accept message', process: 'web' })
    expect(accepted?.parentSpanId ?? '').to.equal('')
    expect(accepted?.attributes).to.deep.equal({ 'linehook.attempt': 1 })
    expect(BigInt(accepted!.endTimeUnixNano) - BigInt(accepted!.startTimeUnixNano)).to.equal(12_000_000n)
    expect(sent).to.include({ traceId: TRACE, parentSpanId: accepted?.spanId })
    expect(sent?.status).to.deep.equal({ code: 2, message: 'throttled' })
    expect(sent?.spanId).not.to.equal(accepted?.spanId)
    expect(collector.requests[0]?.headers.authorization).to.equal('Bearer x')
  })

  it('are named to the receiver of a request as the span has it', async () => {
    const tracer = open()
    const parent = tracer.parentOf(MESSAGE, 'deliver 1')
    tracer.add(span({ key: 'deliver 1' }))
    await tracer.close()
    expect(parent).to.equal(`00-${TRACE}-${spansOf(collector.requests)[0]?.spanId}-01`)
  })

  it('are those of a share of the messages, the same ones in every process', async () => {
    const ids = Array.from({ length: 400 }, () => newId())
    const [one, other] = [open({ share: 0.5 }), open({ share: 0.5 })]
    for (const tracer of [one, other]) for (const of of ids) tracer.add(span({ of, key: 'send 1' }))
    const chosen = ids.filter((of) => one.parentOf(of, ROOT) !== undefined)
    await one.close()
    const first = spansOf(collector.requests).map(({ traceId }) => traceId)
    await other.close()
    const second = spansOf(collector.requests).map(({ traceId }) => traceId)
    expect(first.sort()).to.deep.equal(chosen.map((id) => id.replaceAll('-', '')).sort())
    expect(second.length).to.equal(2 * first.length)
    expect(first.length).to.be.within(120, 280)
  })

  it('are dropped by a collector that refuses, with one line in the log', async () => {
    collector.answerWith((response) => response.writeHead(400).end())
    const tracer = open()
    tracer.add(span())
    await tracer.close()
    await until('it is logged', () => logged.length > 0)
    expect(logged.map((line) => (JSON.parse(line) as { msg: string }).msg)).to.deep.equal([
      'traces.not_exported',
    ])
  })

  it('do not keep a process from ending where the collector hangs', async () => {
    const hanging: Server = createServer(() => undefined)
    await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve))
    const tracer = open({ endpoint: `http://127.0.0.1:${(hanging.address() as AddressInfo).port}` })
    for (let n = 0; n < 10_000; n += 1) tracer.add(span({ key: `send ${n}` }))
    await tracer.close()
    // On a busy machine the export is given up a moment after nobody waits for it any more.
    await until('it is logged', () => logged.length > 0)
    expect(logged.length).to.equal(1)
    hanging.closeAllConnections()
    await new Promise((resolve) => hanging.close(resolve))
  })
})
