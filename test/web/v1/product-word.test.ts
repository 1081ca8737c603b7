import { expect } from 'chai'
import { addEndpoint } from '../../../src/domain/endpoints/endpoints.js'
import { queueMessages, receiveManyForDelivery } from '../../domain/fixtures.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { describeWith } from '../../helpers/suite.js'
import { createOwner, expectAnswer, expectProblem, serveApi, type Client, askPlainly } from './support.js'

const serve = () => serveApi({ PRODUCT_WORD: 'burner', PUBLIC_URL: 'https://linehook.example' })

describeWith('/v1 with PRODUCT_WORD=burner', serve, (api) => {
  let line: TestLine
  let client: Client
  let endpointId: string

  before(async () => {
    ;({ line, client } = await createOwner(api, { outgoingUrl: 'http://127.0.0.1:9/' }))
    await queueMessages(api.context, line, 2, { source: 'console' })
    await receiveManyForDelivery(api.context, line, 2)
    const written = { url: 'http://127.0.0.1:9/' }
    endpointId = (await addEndpoint(api.context, line.userId, { lineId: line.lineId }, written)).endpoint.id
  })

  it('uses burner in every path, and accepts line too', async () => {
    expect(expectAnswer(await client.get('/v1/burners'))).to.have.length(1)
    // The document has one spelling of each path, so that the other one is asked past it.
    const spell = (word: string) =>
      api.web.operations
        .filter(({ method, path }) => method === 'GET' && path.startsWith('/v1/burners'))
        // It has no end.
        .filter(({ path }) => !path.endsWith('/stream'))
        .map(({ path }) => path.replace('burners', word).replace('{burnerId}', line.lineId))
        .map((path) => path.replace('{endpointId}', endpointId))
    for (const [n, path] of spell('lines').entries()) {
      const { status, body } = await askPlainly(api, client, path)
      const { body: same } = await askPlainly(api, client, spell('burners')[n] ?? '')
      expect([status, body], path).to.deep.equal([200, same])
    }
  })

  it('returns burnerId, and never lineId', async () => {
    for (const path of ['messages', 'deliveries']) {
      const { text } = await client.get(`/v1/${path}`)
      expect(text).to.include(`"burnerId":"${line.lineId}"`).and.not.to.include('lineId')
    }
    const { text } = await client.get(`/v1/burners/${line.lineId}/connection`)
    expect(text).to.include(`"burnerId":"${line.lineId}"`).and.not.to.include('lineId')
    expect(expectAnswer(await client.get(`/v1/burners/${line.lineId}/limits`))).to.have.property('burner')
  })

  it('filters lines by burnerId and by lineId', async () => {
    const { lineId } = await createLine(api.context, { userId: line.userId })
    for (const field of ['burnerId', 'lineId']) {
      const lines = expectAnswer(await client.get(`/v1/burners?${field}=${lineId}`)) as { id: string }[]
      expect(lines.map(({ id }) => id)).to.deep.equal([lineId])
    }
    expectProblem(await client.get('/v1/burners?lineId=7'), 400, /^burnerId must be an ID/)
  })

  it('filters by burnerId and by lineId, and links to the next page with burnerId', async () => {
    for (const field of ['burnerId', 'lineId']) {
      const answer = await client.get(`/v1/messages?limit=1&${field}=${line.lineId}`)
      expect(expectAnswer(answer)).to.have.length(1)
      const link = answer.headers.get('link')
      expect(link).to.include(`burnerId=${line.lineId}`).and.not.to.include('lineId')
    }
  })

  it('names burnerId when it is wrong, repeated, or given in both words', async () => {
    expectProblem(await client.get('/v1/messages?lineId=7'), 400, /^burnerId must be an ID/)
    expectProblem(
      await client.get('/v1/messages?burnerId=7&burnerId=8'),
      400,
      /^burnerId can be given only once/,
    )
    const both = `burnerId=${line.lineId}&lineId=${line.lineId}`
    expectProblem(await client.get(`/v1/deliveries?${both}`), 400, /^burnerId and lineId are the same/)
  })

  it('accepts both words in a body, and returns the installation’s', async () => {
    const message = { toNumber: '+15005550101', text: 'Hi' }
    for (const name of ['burnerId', 'lineId']) {
      const body = JSON.stringify({ [name]: line.lineId, ...message })
      expect((await askPlainly(api, client, '/v1/messages', { body })).status).to.equal(200)
      expectAnswer(await client.get(`/v1/messages?${name}=${line.lineId}`))
    }
    const answer = await client.post('/v1/messages', { burnerid: line.lineId, ...message })
    expectProblem(answer, 400, /^burnerid is not a known field. Did you mean burnerId\?$/)
    const batch = await client.post('/v1/messages/batch', {
      messages: [
        { burnerId: line.lineId, ...message },
        { lineId: line.lineId, ...message, what: 1 },
      ],
    })
    const [first, second] = expectAnswer(batch) as { status: number; detail?: string }[]
    expect(first?.status).to.equal(200)
    expect(second?.detail).to.match(/^what is not a known field. The known fields are burnerId, /)
  })
})
