import { expect } from 'chai'
import { explainRedirectUri } from '../../../src/domain/applications/redirect-uris.js'
import { listApplicationsOf } from '../../../src/database/applications/applications.js'
import { listAuthorizedLines } from '../../../src/database/applications/authorizations.js'
import {
  deleteApplication,
  findClient,
  getApplication,
  isClientSecret,
  registerApplication,
  rotateClientSecret,
  updateApplication,
} from '../../../src/domain/applications/applications.js'
import { countUnhealthyEndpoints } from '../../../src/database/endpoints/endpoints.js'
import { addUser } from '../../../src/domain/people/users.js'
import { newId } from '../../../src/ids.js'
import { describeContext } from '../../helpers/context.js'
import { createLine } from '../../helpers/factories.js'
import { expectRefusal } from '../refusal.js'
import { changeRows, overlap } from '../fixtures.js'
import { connect, createApplication, FIELDS, endpointOf } from './applications.js'

describe('a redirect URI', () => {
  for (const uri of [
    'https://example.com',
    'https://example.com/callback?from=linehook',
    'https://example.com:8443/a/../b',
    'http://localhost/callback',
    'http://localhost:3000/callback',
    'http://127.0.0.1:49152/',
    'http://[::1]:49152/',
    'com.example.app:/callback',
    'com.example.app://callback',
    'autoreply://callback',
  ]) {
    it(`may be ${uri}`, () => {
      expect(explainRedirectUri(uri)).to.equal(undefined)
    })
  }

  for (const [uri, fault] of [
    ['/callback', /is not a URI/],
    ['example.com/callback', /is not a URI/],
    ['https://', /is not a URI/],
    ['https:example.com', /Write :\/\/ after https/],
    ['https:///example.com', /Write :\/\/ after https/],
    ['https:\\\\example.com', /is not a URI/],
    ['https://example.com/a b', /is not a URI/],
    ['https://example.com/\n', /is not a URI/],
    ['https://exämple.com/', /is not a URI/],
    ['https://example.com/#', /fragment/],
    ['https://example.com/#part', /fragment/],
    ['https://user@example.com/', /user name or password/],
    ['https://user:password@example.com/', /user name or password/],
    ['http://example.com/', /http:\/\/, which is for this machine only/],
    ['http://localhost.example.com/', /this machine only/],
    ['http://127.0.0.1.example.com/', /this machine only/],
    ['http://192.168.0.1/', /this machine only/],
    ['javascript:alert(1)', /not an app scheme/],
    ['JavaScript:alert(1)', /not an app scheme/],
    ['data:text/html,x', /not an app scheme/],
    ['file:///etc/passwd', /not an app scheme/],
    ['vbscript:x', /not an app scheme/],
    ['blob:https://example.com/x', /not an app scheme/],
    ['view-source:https://example.com', /not an app scheme/],
    ['mailto:ada@example.com', /not an app scheme/],
    ['ws://example.com', /not an app scheme/],
    ['chrome-extension://abc/', /not an app scheme/],
    [`https://example.com/${'x'.repeat(2048)}`, /at most 2048 characters/],
  ] as const) {
    it(`may not be ${uri.slice(0, 60)}`, () => {
      expect(explainRedirectUri(uri)).to.match(fault)
    })
  }
})

const NO_ENDPOINT = {
  endpointId: null,
  webhookUrl: null,
  endpointFailureCount: null,
}

describeContext('applications', (context) => {
  const newUser = async () => (await addUser(context, { email: `${newId()}@example.com`, name: 'Grace' })).id
  const endpoint = (id: string) => endpointOf(context, { id })

  it('are registered with what users and OAuth need to know', async () => {
    const userId = await newUser()
    const { application, clientSecret, signingSecret } = await registerApplication(context, userId, {
      name: ' Auto Reply ',
      description: 'Answers while you are away',
      website: 'https://example.com',
      redirectUris: ['https://example.com/callback', 'https://example.com/callback'],
      webhookUrl: 'http://127.0.0.1:9/events',
    })
    expect(application).to.include({
      userId,
      ownerName: 'Grace',
      clientId: application.id,
      kind: 'confidential',
      name: 'Auto Reply',
      description: 'Answers while you are away',
      website: 'https://example.com',
      webhookUrl: 'http://127.0.0.1:9/events',
    })
    expect(application.redirectUris).to.deep.equal(['https://example.com/callback'])
    expect(clientSecret).to.match(/^[\w-]{43}$/)
    expect(signingSecret).to.match(/^whsec_/)
    expect(await getApplication(context, userId, application.id)).to.deep.equal(application)
    expect(await findClient(context, application.clientId)).to.deep.equal(application)
  })

  it('keep only the hash of their secret, by which it is known', async () => {
    const { application, clientSecret } = await createApplication(context)
    const { rows } = await context.db.raw<{ rows: [{ row: string }] }>(
      'select row_to_json(a)::text as row from applications a where id = ?',
      [application.id],
    )
    expect(rows[0].row).not.to.contain(clientSecret)
    expect(isClientSecret(application, clientSecret ?? '')).to.equal(true)
    expect(isClientSecret(application, `${clientSecret ?? ''}x`)).to.equal(false)
    expect(isClientSecret(application, '')).to.equal(false)
  })

  it('that are public have no secret, and none is right', async () => {
    const { application, clientSecret, userId, id } = await createApplication(context, { kind: 'public' })
    expect(clientSecret).to.equal(null)
    expect(isClientSecret(application, '')).to.equal(false)
    const refused = rotateClientSecret(context, userId, id)
    await expectRefusal(refused, 409, 'A public application has no client secret. It uses PKCE')
  })

  it('get no new secret when they are deleted at that moment, and it is not for being public', async () => {
    const { userId, id } = await createApplication(context)
    const refused = await overlap(
      context,
      () => deleteApplication(context, userId, id),
      () => rotateClientSecret(context, userId, id),
    )
    expect(refused).to.include({ status: 404, message: 'No such application' })
  })

  it('get a new secret, after which the old one is refused', async () => {
    const { userId, id, clientSecret } = await createApplication(context)
    const next = await rotateClientSecret(context, userId, id)
    const application = await getApplication(context, userId, id)
    expect(isClientSecret(application, next)).to.equal(true)
    expect(isClientSecret(application, clientSecret ?? '')).to.equal(false)
  })

  for (const [field, wrong] of [
    ['name', { name: ' ' }],
    ['description', { description: 'x'.repeat(501) }],
    ['website', { website: 'javascript:alert(1)' }],
    ['website', { website: 'example.com' }],
    ['website', { website: 'https://user:pass@example.com' }],
    ['redirectUris', { redirectUris: [] }],
    ['redirectUris', { redirectUris: Array.from({ length: 11 }, (_, n) => `https://example.com/${n}`) }],
    ['redirectUris', { redirectUris: ['https://example.com/', 'https://example.com/#x'] }],
    ['webhookUrl', { webhookUrl: 'http://10.0.0.1/' }],
    ['webhookUrl', { webhookUrl: 'here' }],
    ['kind', { kind: 'native' }],
  ] as const) {
    it(`name the field of what is wrong: ${JSON.stringify(wrong).slice(0, 60)}`, async () => {
      const userId = await newUser()
      const refused = registerApplication(context, userId, { ...FIELDS, ...wrong })
      await expectRefusal(refused, 400, new RegExp(`^${field}\\b`))
      expect(await listApplicationsOf(context.db, userId)).to.deep.equal([])
    })
  }

  it('are at most 50 of a user, also when they come at once', async () => {
    const userId = await newUser()
    for (let n = 0; n < 48; n += 1) await registerApplication(context, userId, FIELDS)
    const results = await Promise.allSettled(
      Array.from({ length: 6 }, () => registerApplication(context, userId, FIELDS)),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(2)
    await expectRefusal(registerApplication(context, userId, FIELDS), 409)
    const [first] = await listApplicationsOf(context.db, userId)
    await deleteApplication(context, userId, first?.id ?? '')
    await registerApplication(context, userId, FIELDS)
  })

  it('are changed in what is given', async () => {
    const { userId, id } = await createApplication(context, {
      description: 'x',
      website: 'https://example.com',
    })
    const changed = await updateApplication(context, userId, id, {
      name: 'Other',
      description: null,
      website: undefined,
      redirectUris: ['com.example.app:/callback'],
      webhookUrl: 'http://127.0.0.1:9/events',
    })
    expect(changed).to.include({
      name: 'Other',
      description: '',
      website: 'https://example.com',
      webhookUrl: 'http://127.0.0.1:9/events',
    })
    expect(changed.redirectUris).to.deep.equal(['com.example.app:/callback'])
    expect(await getApplication(context, userId, id)).to.deep.equal(changed)
    const without = await updateApplication(context, userId, id, { webhookUrl: '' })
    expect(without).to.deep.equal({ ...changed, ...NO_ENDPOINT })
  })

  it('keep the health of their webhook URL while it stays, unless it was disabled', async () => {
    const { userId, id } = await createApplication(context, { webhookUrl: 'http://127.0.0.1:9/events' })
    const { id: endpointId } = await endpoint(id)
    const set = (columns: object) => changeRows(context, 'endpoints', endpointId, columns)
    const save = (webhookUrl: string) => updateApplication(context, userId, id, { ...FIELDS, webhookUrl })

    await set({ failing_since: new Date() })
    await updateApplication(context, userId, id, { name: 'Other' })
    await save('http://127.0.0.1:9/events')
    expect((await endpoint(id)).failing_since).to.be.a('date')
    await save('http://127.0.0.1:9/others')
    expect(await endpoint(id)).to.include({
      id: endpointId,
      url: 'http://127.0.0.1:9/others',
      failing_since: null,
    })
    await set({ disabled_at: new Date(), disabled_reason: 'gone' })
    await updateApplication(context, userId, id, { name: 'Another' })
    expect((await endpoint(id)).disabled_at).to.be.a('date')
    await save('http://127.0.0.1:9/others')
    expect((await endpoint(id)).disabled_at).to.equal(null)
  })

  it('have the webhook URL of the later of two changes, also if that is the one from before both', async () => {
    const [first, second] = ['http://127.0.0.1:9/a', 'http://127.0.0.1:9/b'] as const
    const { userId, id } = await createApplication(context, { webhookUrl: first })
    const set = (webhookUrl: string) => () => updateApplication(context, userId, id, { webhookUrl })
    expect(await overlap(context, set(second), set(first))).to.equal(undefined)
    expect(await getApplication(context, userId, id)).to.include({ webhookUrl: first })
  })

  it('are nobody’s client once they are deleted, and have no lines', async () => {
    const { userId, id } = await createApplication(context)
    const line = await createLine(context)
    await connect(context, { id }, line)
    await deleteApplication(context, userId, id)
    expect(await findClient(context, id)).to.equal(undefined)
    expect(await listApplicationsOf(context.db, userId)).to.deep.equal([])
    expect(await listAuthorizedLines(context.db, id, line.userId)).to.deep.equal([])
    await expectRefusal(connect(context, { id }, line), 404)
  })

  it('leave no endpoint behind when they are deleted, that counts as failing or stays paused', async () => {
    const { userId, id, endpointId } = await createApplication(context, {
      webhookUrl: 'http://127.0.0.1:9/hook',
    })
    const counts = () => countUnhealthyEndpoints(context.db)
    const before = await counts()
    const changes = { failing_since: new Date(), paused_at: new Date(), paused_by: userId }
    await changeRows(context, 'endpoints', endpointId, changes)
    expect((await counts()).failing).to.equal(before.failing + 1)
    await deleteApplication(context, userId, id)
    expect(await counts()).to.deep.equal(before)
    const row = await context.db('endpoints').where({ id: endpointId }).first<{ paused_at: Date | null }>()
    expect(row.paused_at).to.equal(null)
  })

  it('are their owner’s alone', async () => {
    const { id, application } = await createApplication(context)
    const stranger = await newUser()
    for (const refused of [
      () => getApplication(context, stranger, id),
      () => updateApplication(context, stranger, id, { ...FIELDS, name: 'Mine' }),
      () => rotateClientSecret(context, stranger, id),
      () => deleteApplication(context, stranger, id),
    ]) {
      await expectRefusal(refused(), 404, 'No such application')
    }
    expect(await listApplicationsOf(context.db, stranger)).to.deep.equal([])
    expect(await getApplication(context, application.userId, id)).to.deep.equal(application)
  })

  it('have ids that are ids', async () => {
    await expectRefusal(getApplication(context, await newUser(), 'x'), 404)
    expect(await findClient(context, 'x\0')).to.equal(undefined)
  })
})
