import { expect } from 'chai'
import { newId } from '../../../src/ids.js'
import type { Operation } from '../../../src/web/openapi/parts.js'
import { queueMessage } from '../../domain/fixtures.js'
import { describeWith } from '../../helpers/suite.js'
import { createWholeWorld } from './world.js'
import { createOwner, expectAnswer, expectProblem, serveApi, type Client } from './support.js'

/** What every operation on a thing could do, if it were let. */
const BODY = { name: 'Mine now', enabled: false, overlapSeconds: 60 }

describeWith("another user's id", serveApi, (api) => {
  let owner: Client
  let stranger: Client
  let own: Record<string, string>

  before(async () => {
    const world = await createWholeWorld(api)
    ;({ client: owner, ids: own } = world)
    // Usage for a list of it; older than the windows of the line's limits, which go on.
    const sent = { status: 'sent', sent_at: new Date(), handed_over_at: new Date() }
    await queueMessage(api.context, world.line, { ...sent, created_at: new Date(Date.now() - 120_000) })
    stranger = (await createOwner(api, { outgoingUrl: 'http://127.0.0.1:9/' })).client
  })

  const fill = (path: string, idOf: (name: string) => string) =>
    path.replace(/\{(\w+)\}/g, (_, name: string) => idOf(name))
  /** Those on users are for operators alone. */
  const operations = () => api.web.operations.filter(({ path }) => /^\/v1\/(?!users\/).*\{/.test(path))

  /** Everything that the owner can see. */
  const overview = async () => ({
    read: await Promise.all(
      operations()
        .filter(({ method }) => method === 'GET')
        .map(async ({ path }) => expectAnswer(await owner.get(fill(path, (name) => own[name] ?? '')))),
    ),
    authorized: expectAnswer(await owner.get('/v1/authorized-applications')),
    messages: expectAnswer(await owner.get('/v1/messages')),
    deliveries: expectAnswer(await owner.get('/v1/deliveries')),
  })

  it('gets the same 404 as an unknown ID from every operation, and nothing changes', async () => {
    const before = await overview()
    expect(operations()).to.have.length.above(15)
    for (const { method, path, operation } of operations()) {
      const body = method === 'PUT' || method === 'POST' ? knownTo(operation) : undefined
      const unknown = await stranger.ask(method, fill(path, newId), body)
      const others = await stranger.ask(
        method,
        fill(path, (name) => own[name] ?? ''),
        body,
      )
      const noId = await stranger.ask(
        method,
        fill(path, () => '%00'),
        body,
      )
      expectProblem(
        unknown,
        404,
        /^No (such (line|endpoint|message|delivery|application|task)$|contact has this ID or number)/,
      )
      expect([others.status, others.text], `${method} ${path}`).to.deep.equal([404, unknown.text])
      expect([noId.status, noId.text], `${method} ${path}`).to.deep.equal([404, unknown.text])
    }
    expect(await overview()).to.deep.equal(before)
  })

  it('lists nothing of theirs, also if their line is asked for', async () => {
    const lists = api.web.operations.filter(
      ({ method, path }) => method === 'GET' && /^\/v1\/[^{]+$/.test(path),
    )
    expect(lists).to.have.length.above(7)
    for (const { path } of lists) {
      const { text: theirs } = await owner.get(path)
      expect(
        Object.values(own).filter((id) => theirs.includes(id)),
        `${path} of the owner`,
      ).to.not.be.empty
      for (const query of ['', `?lineId=${own.lineId}`]) {
        const { status, text } = await stranger.get(path + query)
        // Some lists have no such filter, and usage has no such line.
        expect(status, path + query).to.be.oneOf(query === '' ? [200] : [200, 400, 404])
        for (const id of Object.values(own)) expect(text, path + query).not.to.include(id)
      }
    }
  })

  it('works in capitals for its owner', async () => {
    for (const { method, path } of operations().filter(({ method }) => method === 'GET')) {
      expectAnswer(
        await owner.ask(
          method,
          fill(path, (name) => own[name]?.toUpperCase() ?? ''),
        ),
      )
    }
  })

  it('gives no access to another kind of record with the same ID', async () => {
    expectProblem(await owner.get(`/v1/lines/${own.messageId ?? ''}`), 404, /No such line/)
    expectProblem(await owner.get(`/v1/messages/${own.deliveryId ?? ''}`), 404, /No such message/)
    expectProblem(await owner.get(`/v1/deliveries/${own.lineId ?? ''}`), 404, /No such delivery/)
  })
})

/** What the operation takes of it: anything else is refused before anybody looks whose the thing is. */
function knownTo({ requestBody }: Operation): object {
  const { content } = (requestBody ?? {}) as {
    content?: Record<string, { schema: { properties?: Record<string, unknown> } }>
  }
  const known = content?.['application/json']?.schema.properties ?? {}
  return Object.fromEntries(Object.entries(BODY).filter(([name]) => name in known))
}
