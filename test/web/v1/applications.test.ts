import { expect } from 'chai'
import { isClientSecret, getApplication } from '../../../src/domain/applications/applications.js'
import { connect } from '../../domain/applications/applications.js'
import { startReceiver } from '../../helpers/services/receiver.js'
import { describeWith, openForSuite } from '../../helpers/suite.js'
import { expectAnswer, expectProblem, ownerForEachTest, serveApi } from './support.js'

interface Registered {
  endpoint: { id: string }
  id: string
  clientId: string
  clientSecret: string
  signingSecret: string
}

const FIELDS = { name: 'Auto Reply', redirectUris: ['https://example.com/callback'] }

describeWith('/v1/applications', serveApi, (api) => {
  const receiver = openForSuite(startReceiver)
  const { line, client } = ownerForEachTest(api)

  beforeEach(() => {
    receiver.requests.length = 0
    receiver.answerWith((response) => response.end('ok'))
  })

  const register = async (fields: object = {}) =>
    expectAnswer(await client.post('/v1/applications', { ...FIELDS, ...fields })) as Registered
  const withUrl = async () => {
    const registered = await register({ webhookUrl: receiver.url })
    return { ...registered, path: `/v1/applications/${registered.id}` }
  }

  it('registers one, shows its secrets only once, and lists the user’s own', async () => {
    const { clientSecret, signingSecret, ...application } = await register({ webhookUrl: receiver.url })
    expect(clientSecret).to.match(/^[\w-]{43}$/)
    expect(signingSecret).to.match(/^whsec_/)
    expect(application).to.deep.include({ ...FIELDS, kind: 'confidential' })
    expect(expectAnswer(await client.get('/v1/applications'))).to.deep.equal([application])
    expect(expectAnswer(await client.get(`/v1/applications/${application.id}`))).to.deep.equal(application)
  })

  it('registers a public one without a secret', async () => {
    const { id, clientSecret, signingSecret } = await register({ kind: 'public' })
    expect([clientSecret, signingSecret]).to.deep.equal([null, null])
    expectProblem(await client.post(`/v1/applications/${id}/rotate-secret`), 409, /no client secret/)
  })

  for (const [field, wrong] of [
    ['name', { name: undefined }],
    ['name', { name: 5 }],
    ['redirectUris', { redirectUris: undefined }],
    ['redirectUris', { redirectUris: 'https://example.com' }],
    ['redirectUris', { redirectUris: [5] }],
    ['website', { website: 5 }],
    ['kind', { kind: 'native' }],
    ['optInEvents', { optInEvents: 'lineDisconnected' }],
    ['optInEvents', { optInEvents: null }],
    ['optInEvents', { optInEvents: [5] }],
    ['webhookUrl', { optInEvents: ['lineDisconnected'] }],
  ] as const) {
    it(`explains the error: ${JSON.stringify(wrong)}`, async () => {
      expectProblem(
        await client.post('/v1/applications', { ...FIELDS, ...wrong }),
        400,
        new RegExp(`\\b${field}\\b`),
      )
    })
  }

  it('changes the given fields and leaves the others', async () => {
    const { id } = await register({ description: 'Answers', website: 'https://example.com' })
    const path = `/v1/applications/${id}`
    expect(expectAnswer(await client.put(path, { name: 'Other', website: null }))).to.deep.include({
      name: 'Other',
      description: 'Answers',
      website: null,
      redirectUris: FIELDS.redirectUris,
    })
    expectProblem(await client.put(path, {}), 400, /at least one field/)
    expectProblem(await client.put(path, { redirectUris: [] }), 400, /^redirectUris/)
    expectProblem(await client.put(path, { redirectUris: null }), 400, /redirectUris/)
    expectProblem(
      await client.put(path, { name: '\u3164' }),
      400,
      /^name must contain at least one visible character/,
    )
  })

  it('opts in to events that are not about messages, and out again', async () => {
    const optInEvents = ['lineDisconnected']
    expect(await register({ webhookUrl: receiver.url })).to.deep.include({ optInEvents: [] })
    const { id, ...registered } = await register({ webhookUrl: receiver.url, optInEvents })
    const path = `/v1/applications/${id}`
    expect(registered).to.deep.include({ optInEvents })
    expect(expectAnswer(await client.get(path))).to.deep.include({ optInEvents })
    expect(expectAnswer(await client.put(path, { name: 'Other' }))).to.deep.include({ optInEvents })
    expect(expectAnswer(await client.put(path, { webhookUrl: null }))).to.deep.include({ optInEvents })
    expectProblem(await client.put(path, { optInEvents: ['other'] }), 400, /^optInEvents.*lineDisconnected/)
    expect(expectAnswer(await client.put(path, { optInEvents: [] }))).to.deep.include({ optInEvents: [] })
    expect(expectAnswer(await client.get(path))).to.deep.include({ optInEvents: [] })
  })

  it('lists deliveries of events that an application opted in to', async () => {
    const { id, path, endpoint } = await withUrl()
    await client.put(path, { optInEvents: ['lineDisconnected'] })
    await connect(api.context, { id }, line)
    expectAnswer(await client.delete(`/v1/authorized-applications/${id}`))
    const [row] = expectAnswer(await client.get(`/v1/endpoints/${endpoint.id}/deliveries`)) as object[]
    expect(row).to.include({ type: 'lineDisconnected', lineId: line.lineId, status: 'pending' })
    const ofUser = expectAnswer(await client.get('/v1/deliveries?type=lineDisconnected')) as object[]
    expect(ofUser).to.have.length(1)
    expect(ofUser[0]).to.include({ applicationId: id, messageId: null, fromNumber: line.number })
  })

  it('deletes one', async () => {
    const { id } = await register()
    expect(expectAnswer(await client.delete(`/v1/applications/${id}`))).to.include({ id })
    expectProblem(await client.get(`/v1/applications/${id}`), 404, /No such application/)
    expectProblem(await client.delete(`/v1/applications/${id}`), 404, /No such application/)
  })

  it('creates a new client secret', async () => {
    const { id, clientSecret: old } = await register()
    const { clientSecret } = expectAnswer(
      await client.post(`/v1/applications/${id}/rotate-secret`),
    ) as Registered
    const application = await getApplication(api.context, line.userId, id)
    expect([isClientSecret(application, clientSecret), isClientSecret(application, old)]).to.deep.equal([
      true,
      false,
    ])
  })
})
