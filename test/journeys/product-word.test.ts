import { expect } from 'chai'
import type { Context } from '../../src/domain/context.js'
import { createLine } from '../helpers/factories.js'
import { startProcess, startWeb, stopProcesses } from '../helpers/process/processes.js'
import { startReceiver, type Receiver } from '../helpers/services/receiver.js'
import { until } from '../helpers/until.js'
import { createInstallation, numbers, outboundMessages, post, textTo } from './support/steps.js'

describe('journey: PRODUCT_WORD=burner', function () {
  this.timeout(60_000)

  let context: Context
  let receiver: Receiver
  let url: string

  before(async () => {
    const { environment, ...installation } = await createInstallation({ PRODUCT_WORD: 'burner' })
    context = installation.context
    receiver = await startReceiver()
    const [web] = await Promise.all([startWeb(environment), startProcess('deliver-event', environment)])
    url = web.url
  })

  after(async () => {
    await stopProcesses()
    await receiver.close()
    await context.close()
  })

  it("the webhook's URL says burner, and both of its shapes and the canonical ones accept texts", async () => {
    const line = await createLine(context)
    const { lineId, token } = line
    expect(line.webhookPath).to.equal(`/webhooks/burnerId/${lineId}?token=${token}`)
    for (const path of ['burnerId', 'burner', 'lineId', 'line']) {
      const posted = await post(url, { webhookPath: `/webhooks/${path}/${lineId}?token=${token}` })
      expect([path, posted.status, posted.body]).to.deep.equal([path, 200, { success: true }])
    }
    expect(await outboundMessages(context, line)).to.have.length(4)
  })

  it('events name the line burnerId, and nothing else', async () => {
    const line = await createLine(context, { outgoingUrl: receiver.url })
    const [fromNumber = ''] = numbers(1)
    await textTo(url, { fromNumber, toNumber: line.number, text: 'Hi' })
    const { body } = await until('the event arrives', () => receiver.requests[0])
    expect(JSON.parse(body)).to.deep.equal({
      type: 'inboundText',
      payload: 'Hi',
      fromNumber,
      toNumber: line.number,
      userId: line.userId,
      burnerId: line.lineId,
    })
  })
})
