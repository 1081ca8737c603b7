import { expect } from 'chai'
import type { Context } from '../../src/domain/context.js'
import type { Environment } from '../helpers/process/environment.js'
import { createLine } from '../helpers/factories.js'
import { startProcess, startWeb, stopProcesses } from '../helpers/process/processes.js'
import { startReceiver, type Receiver } from '../helpers/services/receiver.js'
import { spansOf, type ReceivedSpan } from '../helpers/process/spans.js'
import { until } from '../helpers/until.js'
import { createInstallation, numbers, post, textTo } from './support/steps.js'

const [friend = ''] = numbers(1)
const TEXT = 'nobody else reads this'

describe('journey: a text and its answer in a collector of OpenTelemetry', function () {
  this.timeout(60_000)

  let environment: Environment
  let context: Context
  let url: string
  let collector: Receiver
  let receiver: Receiver

  before(async () => {
    ;[collector, receiver] = await Promise.all([startReceiver(), startReceiver()])
    ;({ environment, context } = await createInstallation({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
    }))
    const [web] = await Promise.all([
      startWeb(environment),
      startProcess('send-message', environment),
      startProcess('deliver-event', environment),
    ])
    url = web.url
  })

  after(async () => {
    await stopProcesses()
    await context.close()
    await Promise.all([collector.close(), receiver.close()])
  })

  /** Waits until the trace has so many spans. */
  const traceOf = (id: string, count: number): Promise<ReceivedSpan[]> =>
    until(
      () => `the collector has ${count} spans of ${id}: ${JSON.stringify(spansOf(collector.requests))}`,
      () => {
        const spans = spansOf(collector.requests).filter(({ traceId }) => traceId === id.replaceAll('-', ''))
        return spans.length >= count && spans
      },
      20_000,
    )

  it('is one trace from the POST to the carrier, and one from the carrier to the endpoint', async () => {
    const line = await createLine(context, { outgoingUrl: receiver.url })
    const { messageId } = await post(url, line, { toNumber: friend, text: TEXT })
    const out = await traceOf(messageId, 3)
    const root = out.find(({ name }) => name === 'accept message')
    expect(
      out.map(({ name, process, parentSpanId }) => [name, process, parentSpanId || undefined]),
    ).to.have.deep.members([
      ['accept message', 'web', undefined],
      ['wait in the queue', 'send-message', root?.spanId],
      ['send message', 'send-message', root?.spanId],
    ])
    const send = out.find(({ name }) => name === 'send message')
    expect(send?.attributes).to.include({ 'linehook.status': 'sent', 'linehook.carrier': 'simulator' })

    expect(await textTo(url, { fromNumber: friend, toNumber: line.number, text: TEXT })).to.equal(200)
    const event = await until('the receiver has the event', () => receiver.requests[0])
    const back = await traceOf(String(event.headers['webhook-id']), 2)
    const arrival = back.find(({ name }) => name === 'receive message')
    const delivery = back.find(({ name }) => name === 'deliver event')
    expect(arrival).to.include({ process: 'web' })
    expect(delivery).to.include({ process: 'deliver-event', parentSpanId: arrival?.spanId })
    expect(delivery?.attributes).to.include({
      'http.response.status_code': 200,
      'linehook.outcome': 'delivered',
    })
    expect(event.headers.traceparent).to.equal(`00-${delivery?.traceId}-${delivery?.spanId}-01`)
  })

  it('has no text, no number and no token', () => {
    const all = collector.requests.map(({ body }) => body).join('\n')
    expect(all).to.include('accept message')
    // A number stands by itself: nanoseconds, of 19 digits, and ids may have its digits in their midst.
    expect(all).not.to.match(/nobody else|(?<![\da-f])1415555\d{4}(?![\da-f])|\+1555|token|lhp_|whsec_/)
  })
})
