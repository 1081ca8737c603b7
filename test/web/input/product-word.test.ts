import { expect } from 'chai'
import { deliver } from '../../../src/domain/endpoints/deliveries/deliver.js'
import { newId } from '../../../src/ids.js'
import { createLine, lineForAllTests, messageBody } from '../../helpers/factories.js'
import { startReceiver } from '../../helpers/services/receiver.js'
import { openForSuite } from '../../helpers/suite.js'
import { describeWeb, withWeb } from '../../helpers/web/web.js'
import { expectAccepted, expectRefused, newNumber } from '../support.js'

const environment = { PRODUCT_WORD: 'burner' }

describeWeb('with PRODUCT_WORD=burner', { environment }, ({ context, web }) => {
  const receiver = openForSuite(startReceiver)
  const line = lineForAllTests(context, () => ({ outgoingUrl: receiver.url }))

  it('a generated URL says burnerId, and works', async () => {
    expect(line.webhookPath).to.match(/^\/webhooks\/burnerId\/[0-9a-f-]{36}\?token=/)
    expectAccepted(await web.post(line.webhookPath, messageBody({ toNumber: newNumber() })))
  })

  for (const word of ['burnerId', 'burner', 'lineId', 'line']) {
    it(`/webhooks/${word}/… works too, also with repeated slashes`, async () => {
      const query = `?token=${line.token}`
      for (const path of [`/webhooks/${word}/${line.lineId}`, `//webhooks/${word}//${line.lineId}/`]) {
        expectAccepted(await web.post(path + query, messageBody({ toNumber: newNumber() })))
      }
    })
  }

  it('the checks are the same', async () => {
    expectRefused(await web.post(`/webhooks/burner/${newId()}`, messageBody()), 404, "URL doesn't exist")
    expectRefused(await web.post(`/webhooks/burner/${line.lineId}`, messageBody()), 403, 'URL is invalid')
    expectRefused(await web.post(line.webhookPath, {}), 400, 'JSON body must contain an intent')
  })

  it('an event has the field burnerId, and no lineId', async () => {
    const inbound = { fromNumber: '+15005550199', toNumber: line.number, text: 'Hi' }
    expect((await web.post('/simulator/inbound', inbound)).status).to.equal(200)
    const { id, endpoint_id: endpointId } = (await context
      .db('deliveries')
      .where({ line_id: line.lineId })
      .first<{ id: string; endpoint_id: string } | undefined>())!
    expect(await deliver(context, id, endpointId)).to.deep.equal({ kind: 'delivered' })
    expect(JSON.parse(receiver.requests[0]!.body)).to.deep.equal({
      type: 'inboundText',
      payload: 'Hi',
      fromNumber: '+15005550199',
      toNumber: line.number,
      userId: line.userId,
      burnerId: line.lineId,
    })
  })
})

describe('without PRODUCT_WORD', () => {
  it('no other word has a path', async () => {
    await withWeb({}, async ({ context, web }) => {
      const { lineId, token } = await createLine(context)
      for (const word of ['burnerId', 'burner']) {
        const answer = await web.post(`/webhooks/${word}/${lineId}?token=${token}`, messageBody())
        expectRefused(answer, 404, 'URL is invalid')
      }
    })
  })
})
