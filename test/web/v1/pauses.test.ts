import { expect } from 'chai'
import { pauseLineEndpoint } from '../../../src/domain/endpoints/endpoint-pauses.js'
import { COMMAND_LINE, pauseLine } from '../../../src/domain/operating/pauses.js'
import { createApplication } from '../../domain/applications/applications.js'
import type { TestLine } from '../../helpers/factories.js'
import { describeWith } from '../../helpers/suite.js'
import { createOwner, expectAnswer, expectProblem, serveApi, type Client } from './support.js'

describeWith('/v1, of what is paused', serveApi, (api) => {
  let line: TestLine
  let client: Client
  let path: string

  beforeEach(async () => {
    ;({ line, client, path } = await createOwner(api, { outgoingUrl: 'http://127.0.0.1:9/events' }))
  })

  const running = { pausedAt: null, pausedBy: null }
  const endpointOf = (answer: unknown) => (answer as { endpoint: Record<string, unknown> }).endpoint

  it('a line’s sending is paused and resumed; twice is as good as once', async () => {
    expect(expectAnswer(await client.get(path))).to.include(running)
    const paused = expectAnswer(await client.post(`${path}/pause-sending`)) as Record<string, unknown>
    expect(paused).to.include({ id: line.lineId, pausedBy: 'owner' })
    expect(Date.now() - Date.parse(String(paused.pausedAt))).to.be.within(-1000, 20_000)
    expect(expectAnswer(await client.post(`${path}/pause-sending`))).to.deep.equal(paused)
    expect(expectAnswer(await client.post(`${path}/resume-sending`))).to.include(running)
    expect(expectAnswer(await client.post(`${path}/resume-sending`))).to.include(running)
  })

  it('what an operator paused its owner cannot resume', async () => {
    await pauseLine(api.context, COMMAND_LINE, { id: line.lineId, userId: line.userId })
    expect(expectAnswer(await client.get(path))).to.include({ pausedBy: 'operator' })
    expectProblem(await client.post(`${path}/resume-sending`), 403, /^an operator has paused it/)
    await pauseLineEndpoint(api.context, COMMAND_LINE, line.userId, line.lineId)
    expectProblem(await client.post(`${path}/connection/resume-events`), 403, /^an operator has paused it/)
  })

  it('the events of a line are paused and resumed', async () => {
    const paused = endpointOf(expectAnswer(await client.post(`${path}/connection/pause-events`)))
    expect(paused).to.include({ pausedBy: 'owner' })
    expect(paused.pausedAt).to.be.a('string')
    expect(endpointOf(expectAnswer(await client.get(`${path}/connection`)))).to.deep.equal(paused)
    expect(endpointOf(expectAnswer(await client.post(`${path}/connection/resume-events`)))).to.include(
      running,
    )
  })

  it('another URL, and enabling the connection again, leave a pause as it is', async () => {
    await client.post(`${path}/connection/pause-events`)
    const change = { enabled: true, outgoingWebhookUrl: 'http://127.0.0.1:9/others' }
    expect(endpointOf(expectAnswer(await client.put(`${path}/connection`, change)))).to.include({
      pausedBy: 'owner',
    })
  })

  it('without a URL there is nothing to pause', async () => {
    const { client: other, path: its } = await createOwner(api)
    expectProblem(await other.post(`${its}/connection/pause-events`), 409, /outgoing webhook URL/)
    expectProblem(await other.post(`${its}/connection/resume-events`), 409, /outgoing webhook URL/)
  })

  it('the events of an application are paused and resumed', async () => {
    const webhookUrl = 'http://127.0.0.1:9/application-events'
    const { id } = await createApplication(api.context, { userId: line.userId, webhookUrl })
    const application = `/v1/applications/${id}`
    const paused = endpointOf(expectAnswer(await client.post(`${application}/pause-events`)))
    expect(paused.pausedAt).to.be.a('string')
    expect(endpointOf(expectAnswer(await client.post(`${application}/resume-events`)))).to.include({
      pausedAt: null,
    })
    const { id: bare } = await createApplication(api.context, { userId: line.userId })
    expectProblem(await client.post(`/v1/applications/${bare}/pause-events`), 409, /has no webhook URL/)
  })

  it('another user’s line is nobody’s', async () => {
    const { client: other } = await createOwner(api)
    for (const step of ['pause-sending', 'resume-sending', 'connection/pause-events']) {
      expectProblem(await other.post(`${path}/${step}`), 404, /no such line/)
    }
    expect(expectAnswer(await client.get(path))).to.include(running)
  })
})
