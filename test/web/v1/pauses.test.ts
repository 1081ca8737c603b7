import { expect } from 'chai'
import { COMMAND_LINE, pauseLine } from '../../../src/domain/operating/pauses.js'
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
  })

  it('another user’s line is nobody’s', async () => {
    const { client: other } = await createOwner(api)
    for (const step of ['pause-sending', 'resume-sending']) {
      expectProblem(await other.post(`${path}/${step}`), 404, /no such line/)
    }
    expect(expectAnswer(await client.get(path))).to.include(running)
  })
})
