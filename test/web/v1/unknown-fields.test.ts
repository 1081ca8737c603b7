import { expect } from 'chai'
import { describeWith } from '../../helpers/suite.js'
import { askOf, type Ask } from './asks.js'
import { describedOperations } from './operations.js'
import { createOwner, expectAnswer, expectProblem, serveApi, type Api, type Client } from './support.js'
import { createWorld, type World } from './world.js'
import type { DescribedOperation } from '../openapi/described.js'

/** Its clients send more than we read. */
const OF_THE_ORIGINAL = ['listLines', 'getLine', 'renameLine', 'listContacts', 'saveContact', 'changeContact']

type Asked = Ask & { target: string }

describeWith('a field that nobody knows', serveApi, (api) => {
  const operations = describedOperations().filter(({ path }) => path.startsWith('/v1/'))

  const askWith = async (
    described: DescribedOperation,
    add: (world: World, ask: Asked) => { body?: object | undefined; query?: string },
  ) => {
    const world = await createWorld(api)
    const ask = askOf(world, described)
    await ask.prepare?.(world)
    const { body, query } = add(world, ask)
    const target = query === undefined ? ask.target : `${ask.target}?${query}`
    return world.client.ask(described.method, target, body)
  }
  const takesBody = ({ method }: DescribedOperation) => ['POST', 'PUT', 'PATCH'].includes(method)

  for (const described of operations) {
    const { operationId } = described.operation
    const isRefused = !OF_THE_ORIGINAL.includes(operationId)

    if (takesBody(described)) {
      it(`is ${isRefused ? 'refused' : 'ignored'} in the body of ${operationId}`, async () => {
        const answer = await askWith(described, (_, { right }) => ({ body: { ...right, noSuchField: 1 } }))
        if (isRefused) expectProblem(answer, 400, /^noSuchField is not known here/)
        else expectAnswer(answer)
      })
    }

    it(`is ${isRefused ? 'refused' : 'ignored'} in the query of ${operationId}`, async () => {
      const answer = await askWith(described, (_, { right }) => ({ body: right, query: 'noSuchParameter=1' }))
      if (isRefused) expectProblem(answer, 400, /^noSuchParameter is not known here/)
      else expectAnswer(answer)
    })
  }

  it('is refused with the one that was probably meant, or with those that there are', async () => {
    const { line, client, path } = await createOwner(api, { outgoingUrl: 'http://127.0.0.1:1/' })
    const message = { lineId: line.lineId, toNumber: '+15005550101', text: 'Hi' }
    for (const [method, target, body, words] of [
      [
        'POST',
        '/v1/messages',
        { ...message, mediaUrls: ['https://example.com/a.png'] },
        /^mediaUrls is not known here: mediaUrl is meant, perhaps$/,
      ],
      ['POST', '/v1/messages', { ...message, media_url: 'x' }, /^media_url .*: mediaUrl is meant, perhaps$/],
      [
        'POST',
        '/v1/messages',
        { ...message, from: '+15005550100', tlvs: {} },
        /^from is not known here: what is known is lineId, toNumber, text, mediaUrl, .*; tlvs is not known here/,
      ],
      ['POST', '/v1/messages', { ...message, idempotencyKey: 'a' }, /^idempotencyKey is not known here/],
      [
        'PATCH',
        `/v1/endpoints/${line.endpointId}/policy`,
        { retryOnTimeOut: true },
        /: retryOnTimeout is meant, perhaps$/,
      ],
      ['GET', '/v1/messages?lineid=x', undefined, /^lineid is not known here: lineId is meant, perhaps$/],
      ['GET', '/v1/deliveries?failed=yes', undefined, /^failed is not known here: what is known is lineId, /],
      [
        'POST',
        `${path}/events/attempts`,
        { attempts: [{ eventId: 'x', startAt: 'x' }] },
        /^attempts\[0\]\.startAt .*: attempts\[0\]\.startedAt is meant, perhaps$/,
      ],
      ['POST', `${path}/pause-sending`, { until: 'x' }, /^until is not known here: leave it out$/],
    ] as const) {
      expectProblem(await client.ask(method, target, body), 400, words)
    }
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`field${n}`, 1]))
    const { text } = await client.post('/v1/messages', { ...many, ['x'.repeat(5000)]: 1 })
    expect(text).to.have.length.below(2000)
  })

  it('is refused in one message of a batch, and the others are accepted', async () => {
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
    expect(answers[1]?.detail).to.equal('clientref is not known here: clientRef is meant, perhaps')
  })

  it('is ignored in a form, as the original’s clients send them, and by the incoming webhook', async () => {
    const { line, client } = await createOwner(api)
    const form = new URLSearchParams({ lineId: line.lineId, toNumber: '+15005550101', text: 'Hi', more: '1' })
    expect(await postPlainly(api, client, '/v1/messages?more=1', form)).to.equal(200)
    const data = { toNumber: '+15005550101', text: 'Hi', more: 1 }
    const body = JSON.stringify({ intent: 'message', data, more: 1 })
    expect(await postPlainly(api, client, line.webhookPath, body)).to.equal(200)
  })
})

describeWith('a field of the wrong kind', serveApi, (api) => {
  for (const described of describedOperations().filter(({ path }) => path.startsWith('/v1/'))) {
    const { operation, method } = described
    it(`is refused, and never taken for its element, by ${operation.operationId}`, async () => {
      const world = await createWorld(api)
      const ask = askOf(world, described)
      await ask.prepare?.(world)
      for (const [name, value] of Object.entries((ask.right ?? {}) as Record<string, unknown>)) {
        if (value === null) continue
        for (const wrong of [[value], { toString: 1, valueOf: 1 }, { [name]: value }]) {
          const answer = await world.client.ask(method, ask.target, { ...ask.right, [name]: wrong })
          expectProblem(answer, 400, new RegExp(name))
        }
      }
    })
  }
})

describeWith(
  'with a product word of its own',
  () => serveApi({ PRODUCT_WORD: 'burner' }),
  (api) => {
    it('both words are known, and the installation’s is named', async () => {
      const { line, client } = await createOwner(api)
      const message = { toNumber: '+15005550101', text: 'Hi' }
      for (const name of ['burnerId', 'lineId']) {
        const body = JSON.stringify({ [name]: line.lineId, ...message })
        expect(await postPlainly(api, client, '/v1/messages', body)).to.equal(200)
        expectAnswer(await client.get(`/v1/messages?${name}=${line.lineId}`))
      }
      const answer = await client.post('/v1/messages', { burnerid: line.lineId, ...message })
      expectProblem(answer, 400, /^burnerid is not known here: burnerId is meant, perhaps$/)
      const batch = await client.post('/v1/messages/batch', {
        messages: [
          { burnerId: line.lineId, ...message },
          { lineId: line.lineId, ...message, what: 1 },
        ],
      })
      const [first, second] = expectAnswer(batch) as { status: number; detail?: string }[]
      expect(first?.status).to.equal(200)
      expect(second?.detail).to.match(/^what is not known here: what is known is burnerId, /)
    })
  },
)

/** Not held against the description, which has neither what is ignored nor the other word. @returns the status */
async function postPlainly(
  api: Api,
  { authorization }: Client,
  path: string,
  body: BodyInit,
): Promise<number> {
  const headers = { Authorization: authorization }
  const answer = await fetch(api.web.url + path, { method: 'POST', headers, body })
  await answer.body?.cancel()
  return answer.status
}
