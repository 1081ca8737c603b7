import { expect } from 'chai'
import { newId } from '../../../src/ids.js'
import { messageBody } from '../../helpers/factories.js'
import { describeWith } from '../../helpers/suite.js'
import { newNumber } from '../support.js'
import { askOf, strangersAmong } from '../v1/sample-requests.js'
import { describedOperations } from '../v1/operations.js'
import { createOwner, serveApi, type Client } from '../v1/support.js'
import { worldFor } from '../v1/world.js'

/** Each answer is compared with the document by `serveDescribed`; this is about none being left out. */
describeWith('the document and the answers', serveApi, (api) => {
  for (const described of describedOperations()) {
    const { operationId } = described.operation

    it(`agree for a success and an error of ${operationId}`, async () => {
      const world = await worldFor(api, described)
      const { client } = world
      const ask = askOf(world, described)
      await ask.prepare?.(world)
      const { method } = described
      const { target, right, wrong, query } = ask
      const { status, text } = await client.ask(method, target, right)
      expect(status, `${method} ${target}: ${text}`).to.equal(200)
      if (ask.isOnce === true) expect((await client.ask(method, target)).status).to.equal(409)
      if (wrong !== undefined) await client.ask(method, target, wrong)
      if (query !== undefined) await client.ask(method, `${target}?${query}`)
      const others = described.path.replace(/\{\w+\}/g, newId)
      if (others !== described.path) await client.ask(method, others, right)
      if (target.startsWith('/v1/')) await api.web.request(target, { method })

      const seen = [...api.web.seen].filter((each) => each.startsWith(`${operationId} `))
      expect(seen).to.include(`${operationId} 200`)
      if (!WITHOUT_ERRORS.includes(operationId)) {
        expect(seen.filter((each) => each.startsWith(`${operationId} 4`))).not.to.deep.equal([])
      }
    })
  }

  it('are compared for no operation that is not there', () => {
    const ids = describedOperations().map(({ operation }) => operation.operationId)
    expect(strangersAmong(ids)).to.deep.equal([])
  })

  it('agree for what is refused by its size, its state and its limits', async () => {
    const { line, client, path } = await createOwner(api, { outgoingUrl: 'http://127.0.0.1:9/' })
    await client.put(path, { name: 'x'.repeat(70_000) })
    const manyHeaders = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`X-${n}`, '']))
    for (const headers of [{ 'Content-Encoding': 'zstd' }, manyHeaders]) {
      await client.ask('PUT', path, {}, headers)
      await client.post(line.webhookPath, {}, headers)
    }
    await client.post(`${path}/incoming-webhook`)
    await client.put(`${path}/connection`, { enabled: false })
    await client.post(`/v1/endpoints/${line.endpointId}/test-event`)
    await client.put(`${path}/connection`, { enabled: true })
    await client.post(line.webhookPath, 'x'.repeat(70_000))
    await client.post(line.webhookPath.replace(/token=.*/, 'token=x'), messageBody())
    const keyed = (text: string) =>
      client.post(line.webhookPath, messageBody({ text }), { 'Idempotency-Key': 'a' })
    await keyed('one')
    await keyed('two')
    await exhaust(client, line.webhookPath)
    expect([...api.web.seen]).to.include.members([
      'renameLine 413',
      'renameLine 415',
      'renameLine 431',
      'sendTestEvent 409',
      'createIncomingWebhook 409',
      'sendText 413',
      'sendText 415',
      'sendText 431',
      'sendText 403',
      'sendText 422',
    ])
  })
})

const WITHOUT_ERRORS = ['isAlive', 'isReady', 'getDescription']

async function exhaust(client: Client, webhookPath: string): Promise<void> {
  const toNumber = newNumber()
  for (let n = 0; n < 6; n += 1) await client.post(webhookPath, messageBody({ toNumber }))
}
