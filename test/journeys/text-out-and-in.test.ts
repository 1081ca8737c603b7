import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import type { Context } from '../../src/domain/context.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { startProcess, startWeb, stopProcesses } from '../helpers/process/processes.js'
import { startReceiver, type Receiver } from '../helpers/services/receiver.js'
import { until } from '../helpers/until.js'
import {
  createInstallation,
  numbers,
  post,
  postAll,
  takenCounts,
  textTo,
  times,
  whenSettled,
} from './support/steps.js'

describe('journey: a text out, a text in', function () {
  this.timeout(60_000)

  let context: Context
  let receiver: Receiver
  let url: string

  before(async () => {
    const installation = await createInstallation()
    context = installation.context
    receiver = await startReceiver()
    const [web] = await Promise.all([
      startWeb(installation.environment),
      startProcess('send-message', installation.environment),
      startProcess('deliver-event', installation.environment),
      startProcess('maintenance', installation.environment),
    ])
    url = web.url
  })

  after(async () => {
    await stopProcesses()
    await receiver.close()
    await context.close()
  })

  async function outbox(toNumber: string): Promise<Record<string, unknown>[]> {
    const response = await fetch(`${url}/simulator/outbox?toNumber=${encodeURIComponent(toNumber)}`)
    return (await response.json()) as Record<string, unknown>[]
  }

  it('a text posted to the webhook appears in the outbox and is delivered by its receipt', async () => {
    const line = await createLine(context)
    const [toNumber = ''] = numbers(1)
    const { status, body, messageId } = await post(url, line, { toNumber, text: 'Table at eight' })
    expect([status, body]).to.deep.equal([200, { success: true }])

    const taken = await until('it is in the outbox', async () => (await outbox(toNumber))[0])
    expect(taken).to.include({ messageId, fromNumber: line.number, toNumber, text: 'Table at eight' })

    const [message] = await whenSettled(context, line)
    expect(message).to.include({ id: messageId, status: 'delivered', error: null })
    expect(await outbox(toNumber)).to.have.length(1)
  })

  it('a text to the line arrives at the receiver, with a signature that verifies', async () => {
    const line = await createLine(context, { outgoingUrl: receiver.url })
    const [fromNumber = ''] = numbers(1)
    expect(await textTo(url, { fromNumber, toNumber: line.number, text: 'On my way' })).to.equal(200)

    const request = await until('the event arrives', () => receiver.requests[0])
    const headers = request.headers as Record<string, string>
    expect(new Webhook(line.signingSecret).verify(request.body, headers)).to.deep.equal({
      type: 'inboundText',
      payload: 'On my way',
      fromNumber,
      toNumber: line.number,
      userId: line.userId,
      lineId: line.lineId,
    })
    expect(headers['user-agent']).to.match(/^Linehook\/\d/)
    expect(headers['content-type']).to.equal('application/json')
  })

  describe('on a line with the usual limits', () => {
    const others = numbers(30, 100)
    const [friend = ''] = others
    let line: TestLine

    before(async () => {
      line = await createLine(context)
    })

    it('the sixth text to a number in a minute is refused with the wait', async () => {
      await postAll(url, line, times(5, { toNumber: friend }))
      const refused = await post(url, line, { toNumber: friend })
      expect([refused.status, refused.body]).to.deep.equal([
        403,
        { success: false, error: 'Rate limit exceeded' },
      ])
      expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60)
    })

    it('a text from that number opens it at once, and the next one is sent right away', async () => {
      await until('the five are taken', async () => (await takenCounts(context, line)).size === 5)
      await textTo(url, { fromNumber: friend, toNumber: line.number, text: 'Yes?' })
      const { status, messageId } = await post(url, line, { toNumber: friend })
      expect(status).to.equal(200)
      await until('it is taken', async () => (await takenCounts(context, line)).has(messageId))
    })

    it('the 31st text in a minute is refused with the wait, whatever its number', async () => {
      const rest = others.slice(1, 25).map((toNumber) => ({ toNumber }))
      await postAll(url, line, rest)
      const refused = await post(url, line, { toNumber: others[29] })
      expect([refused.status, refused.body]).to.deep.equal([
        403,
        { success: false, error: 'Rate limit exceeded' },
      ])
      expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60)
    })

    it('every text that was accepted is sent once', async () => {
      const settled = await whenSettled(context, line)
      expect(settled.map(({ status }) => status)).to.deep.equal(Array(30).fill('delivered'))
      expect([...(await takenCounts(context, line)).values()]).to.deep.equal(Array(30).fill(1))
    })
  })
})
