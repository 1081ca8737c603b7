import { expect } from 'chai'
import { createApiToken } from '../../../src/domain/people/api-tokens.js'
import { deleteApplication } from '../../../src/domain/applications/applications.js'
import { endAuthorizations } from '../../../src/domain/applications/authorizations.js'
import { startReplay } from '../../../src/domain/endpoints/deliveries/replay.js'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { newId } from '../../../src/ids.js'
import { inboundText, queueMessage, queueMessages } from '../../domain/fixtures.js'
import { goOn } from '../../domain/operating/tasks.js'
import { createLine } from '../../helpers/factories.js'
import { describeWith, openForSuite } from '../../helpers/suite.js'
import type { Answer } from '../../helpers/web/web.js'
import { serveDescribed } from '../openapi/described.js'
import { backdateMessages, messagesOf, newNumber } from '../support.js'
import { expectProblem } from '../v1/support.js'
import {
  call as callPlain,
  createApplication,
  createVisitor,
  getTokens,
  introspect,
  partiesForEachTest,
  refresh,
  revoke,
  send as sendPlain,
  serveOAuth,
} from './support.js'

/** What applications and programs may do below /v1 (contract §6). Every answer is compared with the document. */
describeWith('/v1 by an access token', serveOAuth, (server) => {
  const described = openForSuite(() => serveDescribed(server.context))
  const parties = partiesForEachTest(server)
  const { application, visitor } = parties
  let lineId: string

  beforeEach(() => {
    lineId = visitor.line.lineId
  })

  const authorize = async (scope = 'messages:write,messages:connect', lineIds = [lineId], of = parties) =>
    (await getTokens(server, of.visitor, of.application, { scope }, { lineIds })).access_token
  const call = (token: string, path: string, init: RequestInit = {}) =>
    callPlain({ ...server, web: described }, token, path, init)
  const send = (token: string, message: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
    sendPlain(
      { ...server, web: described },
      token,
      { lineId, toNumber: newNumber(), text: 'Hello', ...message },
      headers,
    )
  const idsAt = async (token: string, path: string) => {
    const answer = await call(token, path)
    expect(answer.status, answer.text).to.equal(200)
    return (answer.body as { id: string }[]).map(({ id }) => id)
  }
  const sibling = () => createLine(server.context, { userId: visitor.line.userId })

  describe('POST /v1/messages', () => {
    it('accepts JSON and forms, with text, media or both', async () => {
      const token = await authorize()
      const mediaUrl = 'http://127.0.0.1/cat.png'
      for (const [message, expected] of [
        [{}, { text: 'Hello', mediaUrl: null, type: 'text' }],
        [{ mediaUrl }, { text: 'Hello', mediaUrl, type: 'media' }],
        [
          { text: '', mediaUrl },
          { text: null, mediaUrl, type: 'media' },
        ],
        [
          { text: undefined, mediaUrl },
          { text: null, mediaUrl, type: 'media' },
        ],
        [{ mediaUrl: '' }, { text: 'Hello', mediaUrl: null, type: 'text' }],
      ] as const) {
        const answer = await sendPlain(server, token, {
          lineId,
          toNumber: newNumber(),
          text: 'Hello',
          ...message,
        })
        expect(answer.status, answer.text).to.equal(200)
        expect(answer.body).to.include({ ...expected, status: 'queued', source: 'application' })
      }
      const form = new URLSearchParams({ lineId, toNumber: newNumber(), text: 'a & b + c', mediaUrl: '' })
      const answer = await call(token, '/v1/messages', { method: 'POST', body: form })
      expect(answer.body).to.include({ text: 'a & b + c', mediaUrl: null })
      const two = [mediaUrl, 'http://127.0.0.1/dog.png']
      const given = { lineId, toNumber: newNumber(), text: '' }
      const pairs = [...Object.entries(given), ...two.map((each) => ['mediaUrls', each])]
      for (const [body, mediaUrls] of [
        [JSON.stringify({ ...given, mediaUrls: two }), two],
        [new URLSearchParams(pairs), two],
        [new URLSearchParams(pairs.slice(0, -1)), [mediaUrl]],
      ] as const) {
        const several = await call(token, '/v1/messages', { method: 'POST', body })
        expect(several.body, several.text).to.deep.include({ mediaUrl, mediaUrls, text: null })
      }
      const pasted = await call(token, '/v1/messages', {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: JSON.stringify({ lineId, toNumber: newNumber(), text: 'pasted' }),
      })
      expect(pasted.body).to.include({ text: 'pasted' })
    })

    it('queues it for a worker, and notes when the connection last sent', async () => {
      const token = await authorize()
      const { body } = await send(token)
      const { id } = body as { id: string }
      const row = await server.context
        .db('application_lines')
        .where({ application_id: application.id, line_id: lineId })
        .first<{ last_sent_at: Date | null }>()
      expect(row.last_sent_at).to.be.a('date')
      expect((await messagesOf(server.context, lineId)).map((message) => message.id)).to.deep.equal([id])
      expect((await call(token, `/v1/messages/${id}`)).body).to.deep.include({
        id,
        applicationId: application.id,
      })
    })

    it('answers 400 with the reason for an invalid message', async () => {
      const token = await authorize()
      for (const [message, detail] of [
        [{ text: undefined }, /text, mediaUrl or both/],
        [{ text: ' ' }, /text, mediaUrl or both/],
        [{ text: 'x'.repeat(1601) }, /too long/],
        [{ text: 'a\0' }, /NUL/],
        [{ text: 7 }, /text must be text/],
        [{ toNumber: undefined }, /toNumber/],
        [{ toNumber: 'nobody' }, /cannot be parsed/],
        [{ lineId: undefined }, /lineId is a required field/],
        [{ lineId: 'x' }, /lineId must be an ID/],
        [{ mediaUrl: 'cat.png' }, /mediaUrl/],
        [{ mediaUrls: 'cat.png' }, /mediaUrls must be a list of URLs/],
        [{ mediaUrls: ['http://127.0.0.1/cat.png', ''] }, /mediaUrls must be a list of URLs/],
        [
          { mediaUrl: 'http://127.0.0.1/a', mediaUrls: ['http://127.0.0.1/b'] },
          /mediaUrl or mediaUrls, not both/,
        ],
        [{ mediaUrl: 'file:///etc/passwd' }, /mediaUrl/],
      ] as const) {
        expectProblem(await send(token, message), 400, detail)
      }
      expect(await messagesOf(server.context, lineId)).to.deep.equal([])
    })

    it('answers 403 for a line of the user that is not connected, 404 for any other', async () => {
      const own = await sibling()
      const others = await createVisitor(server)
      await getTokens(server, others, application)
      const token = await authorize()
      expectProblem(await send(token, { lineId: own.lineId }), 403, /not connected/)
      expectProblem(await send(token, { lineId: others.line.lineId }), 404, /No such line/)
      expectProblem(await send(token, { lineId: newId() }), 404, /No such line/)
    })

    it('answers 403 for a disabled line, a number that opted out, and a country that is not allowed', async () => {
      const token = await authorize()
      await receiveMessage(
        server.context,
        inboundText(visitor.line, { content: { type: 'inboundText', text: 'STOP' } }),
      )
      const { fromNumber } = inboundText(visitor.line)
      expectProblem(await send(token, { toNumber: fromNumber }), 403, /opted out/)
      const lines = server.context.db('lines').where({ id: lineId })
      await lines.clone().update({ allowed_countries: ['US'] })
      expectProblem(await send(token, { toNumber: '+4930123456' }), 403, /not allowed/)
      await lines.clone().update({ status: 'disabled' })
      expectProblem(await send(token), 403, /disabled/)
    })

    it('answers 429 when 1,000 of the line wait, and the webhook has its own limits', async () => {
      const token = await authorize()
      await queueMessages(server.context, visitor.line, 999, { source: 'application' })
      expect((await send(token)).status).to.equal(200)
      expectProblem(await send(token), 429, /Too many messages/)
    })

    describe('with an Idempotency-Key', () => {
      const key = { 'Idempotency-Key': 'a key' }

      it('sends once, and returns the same message for a repeat', async () => {
        const token = await authorize()
        const message = { toNumber: newNumber() }
        const answers = [await send(token, message, key), await send(token, message, key)]
        expect(answers.map(({ status }) => status)).to.deep.equal([200, 200])
        expect(answers[0]?.body).to.deep.equal(answers[1]?.body)
        expect(await messagesOf(server.context, lineId)).to.have.length(1)
      })

      it('answers 422 for another body, and 400 for too long a key', async () => {
        const token = await authorize()
        await send(token, { text: 'one' }, key)
        expectProblem(await send(token, { text: 'two' }, key), 422, /another body/)
        expectProblem(await send(token, {}, { 'Idempotency-Key': 'x'.repeat(256) }), 400, /too long/)
      })

      it("counts for one line: another line's or user's same key is another message, alone and in a batch", async () => {
        const second = (await sibling()).lineId
        const token = await authorize(undefined, [lineId, second])
        const another = await createVisitor(server)
        const stranger = another.line.lineId
        const strangers = await authorize(undefined, [stranger], { application, visitor: another })
        for (const [by, line] of [
          [token, lineId],
          [token, second],
          [strangers, stranger],
        ] as const) {
          const sent = { lineId: line, toNumber: newNumber(), text: 'Your order is ready' }
          const answer = await send(by, sent, key)
          expect(answer.status, answer.text).to.equal(200)
          const { id } = answer.body as { id: string }
          const messages = [{ ...sent, idempotencyKey: 'a key' }]
          const batch = await call(by, '/v1/messages/batch', {
            method: 'POST',
            body: JSON.stringify({ messages }),
          })
          expect(batch.body).to.deep.equal([{ status: 200, id }])
          expect(await messagesOf(server.context, line)).to.have.length(1)
        }
      })

      it("is the application's: another one's same key is another message", async () => {
        const message = { toNumber: newNumber() }
        await send(await authorize(), message, key)
        const token = await authorize(undefined, undefined, {
          application: await createApplication(server),
          visitor,
        })
        expect((await send(token, message, key)).status).to.equal(200)
        expect(await messagesOf(server.context, lineId)).to.have.length(2)
      })
    })
  })

  describe('scopes', () => {
    const expectInsufficient = (answer: Answer, scope: string | undefined) => {
      expectProblem(answer, 403, /^insufficient_scope/)
      const header = answer.headers.get('www-authenticate')
      expect(header).to.equal(
        `Bearer realm="Linehook", error="insufficient_scope"${scope === undefined ? '' : `, scope="${scope}"`}`,
      )
    }

    it('lines:read sees all lines, and neither sends nor reads', async () => {
      const second = await sibling()
      const token = await authorize('lines:read')
      expect(await idsAt(token, '/v1/lines')).to.deep.equal([lineId, second.lineId])
      expect((await call(token, `/v1/lines/${second.lineId}`)).status).to.equal(200)
      expectInsufficient(await send(token), 'messages:connect')
      expectInsufficient(await call(token, '/v1/messages'), 'messages:connect')
    })

    it('lines:write renames the lines that it sees', async () => {
      const second = await sibling()
      const rename = (token: string, id: string, name: string) =>
        call(token, `/v1/lines/${id}`, { method: 'PUT', body: JSON.stringify({ name }) })
      const chosen = await authorize('lines:write')
      expect((await rename(chosen, lineId, 'Chosen')).body).to.include({ id: lineId, name: 'Chosen' })
      expect(await idsAt(chosen, '/v1/lines')).to.deep.equal([lineId])
      expectProblem(await rename(chosen, second.lineId, 'Second'), 404, /No such line/)
      const all = await authorize('lines:read lines:write')
      expect((await rename(all, second.lineId, 'Second')).body).to.include({ name: 'Second' })
      const others = (await createVisitor(server)).line
      expectProblem(await rename(all, others.lineId, 'Mine'), 404, /No such line/)
      expectInsufficient(
        await rename(await authorize('messages:connect lines:read'), lineId, 'x'),
        'lines:write',
      )
      expectProblem(await rename(all, lineId, 'x'), 403, /no longer allows/)
      const names = await server.context
        .db('lines')
        .whereIn('id', [lineId, second.lineId])
        .orderBy('id')
        .pluck('name')
      expect(names).to.deep.equal(['Chosen', 'Second'])
    })

    it('without it only connected lines are seen', async () => {
      const second = await sibling()
      const token = await authorize('messages:write')
      expect(await idsAt(token, '/v1/lines')).to.deep.equal([lineId])
      expect((await call(token, `/v1/lines/${lineId.toUpperCase()}`)).status).to.equal(200)
      expectProblem(await call(token, `/v1/lines/${second.lineId}`), 404, /No such line/)
    })

    it('an older token with it no longer sees all lines when the latest consent has not', async () => {
      const second = await sibling()
      const token = await authorize('lines:read messages:write')
      expect(await idsAt(token, '/v1/lines')).to.have.members([second.lineId, lineId])
      await authorize('messages:write')
      expect(await idsAt(token, '/v1/lines')).to.deep.equal([lineId])
    })

    it('messages:connect reads the messages of connected lines, messages:write its own', async () => {
      const second = await sibling()
      const inbound = await queueMessage(server.context, visitor.line)
      const elsewhere = await queueMessage(server.context, second)
      const write = await authorize('messages:write')
      const connect = await authorize('messages:connect')
      const { id } = (await send(write)).body as { id: string }
      expect(await idsAt(connect, '/v1/messages')).to.deep.equal([id, inbound])
      expect(await idsAt(write, '/v1/messages')).to.deep.equal([id])
      expect(await idsAt(connect, `/v1/messages?lineId=${second.lineId}`)).to.deep.equal([])
      for (const [token, message, status] of [
        [connect, inbound, 200],
        [write, inbound, 404],
        [write, id, 200],
        [connect, elsewhere, 404],
      ] as const) {
        expect((await call(token, `/v1/messages/${message}`)).status).to.equal(status)
      }
    })

    it('contacts:read sees the contacts and contacts:write changes them, while the latest consent allows it', async () => {
      await sibling()
      const number = newNumber()
      const ask = (token: string, method: string, path: string, fields: object) =>
        call(token, path, { method, body: JSON.stringify(fields) })
      const save = (token: string, name: string) =>
        ask(token, 'POST', '/v1/contacts', { phoneNumber: number, name })
      const rename = (token: string, name: string) =>
        ask(token, 'PUT', `/v1/contacts/${encodeURIComponent(number)}`, { name })
      const namesSeenBy = async (token: string) =>
        ((await call(token, '/v1/contacts')).body as { name: string }[]).map(({ name }) => name)

      const write = await authorize('contacts:write')
      const saved = await save(write, 'Ann')
      expect(saved.body, saved.text).to.deep.include({ name: 'Ann', lineIds: [lineId] })
      expect((await rename(write, 'Anna')).body).to.include({ name: 'Anna' })
      expectInsufficient(await call(write, '/v1/contacts'), 'contacts:read')
      const read = await authorize('contacts:read')
      expect(await namesSeenBy(read)).to.deep.equal(['Anna'])
      for (const change of [save, rename]) {
        expectInsufficient(await change(read, 'Ben'), 'contacts:write')
        expectProblem(await change(write, 'Ben'), 403, /no longer allows/)
      }
      await authorize('messages:write')
      expectProblem(await call(read, '/v1/contacts'), 403, /no longer allows/)
      const kept = await server.context.db('contacts').where({ number }).pluck('name')
      expect(kept).to.deep.equal(['Anna'])
    })

    it('messages:connect reads all messages of a line, and changes only those that the application sent', async () => {
      const token = await authorize()
      const sendAt = new Date(Date.now() + 3_600_000).toISOString()
      const change = (id: string) => [
        () => call(token, `/v1/messages/${id}`, { method: 'PATCH', body: JSON.stringify({ sendAt }) }),
        () => call(token, `/v1/messages/${id}/cancel`, { method: 'POST' }),
      ]
      const others = await queueMessage(server.context, visitor.line)
      for (const ask of change(others)) expectProblem(await ask(), 403, /only the messages it sent/)
      expect((await call(token, `/v1/messages/${others}`)).body).to.include({
        status: 'queued',
        sendAt: null,
      })
      const { id } = (await send(token)).body as { id: string }
      const changed = []
      for (const ask of change(id)) changed.push(((await ask()).body as { status: string }).status)
      expect(changed).to.deep.equal(['scheduled', 'failed'])
    })

    it('the latest consent applies, even to an older token with more scopes', async () => {
      const token = await authorize('messages:write,messages:connect')
      const { id } = (await send(token)).body as { id: string }
      const writer = await authorize('messages:write')
      expect(await idsAt(writer, '/v1/messages')).to.deep.equal([id])
      await authorize('lines:read')
      for (const older of [token, writer]) {
        expectProblem(await send(older), 403, /not connected/)
        expect(await idsAt(older, '/v1/messages')).to.deep.equal([])
        expect((await call(older, `/v1/messages/${id}`)).status).to.equal(404)
      }
      await authorize('messages:write')
      expect((await send(token)).status).to.equal(200)
    })

    it('messages:connect can resend the application’s own deliveries, and sees only its own tasks', async () => {
      const application = await createApplication(server, { webhookUrl: 'http://127.0.0.1:9/' })
      const token = await authorize(undefined, undefined, { application, visitor })
      const { userId } = visitor.line
      const received = await receiveMessage(server.context, inboundText(visitor.line))
      if (received.kind !== 'received') throw new Error('it was not received')
      const deliveries = server.context.db('deliveries').where({ line_id: lineId })
      await deliveries.clone().update({ status: 'exhausted' })
      const { endpointId } = application.application
      const of = { of: 'line', userId, lineId } as const
      const usersOwn = await startReplay(server.context, of, { from: new Date(0) })

      const replay = (more: object, path = '') =>
        call(token, `/v1/endpoints/${endpointId}/replay${path}`, {
          method: 'POST',
          body: JSON.stringify({ from: '2026-01-01T00:00:00Z', lineId, ...more }),
        })
      expect((await replay({}, '/preview')).body).to.deep.equal({ count: 1, isMore: false })
      expectProblem(await replay({ url: 'https://example.com/' }), 403, /^url: only users can/)
      const other = await sibling()
      for (const path of ['', '/preview']) {
        expectProblem(await replay({ lineId: other.lineId }, path), 409, /gets no events from this line/)
      }
      const { id } = (await replay({})).body as { id: string }
      expect(await goOn(server.context, { id })).to.include({ status: 'done', doneCount: 1 })
      const again = await deliveries.clone().where({ status: 'pending' }).pluck('application_id')
      expect(again).to.deep.equal([application.id])
      expect(await idsAt(token, '/v1/tasks')).to.deep.equal([id])
      expect((await call(token, `/v1/tasks/${usersOwn.id}`)).status).to.equal(404)
      expectProblem(await call(token, `/v1/tasks/${id}/stop`, { method: 'POST' }), 409, /already ended/)
      await endAuthorizations(server.context, userId, application.id, lineId)
      expect((await replay({})).status).to.equal(401)
    })

    it('an application can do nothing else', async () => {
      const token = await authorize('messages:write,messages:connect,lines:read')
      const open = [
        'GET /v1/lines',
        'GET /v1/lines/{lineId}',
        'PUT /v1/lines/{lineId}',
        'GET /v1/messages',
        'GET /v1/messages/{messageId}',
        'POST /v1/messages',
        'POST /v1/messages/batch',
        'PATCH /v1/messages/{messageId}',
        'POST /v1/messages/{messageId}/cancel',
        'GET /v1/endpoints',
        'GET /v1/endpoints/{endpointId}',
        'POST /v1/endpoints/{endpointId}/test-event',
        'POST /v1/endpoints/{endpointId}/try-now',
        'POST /v1/endpoints/{endpointId}/send-held-events',
        'POST /v1/endpoints/{endpointId}/replay',
        'POST /v1/endpoints/{endpointId}/replay/preview',
        'GET /v1/tasks',
        'GET /v1/tasks/{taskId}',
        'POST /v1/tasks/{taskId}/stop',
        'POST /v1/segments',
        'GET /v1/contacts',
        'POST /v1/contacts',
        'PUT /v1/contacts/{contactId}',
      ]
      const others = described.operations
        .filter(({ path }) => /^\/v1\/(?!oauth\/)/.test(path))
        .filter(({ method, path }) => !open.includes(`${method} ${path}`))
      expect(others).to.have.length.above(15)
      for (const { method, path } of others) {
        const answer = await call(token, path.replace(/\{\w+\}/g, lineId), { method })
        expect(answer.status, `${method} ${path}`).to.equal(403)
        expectInsufficient(answer, undefined)
      }
    })
  })

  describe('ends at once', () => {
    it('for a disconnected line, and for the token when its last line is disconnected', async () => {
      const second = await sibling()
      const token = await authorize(undefined, [lineId, second.lineId])
      await endAuthorizations(server.context, visitor.line.userId, application.id, lineId)
      expectProblem(await send(token), 403, /not connected/)
      expect((await send(token, { lineId: second.lineId })).status).to.equal(200)
      await endAuthorizations(server.context, visitor.line.userId, application.id, second.lineId)
      expect((await call(token, '/v1/lines')).status).to.equal(401)
    })

    it('for an application that is disconnected, deleted, or revokes its token', async () => {
      for (const end of [
        () => endAuthorizations(server.context, visitor.line.userId, application.id),
        (token: string) => revoke(server, application, token),
        (_: string, token: string) => revoke(server, application, token),
        () => deleteApplication(server.context, application.application.userId, application.id),
      ]) {
        const tokens = await getTokens(server, visitor, application)
        expect((await call(tokens.access_token, '/v1/lines')).status).to.equal(200)
        await end(tokens.access_token, tokens.refresh_token)
        const answer = await call(tokens.access_token, '/v1/lines')
        expect(answer.status).to.equal(401)
        expect(answer.headers.get('www-authenticate')).to.include('error="invalid_token"')
        const { status } = await refresh(server, application, tokens.refresh_token)
        expect(status).to.be.oneOf([400, 401])
      }
    })

    it('while its user is disabled, and for good if it is revoked meanwhile', async () => {
      const own = await createVisitor(server)
      const tokens = await getTokens(server, own, application)
      const [kept, revoked] = [tokens, await getTokens(server, own, application)]
      const users = server.context.db('users').where({ id: own.line.userId })
      await users.clone().update({ disabled_at: new Date() })
      for (const { access_token: token, refresh_token } of [kept, revoked]) {
        expect((await call(token, '/v1/lines')).status).to.equal(401)
        expect((await introspect(server, application, token)).body).to.deep.equal({ active: false })
        expect((await refresh(server, application, refresh_token)).status).to.equal(400)
      }
      await revoke(server, application, revoked.access_token)
      await users.clone().update({ disabled_at: null })
      expect((await call(kept.access_token, '/v1/lines')).status).to.equal(200)
      expect((await call(revoked.access_token, '/v1/lines')).status).to.equal(401)
    })

    it("when it expires, while another user's token stays valid", async () => {
      const token = await authorize()
      const other = await getTokens(server, await createVisitor(server), application)
      await server.context
        .db('oauth_records')
        .where({ user_id: visitor.line.userId, kind: 'AccessToken' })
        .update({ expires_at: new Date(Date.now() - 1000) })
      expect((await call(token, '/v1/lines')).status).to.equal(401)
      expect((await call(other.access_token, '/v1/lines')).status).to.equal(200)
    })

    it('not when another application tries to revoke or introspect it', async () => {
      const token = await authorize()
      const other = await createApplication(server)
      await revoke(server, other, token)
      expect((await call(token, '/v1/lines')).status).to.equal(200)
      expect((await introspect(server, other, token)).body).to.deep.equal({ active: false })
    })

    it('never for a refresh token or a code', async () => {
      const tokens = await getTokens(server, visitor, application)
      expect((await call(tokens.refresh_token, '/v1/lines')).status).to.equal(401)
    })
  })

  it("a user's own API token sends from every line of theirs, as the console does", async () => {
    const { token } = await createApiToken(server.context, visitor.line.userId, 'a test')
    const answer = await send(token)
    expect(answer.body).to.include({ source: 'api', applicationId: null, status: 'queued' })
    const others = await createVisitor(server)
    expectProblem(await send(token, { lineId: others.line.lineId }), 404, /No such line/)
    await backdateMessages(server.context, lineId, 60)
  })
})
