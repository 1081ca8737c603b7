import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { createApiToken } from '../../src/domain/people/api-tokens.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { spansOf, type ReceivedSpan } from '../helpers/process/spans.js'
import { startReceiver } from '../helpers/services/receiver.js'
import { openForSuite } from '../helpers/suite.js'
import { until } from '../helpers/until.js'
import { describeInstallation } from './support/installation.js'
import { numbers, post, postAll, takenCounts, textTo, times, whenSettled } from './support/steps.js'

const [friend = ''] = numbers(1)
const TEMPLATE = '{"text": {{ payload | json }}, "line": "{{ toNumber }}"}'

/** The processes as they are built, with a collector of OpenTelemetry. */
describe('journey: sending and receiving a text', () => {
  const collector = openForSuite(startReceiver)

  describeInstallation(
    'by all processes',
    {
      processes: ['web', 'send-message', 'deliver-event', 'maintenance'],
      environment: () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}` }),
    },
    ({ context, receiver, running }) => {
      beforeEach(() => {
        receiver.requests.length = 0
      })

      async function outbox(toNumber: string): Promise<Record<string, unknown>[]> {
        const query = `toNumber=${encodeURIComponent(toNumber)}`
        const response = await fetch(`${running.url}/simulator/outbox?${query}`)
        return (await response.json()) as Record<string, unknown>[]
      }
      const receive = async (line: TestLine, text: string) => {
        const inbound = { fromNumber: friend, toNumber: line.number, text }
        expect(await textTo(running.url, inbound)).to.equal(200)
        return until('the event arrives', () => receiver.requests[0])
      }

      it('a text posted to the webhook appears in the outbox and is delivered by its receipt', async () => {
        const line = await createLine(context)
        const [toNumber = ''] = numbers(1, 50)
        const { status, body, messageId } = await post(running.url, line, {
          toNumber,
          text: 'Table at eight',
        })
        expect([status, body]).to.deep.equal([200, { success: true }])

        const taken = await until('it is in the outbox', async () => (await outbox(toNumber))[0])
        expect(taken).to.include({ messageId, fromNumber: line.number, toNumber, text: 'Table at eight' })

        const [message] = await whenSettled(context, line)
        expect(message).to.include({ id: messageId, status: 'delivered', error: null })
        expect(await outbox(toNumber)).to.have.length(1)
      })

      it('a text to the line arrives at the receiver, with a signature that verifies', async () => {
        const line = await createLine(context, { outgoingUrl: receiver.url })
        const { body, headers } = await receive(line, 'On my way')
        const event = new Webhook(line.signingSecret).verify(body, headers as Record<string, string>)
        expect(event).to.deep.equal({
          ...{ type: 'inboundText', payload: 'On my way', fromNumber: friend, toNumber: line.number },
          ...{ userId: line.userId, lineId: line.lineId },
        })
        expect(headers['user-agent']).to.match(/^Linehook\/\d/)
        expect(headers['content-type']).to.equal('application/json')
      })

      it('web previews the output of a template for an event, and deliver-event sends it', async () => {
        const line = await createLine(context, { outgoingUrl: receiver.url })
        const { token } = await createApiToken(context, line.userId, 'test')
        const ask = async (method: string, path: string) => {
          const answer = await fetch(`${running.url}/v1/endpoints/${line.endpointId}/policy${path}`, {
            method,
            headers: { authorization: `Bearer ${token}` },
            body: JSON.stringify({ shape: 'template', template: TEMPLATE }),
          })
          const text = await answer.text()
          expect(answer.status, text).to.equal(200)
          return JSON.parse(text) as { body: string; contentType: string }
        }
        const preview = await ask('POST', '/preview')
        expect(preview.contentType).to.equal('application/json')
        expect(JSON.parse(preview.body)).to.have.all.keys('text', 'line')
        expect(await ask('PATCH', '')).to.include({ shape: 'template', template: TEMPLATE })
        const { body } = await receive(line, 'Zoë & "me"')
        expect(JSON.parse(body)).to.deep.equal({ text: 'Zoë & "me"', line: line.number })
      })

      describe('traces in the collector', () => {
        const TEXT = 'nobody else reads this'
        /** Waits until the trace has so many spans. */
        const traceOf = (id: string, count: number): Promise<ReceivedSpan[]> =>
          until(
            () => `the collector has ${count} spans of ${id}: ${JSON.stringify(spansOf(collector.requests))}`,
            () => {
              const spans = spansOf(collector.requests)
              const found = spans.filter(({ traceId }) => traceId === id.replaceAll('-', ''))
              return found.length >= count && found
            },
          )

        it('there is one trace from the POST to the carrier, and one from the carrier to the endpoint', async () => {
          const line = await createLine(context, { outgoingUrl: receiver.url })
          const { messageId } = await post(running.url, line, { toNumber: friend, text: TEXT })
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

          const { headers } = await receive(line, TEXT)
          const back = await traceOf(String(headers['webhook-id']), 2)
          const arrival = back.find(({ name }) => name === 'receive message')
          const delivery = back.find(({ name }) => name === 'deliver event')
          expect(arrival).to.include({ process: 'web' })
          expect(delivery).to.include({ process: 'deliver-event', parentSpanId: arrival?.spanId })
          expect(delivery?.attributes).to.include({
            'http.response.status_code': 200,
            'linehook.outcome': 'delivered',
          })
          expect(headers.traceparent).to.equal(`00-${delivery?.traceId}-${delivery?.spanId}-01`)
        })

        it('they contain no text, number or token', () => {
          const all = collector.requests.map(({ body }) => body).join('\n')
          expect(all).to.include('accept message')
          // A number stands by itself: nanoseconds, of 19 digits, and ids may have its digits in their midst.
          expect(all).not.to.match(/nobody else|(?<![\da-f])1415555\d{4}(?![\da-f])|\+1555|token|lhp_|whsec_/)
        })
      })

      describe('on a line with the usual limits', () => {
        const others = numbers(30, 100)
        const [first = ''] = others
        let line: TestLine

        before(async () => {
          line = await createLine(context)
        })

        const expectRefused = async (toNumber: string) => {
          const { status, body, headers } = await post(running.url, line, { toNumber })
          expect([status, body]).to.deep.equal([403, { success: false, error: 'Rate limit exceeded' }])
          expect(Number(headers.get('retry-after'))).to.be.within(1, 60)
        }

        it('the sixth text to a number in a minute is refused with Retry-After', async () => {
          await postAll(running.url, line, times(5, { toNumber: first }))
          await expectRefused(first)
        })

        it('a text from that number resets its limit, and the next text is sent right away', async () => {
          await until('the five are taken', async () => (await takenCounts(context, line)).size === 5)
          await textTo(running.url, { fromNumber: first, toNumber: line.number, text: 'Yes?' })
          const { status, messageId } = await post(running.url, line, { toNumber: first })
          expect(status).to.equal(200)
          await until('it is taken', async () => (await takenCounts(context, line)).has(messageId))
        })

        it('the 31st text in a minute is refused with Retry-After, whatever its number', async () => {
          await postAll(
            running.url,
            line,
            others.slice(1, 25).map((toNumber) => ({ toNumber })),
          )
          // A busy machine may have needed a minute for all of them.
          await context.db('messages').where({ line_id: line.lineId }).update({ created_at: new Date() })
          await expectRefused(others[29] ?? '')
        })

        it('every accepted text is sent once', async () => {
          const settled = await whenSettled(context, line)
          expect(settled.map(({ status }) => status)).to.deep.equal(Array(30).fill('delivered'))
          expect([...(await takenCounts(context, line)).values()]).to.deep.equal(Array(30).fill(1))
        })
      })
    },
  )
})
