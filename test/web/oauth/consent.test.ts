import { expect } from 'chai'
import { endAuthorizations } from '../../../src/domain/applications/authorizations.js'
import { hashPassword } from '../../../src/domain/people/passwords.js'
import { openHolder } from '../../database/hold.js'
import { countWaitingForLocks } from '../../domain/fixtures.js'
import { PASSWORD } from '../../domain/people/people.js'
import { createLine } from '../../helpers/factories.js'
import { describeWith } from '../../helpers/suite.js'
import { until } from '../../helpers/until.js'
import { sourceOf } from '../../../src/web/oauth/consent.js'
import {
  asking,
  authorizePath,
  createApplication,
  consentFields,
  createVisitor,
  decide,
  getTokens,
  partiesForEachTest,
  serveOAuth,
} from './support.js'

describeWith('the consent page', serveOAuth, (server) => {
  const { application, visitor } = partiesForEachTest(server, {
    application: { description: 'Answers when you cannot' },
    line: { name: 'Shop' },
  })

  const open = async (more: Record<string, string> = {}) =>
    visitor.follow(authorizePath(asking(application, more)))
  const boxes = (text: string) =>
    [...text.matchAll(/<input type="checkbox" name="lineId" value="([\w-]+)"( checked)?/g)].map(
      ([, id, checked]) => [id, checked !== undefined],
    )
  const connected = async () =>
    server.context
      .db('application_lines')
      .where({ application_id: application.id, user_id: visitor.line.userId })
      .orderBy('line_id')
      .pluck<string[]>('line_id')
  const another = async () =>
    (await createLine(server.context, { userId: visitor.line.userId, name: 'Home' })).lineId

  it('names the application, its owner and each permission in words', async () => {
    const { text } = (await open({ scope: 'messages:connect messages:write lines:read' })).answer
    expect(text)
      .to.include('Auto reply')
      .and.include('Answers when you cannot')
      .and.include(application.application.ownerName)
    for (const words of ['Receive incoming texts', 'Send messages', 'See all your lines'])
      expect(text).to.include(words)
    expect((await open({ scope: 'messages:write' })).answer.text).not.to.include('Receive incoming texts')
    const renames = (await open({ scope: 'lines:write contacts:write media:read' })).answer.text
    expect(renames).to.include('Rename lines').and.include('block and unblock')
    expect(renames).not.to.include('media')
    expect(text.replace(/\s+/g, ' '), 'for how long')
      .to.include('You can revoke access at any time')
      .and.include('Access ends automatically after a year without use')
  })

  it('asks for the password again before it grants something new', async () => {
    const { db } = server.context
    const passwordHash = await hashPassword(PASSWORD)
    await db('users').where({ id: visitor.line.userId }).update({ password_hash: passwordHash })
    const loseFreshness = () =>
      db('sessions').update({ confirmed_at: db.raw(`now() - interval '11 minutes'`) })
    const submit = async (more: Record<string, string>, fields: string[][]) => {
      const page = await open(more)
      await loseFreshness()
      const posted = await visitor.post(page.url, consentFields(page.answer, fields))
      return { posted, url: page.url }
    }
    const choice = [
      ['lineId', visitor.line.lineId],
      ['decision', 'authorize'],
    ]
    const { posted: asked, url } = await submit({}, choice)
    expect([asked.status, await connected()]).to.deep.equal([401, []])
    expect(asked.text).to.include('name="confirm-password"').and.to.include(visitor.line.lineId)
    expect(asked.headers.get('content-security-policy')).to.include('https://app.example')
    const sent = [...choice, ['confirm-by', 'password'], ['confirm-password', PASSWORD]]
    const done = await visitor.post(url, consentFields(asked, sent))
    expect(done.status, done.text).to.equal(303)
    const back = new URL((await visitor.follow(done.headers.get('location') ?? '')).url)
    expect(back.searchParams.get('code')).to.be.a('string')
    expect(await connected()).to.deep.equal([visitor.line.lineId])

    expect((await submit({}, choice)).posted.status, 'the same again').to.equal(303)
    expect((await submit({}, [['decision', 'cancel']])).posted.status, 'a refusal').to.equal(303)
    expect((await submit({ scope: 'lines:read' }, choice)).posted.status, 'another scope').to.equal(401)
    const second = [...choice, ['lineId', await another()]]
    expect((await submit({}, second)).posted.status, 'another line').to.equal(401)
  })

  it('lists only the user’s active lines', async () => {
    const second = await another()
    const disabled = await another()
    await server.context.db('lines').where({ id: disabled }).update({ status: 'disabled' })
    expect(boxes((await open()).answer.text)).to.deep.equal([
      [visitor.line.lineId, false],
      [second, false],
    ])
  })

  it('connects the selected lines, and preselects them the next time', async () => {
    const second = await another()
    await decide(visitor, await open(), { lineIds: [second] })
    expect(await connected()).to.deep.equal([second])
    const again = await open()
    expect(boxes(again.answer.text)).to.deep.equal([
      [visitor.line.lineId, false],
      [second, true],
    ])
    await decide(visitor, again, { lineIds: [visitor.line.lineId] })
    expect(await connected()).to.deep.equal([visitor.line.lineId])
  })

  it('connects any number of selected lines', async () => {
    const more = await Promise.all(Array.from({ length: 24 }, another))
    const lineIds = [visitor.line.lineId, ...more]
    await decide(visitor, await open(), { lineIds })
    expect(await connected()).to.have.members(lineIds)
  })

  it('changes nothing when the user cancels', async () => {
    await decide(visitor, await open())
    const before = await connected()
    await decide(visitor, await open(), { decision: 'cancel', lineIds: [] })
    expect(await connected()).to.deep.equal(before)
  })

  it('tells a user without lines how to get one', async () => {
    await server.context.db('lines').where({ id: visitor.line.lineId }).update({ status: 'disabled' })
    const { text } = (await open()).answer
    expect(text).to.include('no active line').and.include('Ask your operator')
    expect(text).to.include('Cancel</button>').and.not.to.include('Authorize</button>')
  })

  it('offers the line that the application requested, and adds it to the connected ones', async () => {
    const second = await another()
    await decide(visitor, await open(), { lineIds: [visitor.line.lineId] })
    const page = await open({ line_id: second.toUpperCase() })
    expect(page.answer.text).to.include('Home').and.include('Authorize</button>')
    expect(boxes(page.answer.text)).to.deep.equal([])
    await decide(visitor, page, { lineIds: [] })
    expect(await connected()).to.deep.equal([visitor.line.lineId, second])
  })

  it('for one line changes no other: neither what the application may do there, nor one that is disabled', async () => {
    const [second, third] = [await another(), await another()]
    const scopes = async () =>
      new Map(
        (
          await server.context
            .db('application_lines')
            .where({ application_id: application.id })
            .select<{ line_id: string; scopes: string[] }[]>('line_id', 'scopes')
        ).map((row) => [row.line_id, row.scopes]),
      )
    await decide(visitor, await open({ scope: 'messages:write' }), { lineIds: [visitor.line.lineId, third] })
    await server.context.db('lines').where({ id: third }).update({ status: 'disabled' })
    const page = await open({ line_id: second, scope: 'messages:connect' })
    await decide(visitor, page, { lineIds: [] })
    const expected = new Map([
      [visitor.line.lineId, ['messages:write']],
      [third, ['messages:write']],
      [second, ['messages:connect']],
    ])
    expect(await scopes()).to.deep.equal(expected)
    await decide(visitor, await open({ line_id: second, scope: 'messages:write' }), { lineIds: [] })
    expect(await scopes()).to.deep.equal(expected.set(second, ['messages:write']))
  })

  it('redirects back with invalid_request for an invalid line_id', async () => {
    const { url } = await open({ line_id: 'x' })
    expect(new URL(url).searchParams.get('error')).to.equal('invalid_request')
  })

  it('is not reached for another response type: back with the error', async () => {
    for (const type of ['token', 'id_token', 'code token', 'none']) {
      const { url } = await open({ response_type: type })
      expect(url, type).to.match(/error=unsupported_response_type/)
    }
  })

  for (const [what, fields] of [
    ['is deleted', { deleted_at: new Date() }],
    ['takes the address back', { redirect_uris: ['https://moved.example/'] }],
  ] as const) {
    it(`ends if the application ${what} meanwhile`, async () => {
      const page = await open()
      await server.context.db('applications').where({ id: application.id }).update(fields)
      for (const answer of [await visitor.get(page.url), (await open()).answer]) {
        expect([answer.status, answer.headers.get('location')]).to.deep.equal([400, null])
      }
    })
  }

  it('leads back to an application on the same machine or phone', async () => {
    for (const redirectUri of [
      'http://127.0.0.1:4000/cb',
      'com.example.app:/cb',
      'https://app.example/cb?keep=this',
    ]) {
      const native = await createApplication(server, { redirectUris: [redirectUri] })
      const page = await visitor.follow(authorizePath(asking(native, { redirect_uri: redirectUri })))
      expect(page.answer.headers.get('content-security-policy')).to.include(
        `form-action 'self' ${sourceOf(redirectUri)}`,
      )
      const back = await decide(visitor, page)
      expect(back.href.startsWith(redirectUri)).to.be.true
      expect(back.searchParams.get('code')).to.be.a('string')
    }
  })

  it('allows only an origin or a scheme in its policy, and nothing injected', () => {
    expect(sourceOf('https://app.example/a;b?c')).to.equal('https://app.example')
    expect(sourceOf('https://app.example:8443/')).to.equal('https://app.example:8443')
    expect(sourceOf('http://[::1]:4000/')).to.equal('http:')
    expect(sourceOf('com.example.app:/cb')).to.equal('com.example.app:')
    expect(sourceOf("https://a.example;script-src'x'/")).to.equal('https:')
  })

  it('is followed in a browser by a page that goes on, and has a link for a browser that does not', async () => {
    const page = await open()
    const fields = consentFields(page.answer, [['decision', 'cancel']])
    const posted = await visitor.post(page.url, fields, { 'Sec-Fetch-Dest': 'document' })
    expect(posted.status).to.equal(200)
    const [, onward] = /^0;url=(.+)$/.exec(posted.headers.get('refresh') ?? '') ?? []
    expect(posted.text).to.include(`<a href="${onward}">Continue to https://app.example</a>`)
    const back = new URL((await visitor.follow(onward ?? '')).url)
    expect(back.searchParams.get('error')).to.equal('access_denied')
  })

  it('uses https-only cookies, each for its own page, which no other host can set', async () => {
    const { headers } = await visitor.get(authorizePath(asking(application)))
    const cookies = headers.getSetCookie().filter((cookie) => cookie.includes('linehook'))
    expect(cookies).to.have.length.at.least(1)
    for (const cookie of cookies) {
      expect(cookie).to.match(
        /^__Secure-linehook-(consent|authorize)=[\w-]+; path=\/oauth\/(consent|authorize)\/[\w-]+;/,
      )
      expect(cookie)
        .to.match(/; secure; httponly/i)
        .and.not.to.match(/; domain=/i)
    }
  })

  it('works for two authorizations at the same time', async () => {
    const other = await createApplication(server, { name: 'Other' })
    const first = await open()
    const second = await visitor.follow(authorizePath(asking(other, { state: 'second' })))
    expect((await visitor.get(first.url)).text).to.include('Auto reply')
    expect((await decide(visitor, second)).searchParams.get('state')).to.equal('second')
    expect((await decide(visitor, first)).searchParams.get('state')).to.equal('a state')
  })

  it('gives no tokens if the user disconnects the application while the form is handled', async () => {
    const { db } = server.context
    // The first record of OAuth that is written once the lines are connected waits.
    await db.raw(`create function wait_here() returns trigger language plpgsql as $$
      begin
        if exists (select from application_lines where application_id = new.application_id) then
          perform pg_advisory_xact_lock(7);
        end if;
        return new;
      end $$`)
    await db.raw(
      `create trigger wait_here before insert on oauth_records for each row execute function wait_here()`,
    )
    const page = await open()
    const holder = await openHolder(db)
    await holder.raw('select pg_advisory_xact_lock(7)')
    const fields = [
      ['lineId', visitor.line.lineId],
      ['decision', 'authorize'],
    ]
    const posting = visitor.post(page.url, consentFields(page.answer, fields))
    try {
      await until('it waits', async () => (await countWaitingForLocks(server.context)) > 0)
      await endAuthorizations(server.context, visitor.line.userId, application.id)
    } finally {
      await holder.rollback()
      await posting
      await db.raw('drop function wait_here cascade')
    }
    const { answer } = await visitor.follow((await posting).headers.get('location') ?? '')
    expect(answer.status).to.equal(400)
    expect(answer.text).to.include('Start again from the application')
    expect(await connected()).to.deep.equal([])
  })

  it('keeps two users in one browser apart: each authorizes for themselves', async () => {
    await getTokens(server, visitor, application)
    const other = await createVisitor(server)
    const session = other.cookies.get('__Host-linehook')
    if (session !== undefined) visitor.cookies.set('__Host-linehook', session)
    const tokens = await getTokens(server, { ...visitor, line: other.line }, application)
    expect(tokens.connected_lines).to.have.length(1)
    expect(tokens.connected_lines[0]).to.include({ id: other.line.lineId })
  })
})
