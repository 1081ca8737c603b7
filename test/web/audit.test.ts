import { expect } from 'chai'
import { getCarrierAccount } from '../../src/domain/carriers/carrier-accounts.js'
import { listAudit, type ListedAuditRow } from '../../src/domain/operating/audit.js'
import { listActions, type Action } from '../../src/domain/operating/audit/actions.js'
import { findSession } from '../../src/domain/people/sessions.js'
import { createSetUpLink } from '../../src/domain/people/set-up-links.js'
import { newId } from '../../src/ids.js'
import { connect, createApplication } from '../domain/applications/applications.js'
import { createPerson, PASSWORD } from '../domain/people/people.js'
import { browse, type BrowserSession } from '../helpers/web/browser-session.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { describeWeb } from '../helpers/web/web.js'
import { createClient } from './v1/support.js'
import type { DescribedWeb } from './openapi/described.js'

const URL_WITH_SECRET = 'http://127.0.0.1:9/services/T0/xoxb-hush?token=hush'

describeWeb('the audit log of requests', ({ context, web }) => {
  let newest: string

  beforeEach(() => context.db('sign_in_attempts').delete())

  /** What was written before is not what a test is about. */
  const begin = async () => {
    newest = (await listAudit(context, {}, { limit: 1 }))[0]?.id ?? newId()
  }

  /** Oldest first, of what the test has done. */
  const written = async (): Promise<ListedAuditRow[]> => {
    const rows = await listAudit(context, {}, { limit: 1000 })
    return rows.filter(({ id }) => id > newest).reverse()
  }
  const actionsOf = (rows: readonly ListedAuditRow[]) => rows.map(({ action }) => action)
  const sessionOf = async (browser: BrowserSession): Promise<string> => {
    const token = browser.cookie().split('=')[1] ?? ''
    const found = await findSession(context, token)
    return found?.id ?? ''
  }

  it('records the person, session and address of every change in the console', async () => {
    const person = await createPerson(context, { role: 'operator' })
    const browser = await browse(context, web, person.id)
    const other = await createPerson(context)
    const line = await createLine(context, { userId: person.id, outgoingUrl: 'http://127.0.0.1:9/' })
    const theirs = await createLine(context, { userId: other.id })
    const stranger = await createApplication(context)
    await connect(context, stranger, line)
    const { id: accountId } = await getCarrierAccount(context, 'simulator')
    await begin()

    const simulator = `/console/carriers/${accountId}`
    const [ofLine, ofUser] = [`/console/lines/${line.lineId}`, `/console/users/${other.id}`]
    const ofEndpoint = `/console/endpoints/${line.endpointId}`
    const steps: [path: string, fields: Record<string, string>, Action[]][] = [
      [`${ofLine}/name`, { name: 'Shop' }, ['line.renamed']],
      [`${ofLine}/outgoing-webhook`, { url: URL_WITH_SECRET }, ['endpoint.changed']],
      [`${ofLine}/endpoints`, { url: URL_WITH_SECRET }, ['endpoint.added']],
      [`${ofEndpoint}/policy`, { shape: 'slack' }, ['endpoint.changed']],
      [`${ofEndpoint}/rotate-secret`, {}, ['endpoint.secret.rotated']],
      [`${ofLine}/incoming-webhook/regenerate`, {}, ['line.incoming_webhook.regenerated']],
      [`${ofLine}/incoming-webhook/delete`, {}, ['line.incoming_webhook.deleted']],
      [`${ofLine}/incoming-webhook`, {}, ['line.incoming_webhook.created']],
      [`${ofEndpoint}/pause`, {}, ['endpoint.paused']],
      [`${ofEndpoint}/resume`, {}, ['endpoint.resumed']],
      [`${ofLine}/sending/pause`, {}, ['line.paused']],
      [`${ofLine}/sending/resume`, {}, ['line.resumed']],
      [`${ofLine}/connection/disable`, {}, ['line.connection.changed']],
      [`${ofLine}/connection/enable`, {}, ['line.connection.changed']],
      [`${ofLine}/connection/disconnect`, {}, ['endpoint.deleted', 'line.connection.changed']],
      [`${ofLine}/conversations/%2B15005550199/name`, { name: 'Ben' }, []],
      [`${ofLine}/conversations/%2B15005550199/block`, {}, ['contact.blocked']],
      [`${ofLine}/conversations/%2B15005550199/unblock`, {}, ['contact.unblocked']],
      [`${ofLine}/messages`, { to: '+15005550199', text: 'Hello', key: newId() }, []],
      [
        `${ofLine}/list/messages`,
        { key: newId(), csv: 'to\n+15005550199', text: 'Hello' },
        ['line.text_list.started'],
      ],
      [
        '/console/applications',
        { name: 'Notes', kind: 'public', redirectUris: 'https://example.com/', webhookUrl: URL_WITH_SECRET },
        ['application.registered'],
      ],
      [`/console/authorized-applications/${stranger.id}/disconnect`, {}, ['authorization.ended']],
      ['/console/settings/api-tokens', { name: 'a program' }, ['api_token.created']],
      ['/console/settings/operational-webhooks', { url: URL_WITH_SECRET }, ['endpoint.added']],
      [
        '/console/settings/password',
        { currentPassword: PASSWORD, newPassword: 'quite another phrase of mine' },
        ['password.changed'],
      ],
      [
        '/console/users',
        { email: `${newId()}@example.com`, role: 'user' },
        ['user.added', 'user.set_up_link.created'],
      ],
      [`${ofUser}/set-up-link`, {}, ['user.set_up_link.created']],
      [`${ofUser}/lines`, { number: '+15559990001', carrier: 'simulator' }, ['line.added']],
      [`${ofUser}/lines/${theirs.lineId}/disable`, {}, ['line.disabled']],
      [`${ofUser}/lines/${theirs.lineId}/enable`, {}, ['line.enabled']],
      [
        `${ofUser}/lines/${theirs.lineId}/settings`,
        { countries: 'US', perNumber: '5', perMinute: '30', carrier: 'simulator' },
        ['line.changed'],
      ],
      [`${ofUser}/lines/${theirs.lineId}/pause`, {}, ['line.paused']],
      [`${ofUser}/lines/${theirs.lineId}/pause`, {}, []],
      [`${ofUser}/lines/${theirs.lineId}/resume`, {}, ['line.resumed']],
      [`${ofUser}/spend-cap`, { of: other.id, segments: '500' }, ['user.spend_cap.set']],
      [`${ofUser}/spend-cap`, { of: theirs.lineId, segments: '50' }, ['line.spend_cap.set']],
      [`${ofUser}/spend-cap`, { of: theirs.lineId, segments: '50' }, []],
      [`${ofUser}/monthly-cap`, { of: other.id, amount: '5 USD' }, ['user.monthly_cap.set']],
      [`${ofUser}/monthly-cap`, { of: theirs.lineId, amount: '5 USD' }, ['line.monthly_cap.set']],
      [
        '/console/people/forget',
        { number: '+15005550199', reason: 'ticket 4711' },
        ['user.person.forgotten', 'person.forgotten'],
      ],
      ['/console/people/export', { number: '+15005550199', reason: 'ticket 4711' }, ['person.exported']],
      ['/console/search/look', { q: '+15005550199', reason: 'ticket 4711' }, ['person.search_opened']],
      ['/console/sending/pause', {}, ['sending.paused']],
      ['/console/sending/resume', {}, ['sending.resumed']],
      [`${simulator}/sending/pause`, {}, ['carrier_account.paused']],
      [`${simulator}/sending/resume`, {}, ['carrier_account.resumed']],
      [
        '/console/carriers/new?kind=twilio',
        {
          kind: 'twilio',
          name: 'twilio-main',
          'setting-accountSid': `AC${'0'.repeat(32)}`,
          'secret-authToken': 'hush'.repeat(8),
        },
        ['carrier_account.added'],
      ],
    ]
    const expected: Action[] = []
    for (const [path, fields, actions] of steps) {
      const answer = await browser.submit(path, fields)
      expect(answer.status, `${path}: ${answer.text.slice(0, 3000)}`).to.be.oneOf([200, 303])
      expected.push(...actions)
    }
    const rows = await written()
    expect(actionsOf(rows)).to.deep.equal(expected)
    const sessionId = await sessionOf(browser)
    for (const row of rows) {
      expect(row, row.action).to.deep.include({
        actorKind: 'user',
        actorId: person.id,
        credentialId: sessionId,
        address: '127.0.0.1',
      })
    }
    const ofOther = rows.filter(({ userId }) => userId === other.id)
    expect(actionsOf(ofOther)).to.deep.equal([
      'user.set_up_link.created',
      'line.added',
      'line.disabled',
      'line.enabled',
      'line.changed',
      'line.paused',
      'line.resumed',
      'user.spend_cap.set',
      'line.spend_cap.set',
      'user.monthly_cap.set',
      'line.monthly_cap.set',
    ])
    expect(rows.find(({ action }) => action === 'user.spend_cap.set')).to.deep.include({
      before: { segmentsPerDay: null },
      after: { segmentsPerDay: 500 },
    })
    expect(rows.find(({ action }) => action === 'endpoint.changed')?.before).to.have.keys('url')
    const account = rows.find(({ action }) => action === 'carrier_account.added')
    expect(account?.after?.settings).to.include('authToken (secret)')
  })

  it('records secrets that are shown, in the console and to programs', async () => {
    const person = await createPerson(context)
    const browser = await browse(context, web, person.id)
    const line = await createLine(context, { userId: person.id, outgoingUrl: 'http://127.0.0.1:9/' })
    const application = await createApplication(context, {
      userId: person.id,
      webhookUrl: 'http://127.0.0.1:9/',
    })
    await begin()
    const path = `/console/lines/${line.lineId}`
    for (const page of [path, `${path}/send?show=webhook`]) await browser.get(page)
    for (const { endpointId } of [line, application])
      await browser.get(`/console/endpoints/${endpointId}?show=secret`)
    expect((await written()).map(({ action, actorId }) => [action, actorId])).to.deep.equal([
      ['line.incoming_webhook.shown', person.id],
      ['endpoint.secret.shown', person.id],
      ['endpoint.secret.shown', person.id],
    ])
  })

  it('records exports', async () => {
    const line = await createLine(context)
    const browser = await browse(context, web, line.userId)
    await begin()
    const downloads = [
      `/console/lines/${line.lineId}/export.zip`,
      '/console/settings/export.zip',
      '/console/activity.csv?number=%2B15005550199',
    ]
    for (const path of downloads) expect((await browser.get(path)).status, path).to.equal(200)
    const rows = await written()
    expect(actionsOf(rows)).to.deep.equal(['line.exported', 'user.exported', 'user.activity.exported'])
    for (const row of rows) expect(row).to.include({ actorId: line.userId, userId: line.userId })
  })

  it('records the API token behind a program’s changes', async () => {
    const line = await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/' })
    const client = await createClient(context, web as DescribedWeb, line.userId)
    const [token] = await context.db('api_tokens').where({ user_id: line.userId }).pluck<string[]>('id')
    await begin()
    const path = `/v1/lines/${line.lineId}`
    await client.put(path, { name: 'Shop' })
    await client.put(`${path}/connection`, { enabled: true })
    await client.put(`${path}/connection`, { outgoingWebhookUrl: URL_WITH_SECRET })
    await client.get(`/v1/endpoints/${line.endpointId}/signing-secret`)
    await client.get(`${path}/incoming-webhook`)
    await client.post('/v1/messages', { lineId: line.lineId, toNumber: '+15005550199', text: 'Hello' })
    await client.post('/v1/applications', { name: 'Notes', redirectUris: ['https://example.com/'] })
    await client.delete(`${path}/incoming-webhook`)
    const rows = await written()
    expect(actionsOf(rows)).to.deep.equal([
      'line.renamed',
      'endpoint.changed',
      'endpoint.secret.shown',
      'line.incoming_webhook.shown',
      'application.registered',
      'line.incoming_webhook.deleted',
    ])
    for (const row of rows) {
      expect(row).to.deep.include({
        actorKind: 'api_token',
        actorId: line.userId,
        credentialId: token,
        address: '127.0.0.1',
      })
    }
  })

  it('records sign-ins and failures, a lock-out only once, and never the input', async () => {
    const person = await createPerson(context)
    await begin()
    const signIn = async (email: string, password: string) =>
      (await browse(context, web)).submit('/console/sign-in', { email, password })
    await signIn(person.email, PASSWORD)
    await signIn('a secret in the wrong field', 'hush-hush-hush')
    for (let n = 0; n < 12; n += 1) await signIn(person.email, 'hush-hush-hush')
    const rows = await written()
    expect(actionsOf(rows)).to.deep.equal([
      'sign_in.succeeded',
      ...Array.from({ length: 11 }, () => 'sign_in.failed'),
      'sign_in.locked_out',
    ])
    const [first, ofNobody, failed] = rows
    expect(first).to.deep.include({ actorKind: 'user', actorId: person.id, userId: person.id })
    expect(first?.credentialId).to.equal(first?.subjectId)
    expect(ofNobody).to.deep.include({ actorKind: 'visitor', userId: null, subjectId: null, after: null })
    expect(failed).to.deep.include({
      actorKind: 'visitor',
      actorId: null,
      address: '127.0.0.1',
      userId: person.id,
    })
  })

  it('records used set-up links and sign-outs', async () => {
    const person = await createPerson(context)
    const { url } = await createSetUpLink(context, person.id)
    await begin()
    const visitor = await browse(context, web)
    const token = new URL(url).searchParams.get('token') ?? ''
    await visitor.submit('/console/set-up', { token, password: 'a phrase that nobody else has' })
    await visitor.submit('/console/sign-out')
    expect((await written()).map(({ action, actorKind }) => [action, actorKind])).to.deep.equal([
      ['password.set', 'visitor'],
      ['sign_in.succeeded', 'user'],
      ['session.ended', 'user'],
    ])
  })

  it('tells that an operator looked at the page of another user', async () => {
    const [operator, user] = [await createPerson(context, { role: 'operator' }), await createPerson(context)]
    const browser = await browse(context, web, operator.id)
    await begin()
    for (const { id } of [user, user, operator]) await browser.get(`/console/users/${id}`)
    expect((await written()).map(({ action, actorId, userId }) => [action, actorId, userId])).to.deep.equal([
      ['user.viewed', operator.id, user.id],
    ])
  })

  it('records nothing for requests that only read or send', async () => {
    const line: TestLine = await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/' })
    const browser = await browse(context, web, line.userId)
    await begin()
    const data = { toNumber: '+15005550199', text: 'Hello' }
    await web.post(line.webhookPath, { intent: 'message', data })
    for (const page of ['', `/lines/${line.lineId}`, '/activity', '/applications', '/settings']) {
      expect((await browser.get(`/console${page}`)).status).to.equal(200)
    }
    expect(await written()).to.deep.equal([])
  })

  it('has no secret, no text and no number of a person in any row', async () => {
    const { rows } = await context.db.raw<{ rows: { row: string }[] }>(
      'select row_to_json(a)::text as row from audit_log a',
    )
    expect(rows.length).to.be.above(40)
    for (const { row } of rows) {
      expect(row).not.to.match(/hush|xoxb|lhp_|whsec_|Hello|5005550199/i)
    }
    expect(listActions().length).to.be.above(40)
  })
})
