import { expect } from 'chai'
import { describeWith } from '../../helpers/suite.js'
import type { Answer } from '../../helpers/web/web.js'
import { askOf } from './sample-requests.js'
import { describedOperations } from './operations.js'
import { askPlainly, createOwner, expectAnswer, expectProblem, serveApi } from './support.js'
import { worldFor } from './world.js'

/** Its clients send more than we read. */
const OF_THE_ORIGINAL = ['listLines', 'getLine', 'renameLine', 'listContacts', 'saveContact', 'changeContact']

describeWith('an unknown field', serveApi, (api) => {
  for (const described of describedOperations().filter(({ path }) => path.startsWith('/v1/'))) {
    const { operation, method } = described
    const isRefused = !OF_THE_ORIGINAL.includes(operation.operationId)
    it(`is ${isRefused ? 'refused' : 'ignored'}, and none of the wrong kind is taken, by ${operation.operationId}`, async () => {
      const world = await worldFor(api, described)
      const ask = askOf(world, described)
      await ask.prepare?.(world)
      const { target, right } = ask
      const expectUnknown = (answer: Answer, name: string, what = 'field') => {
        if (isRefused) expectProblem(answer, 400, new RegExp(`^${name} is not a known ${what}`))
        else expectAnswer(answer)
      }
      if (['POST', 'PUT', 'PATCH'].includes(method)) {
        expectUnknown(await world.client.ask(method, target, { ...right, noSuchField: 1 }), 'noSuchField')
      }
      expectUnknown(
        await world.client.ask(method, `${target}?noSuchParameter=1`, right),
        'noSuchParameter',
        'query parameter',
      )
      for (const [name, value] of Object.entries((right ?? {}) as Record<string, unknown>)) {
        if (value === null) continue
        // The last one is never taken for its element.
        for (const wrong of [{ toString: 1, valueOf: 1 }, { [name]: value }, [value]]) {
          expectProblem(
            await world.client.ask(method, target, { ...right, [name]: wrong }),
            400,
            new RegExp(name),
          )
        }
      }
    })
  }

  it('is refused with the field that was probably meant, or with all known fields', async () => {
    const { line, client, path } = await createOwner(api, { outgoingUrl: 'http://127.0.0.1:1/' })
    const message = { lineId: line.lineId, toNumber: '+15005550101', text: 'Hi' }
    for (const [method, target, body, words] of [
      [
        'POST',
        '/v1/messages',
        { ...message, mediaURLS: ['https://example.com/a.png'] },
        /^mediaURLS is not a known field. Did you mean mediaUrls\?$/,
      ],
      ['POST', '/v1/messages', { ...message, txet: 'x' }, /^txet is not a known field. Did you mean text\?$/],
      ['POST', '/v1/messages', { ...message, media_url: 'x' }, /^media_url .*. Did you mean mediaUrl\?$/],
      [
        'POST',
        '/v1/messages',
        { ...message, from: '+15005550100', tlvs: {} },
        /^from is not a known field. The known fields are lineId, toNumber, text, mediaUrl, .*; tlvs is not a known field/,
      ],
      ['POST', '/v1/messages', { ...message, idempotencyKey: 'a' }, /^idempotencyKey is not a known field/],
      [
        'PATCH',
        `/v1/endpoints/${line.endpointId}/policy`,
        { retryOnTimeOut: true },
        /Did you mean retryOnTimeout\?$/,
      ],
      [
        'GET',
        '/v1/messages?lineid=x',
        undefined,
        /^lineid is not a known query parameter. Did you mean lineId\?$/,
      ],
      [
        'GET',
        '/v1/deliveries?failed=yes',
        undefined,
        /^failed is not a known query parameter. The known query parameters are lineId, /,
      ],
      [
        'POST',
        `${path}/events/attempts`,
        { attempts: [{ eventId: 'x', startAt: 'x' }] },
        /^attempts\[0\]\.startAt .*Did you mean attempts\[0\]\.startedAt\?$/,
      ],
      ['POST', `${path}/pause-sending`, { until: 'x' }, /^until is not a known field. Remove it$/],
    ] as const) {
      expectProblem(await client.ask(method, target, body), 400, words)
    }
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`field${n}`, 1]))
    const { text } = await client.post('/v1/messages', { ...many, ['x'.repeat(5000)]: 1 })
    expect(text).to.have.length.below(2000)
  })

  it('is refused in one message of a batch, while the others are accepted', async () => {
    const { line, client } = await createOwner(api)
    const message = { lineId: line.lineId, toNumber: '+15005550101', text: 'Hi' }
    const answers = expectAnswer(
      await client.post('/v1/messages/batch', {
        messages: [
          message,
          { ...message, clientref: 'a' },
          { ...message, clientRef: 'b', idempotencyKey: 'b' },
        ],
      }),
    ) as { status: number; detail?: string }[]
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 400, 200])
    expect(answers[1]?.detail).to.equal('clientref is not a known field. Did you mean clientRef?')
  })

  it('is ignored in a form, as clients of the original send it, and by the incoming webhook', async () => {
    const { line, client } = await createOwner(api)
    const form = new URLSearchParams({ lineId: line.lineId, toNumber: '+15005550101', text: 'Hi', more: '1' })
    expect((await askPlainly(api, client, '/v1/messages?more=1', { body: form })).status).to.equal(200)
    const data = { toNumber: '+15005550101', text: 'Hi', more: 1 }
    const body = JSON.stringify({ intent: 'message', data, more: 1 })
    expect((await askPlainly(api, client, line.webhookPath, { body })).status).to.equal(200)
  })
})
