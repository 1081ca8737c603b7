import { expect } from 'chai'
import { listApiTokens } from '../../../src/database/people/api-tokens.js'
import { createApiToken, findTokenOwner } from '../../../src/domain/people/api-tokens.js'
import { listAudit } from '../../../src/domain/operating/audit.js'
import { listAuthorizedApplications } from '../../../src/domain/applications/authorizations.js'
import { revokeAccess } from '../../../src/domain/people/revoke-access.js'
import { changePassword, findSession } from '../../../src/domain/people/sessions.js'
import { completeSetUp, createSetUpLink } from '../../../src/domain/people/set-up-links.js'
import { newId } from '../../../src/ids.js'
import { sha256 } from '../../../src/secrets.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { startSession } from '../../helpers/web/sessions.js'
import { connect, createApplication } from '../applications/applications.js'
import { createPerson, PASSWORD, type Person } from './people.js'
import { refusal } from '../refusal.js'

const NEXT = 'a whole new password'

describeContext('revoking all access', (context) => {
  let ada: Person
  let line: TestLine
  let apiToken: string
  let application: Awaited<ReturnType<typeof createApplication>>

  beforeEach(async () => {
    await context.db('sign_in_attempts').delete()
    ada = await createPerson(context)
    line = await createLine(context, { userId: ada.id, outgoingUrl: 'http://127.0.0.1:9/' })
    ;({ token: apiToken } = await createApiToken(context, ada.id, 'a program'))
    application = await createApplication(context, {
      webhookUrl: 'http://127.0.0.1:9/',
      optInEvents: ['lineDisconnected'],
    })
    await connect(context, application, line)
    await context.db('oauth_records').insert({
      kind: 'Grant',
      id_hash: sha256(newId()),
      application_id: application.id,
      user_id: ada.id,
      payload: '{}',
      expires_at: new Date(Date.now() + 3_600_000),
    })
  })

  const access = async () => ({
    tokenOwner: (await findTokenOwner(context, apiToken))?.userId,
    applications: (await listAuthorizedApplications(context, ada.id)).length,
    grants: (await context.db('oauth_records').where({ user_id: ada.id })).length,
  })
  const before = () => ({ tokenOwner: ada.id, applications: 1, grants: 1 })
  const none = { tokenOwner: undefined, applications: 0, grants: 0 }

  it('deletes API tokens and authorizations, tells the applications, and leaves lines and others alone', async () => {
    const other = await createLine(context)
    await createApiToken(context, other.userId, 'theirs')
    await connect(context, application, other)
    expect(await access()).to.deep.equal(before())
    expect(await revokeAccess(context, ada.id)).to.deep.equal({ apiTokenCount: 1, applicationCount: 1 })
    expect(await access()).to.deep.equal(none)
    expect(await context.db('events').where({ line_id: line.lineId }).pluck('type')).to.deep.equal([
      'lineDisconnected',
    ])
    expect(await listApiTokens(context.db, other.userId)).to.have.length(1)
    expect(await listAuthorizedApplications(context, other.userId)).to.have.length(1)
    const rows = await listAudit(context, { userId: ada.id, actions: ['access.revoked'] }, { limit: 9 })
    expect(rows.map(({ after }) => after)).to.deep.equal([
      { apiTokens: ['a program'], applications: [application.id] },
    ])
  })

  it('of somebody who gave none does nothing; nobody’s is 404', async () => {
    const { id } = await createPerson(context)
    expect(await revokeAccess(context, id)).to.deep.equal({ apiTokenCount: 0, applicationCount: 0 })
    expect(await listAudit(context, { userId: id, actions: ['access.revoked'] }, { limit: 9 })).to.deep.equal(
      [],
    )
    for (const nobody of [newId(), 'x']) {
      expect(await refusal(revokeAccess(context, nobody))).to.include({ status: 404 })
    }
  })

  for (const revokes of [false, true]) {
    const what = revokes ? 'goes with' : 'is left out of'

    it(`${what} a changed password if it is ${revokes ? '' : 'not '}asked for`, async () => {
      const session = await findSession(context, await startSession(context, ada.id))
      await changePassword(context, session!, PASSWORD, NEXT, '192.0.2.1', { revokes })
      expect(await access()).to.deep.equal(revokes ? none : before())
    })

    it(`${what} a password that is set by a link if it is ${revokes ? '' : 'not '}asked for`, async () => {
      const { url } = await createSetUpLink(context, ada.id)
      const token = new URL(url).searchParams.get('token') ?? ''
      await completeSetUp(context, token, { password: NEXT, userAgent: '', revokes })
      expect(await access()).to.deep.equal(revokes ? none : before())
    })
  }

  it('is not done where the password is refused', async () => {
    const session = await findSession(context, await startSession(context, ada.id))
    const change = changePassword(context, session!, 'wrong', NEXT, '192.0.2.1', { revokes: true })
    expect(await refusal(change)).to.include({ status: 401 })
    expect(await access()).to.deep.equal(before())
  })
})
