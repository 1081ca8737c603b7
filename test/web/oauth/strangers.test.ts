import { expect } from 'chai'
import { describeWith } from '../../helpers/suite.js'
import {
  asking,
  authorizePath,
  createApplication,
  createVisitor,
  serveOAuth,
  visit,
  type TestApplication,
} from './support.js'

const PER_MINUTE = 60

describeWith('/oauth/authorize', serveOAuth, (server) => {
  let application: TestApplication

  beforeEach(async () => {
    await server.context.redis.del('authorize:{127.0.0.1}')
    application = await createApplication(server)
  })

  const askAsStranger = (state = 'a state') =>
    server.web.request(authorizePath(asking(application, { state })), { headers: { Accept: 'text/html' } })
  const begun = async () => (await server.context.db('oauth_records').select('kind')).length

  async function exhaust(): Promise<void> {
    for (let n = 0; n < PER_MINUTE / 10; n += 1) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => askAsStranger()))
      for (const { status, text } of answers) expect(status, text).to.equal(303)
    }
  }

  it('is limited per address without a session, and then writes nothing', async () => {
    await exhaust()
    const before = await begun()
    const refused = await askAsStranger()
    expect([refused.status, refused.headers.get('location')]).to.deep.equal([429, null])
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60)
    expect(refused.text).to.include('wait a minute')
    expect(await begun()).to.equal(before)
  })

  it('is open to signed-in users, whatever others did from their address', async () => {
    await exhaust()
    const visitor = await createVisitor(server)
    const { answer } = await visitor.follow(authorizePath(asking(application)))
    expect(answer.status).to.equal(200)
    expect(answer.text).to.include('Authorize Auto reply')
    const stranger = visit(server, visitor.line, 'x'.repeat(43))
    expect((await stranger.get(authorizePath(asking(application)))).status).to.equal(429)
  })

  it('accepts a state of up to 2,048 bytes in any characters, with or without a session', async () => {
    const visitor = await createVisitor(server)
    for (const state of ['x'.repeat(2048), '\u00e9'.repeat(1024)]) {
      expect((await askAsStranger(state)).status).to.equal(303)
    }
    const before = await begun()
    for (const state of ['x'.repeat(2049), '\u00e9'.repeat(1025)]) {
      for (const answer of [
        await askAsStranger(state),
        await visitor.get(authorizePath(asking(application, { state }))),
      ]) {
        expect([answer.status, answer.headers.get('location')]).to.deep.equal([400, null])
        expect(answer.text).to.include('state must have at most 2048 bytes')
      }
    }
    const path = `${authorizePath(asking(application))}&state=${'y'.repeat(3000)}`
    expect((await server.web.request(path)).body).to.include({ error: 'invalid_request' })
    expect(await begun()).to.equal(before)
  })

  // The last one: there is no Redis any more.
  it('works without Redis', async () => {
    server.context.redis.disconnect()
    expect((await askAsStranger()).status).to.equal(303)
  })
})
