import { expect } from 'chai'
import { listUsers } from '../../../src/database/people/users.js'
import { addUser, getUser, getUserByEmail } from '../../../src/domain/people/users.js'
import { UserError } from '../../../src/errors.js'
import { newId } from '../../../src/ids.js'
import { listSessions } from '../../../src/database/people/sessions.js'
import { createApiToken, findTokenOwner } from '../../../src/domain/people/api-tokens.js'
import { listAudit } from '../../../src/domain/operating/audit.js'
import { actingAs } from '../../../src/domain/context.js'
import { disableUser, enableUser } from '../../../src/domain/people/disabled-users.js'
import { completeSetUp, createSetUpLink } from '../../../src/domain/people/set-up-links.js'
import { ACCOUNT_DISABLED, signIn, SIGN_IN_REFUSED } from '../../../src/domain/people/sign-in.js'
import { listApiTokens } from '../../../src/database/people/api-tokens.js'
import { listAuthorizedApplications } from '../../../src/domain/applications/authorizations.js'
import { revokeAccess } from '../../../src/domain/people/revoke-access.js'
import { changePassword, findSession } from '../../../src/domain/people/sessions.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { startSession } from '../../helpers/web/sessions.js'
import { personForEachTest, createPerson, PASSWORD, linkTokenFor } from './people.js'
import { expectRefusal } from '../refusal.js'
import { changeRows, overlap } from '../fixtures.js'
import { connect, createApplication, grantTokens, countTokens } from '../applications/applications.js'

const NEXT = 'a whole new password'

describeContext('users', (context) => {
  it('are added with an address and a name', async () => {
    const user = await addUser(context, { email: ' Ada@Example.com ', name: ' Ada ' })
    expect(user).to.deep.include({ email: 'Ada@Example.com', name: 'Ada' })
    expect(await getUserByEmail(context, 'Ada@Example.com')).to.deep.equal(user)
  })

  it('are found whatever the case of the address', async () => {
    const user = await addUser(context, { email: 'Ben@example.com' })
    expect(await getUserByEmail(context, ' bEN@EXAMPLE.com ')).to.deep.equal(user)
  })

  it('are named after their address when there is no name', async () => {
    expect(await addUser(context, { email: 'a@example.com' })).to.include({ name: 'a@example.com' })
    expect(await addUser(context, { email: 'b@example.com', name: ' ' })).to.include({
      name: 'b@example.com',
    })
  })

  it('have addresses of their own, whatever the case', async () => {
    await addUser(context, { email: 'cleo@example.com' })
    const refused = addUser(context, { email: 'CLEO@example.com' })
    await expectRefusal(refused, 409, 'email CLEO@example.com already belongs to a user')
  })

  it('are added once by two requests at the same moment', async () => {
    const results = await Promise.allSettled([
      addUser(context, { email: 'dora@example.com' }),
      addUser(context, { email: 'Dora@example.com' }),
    ])
    expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(1)
  })

  for (const email of [
    '',
    'ada',
    '@example.com',
    'ada@',
    'a@b@c',
    'a da@example.com',
    'ada\0@example.com',
    `${'a'.repeat(250)}@b.cd`,
    'ada\ud800@example.com',
  ]) {
    it(`need an address that can be one, unlike ${JSON.stringify(email.slice(0, 20))}`, async () => {
      const refused = addUser(context, { email })
      await expectRefusal(refused, 400, 'email must be an email address, such as ada@example.com')
    })
  }

  it('that are not there are asked to be added', async () => {
    await expectRefusal(
      getUserByEmail(context, 'nobody@example.com'),
      404,
      'No user has the email nobody@example.com. Add one with `linehook user add`',
    )
  })

  it('have no password at first, and run nothing unless it is said', async () => {
    const user = await addUser(context, { email: 'eve@example.com' })
    const operator = await addUser(context, { email: 'fay@example.com', role: 'operator' })
    expect(user).to.include({ role: 'user', hasPassword: false })
    expect(operator).to.include({ role: 'operator', hasPassword: false })
    expect(await getUser(context, operator.id)).to.deep.equal(operator)
  })

  it('are found by their id, and by nothing else', async () => {
    const ready = await createPerson(context)
    expect(await getUser(context, ready.id)).to.deep.equal(ready)
    for (const id of [newId(), 'ada', '']) {
      await expectRefusal(getUser(context, id), 404, 'No such user')
    }
  })

  it('are listed, those who were added first before the others', async () => {
    const added = [await createPerson(context), await createPerson(context, { password: null })]
    expect((await listUsers(context.db)).slice(-2)).to.deep.equal(
      added.map((person) => ({ ...person, hasSecondFactor: false })),
    )
    const [{ id }] = added as [{ id: string }, ...unknown[]]
    await context
      .db('totp_secrets')
      .insert({ user_id: id, secret_sealed: Buffer.alloc(1), confirmed_at: new Date() })
    expect((await listUsers(context.db)).slice(-2).map((each) => each.hasSecondFactor)).to.deep.equal([
      true,
      false,
    ])
  })

  it('have names of at most 100 characters', async () => {
    const named = (length: number) =>
      addUser(context, { email: `named${length}@example.com`, name: 'x'.repeat(length) })
    expect(await named(100)).to.include({ name: 'x'.repeat(100) })
    await expectRefusal(named(101), 400, 'name must have at most 100 characters')
  })

  describe('a disabled user', () => {
    const ada = personForEachTest(context)

    const signInWith = (password: string) =>
      signIn(context, { email: ada.email, password, address: '192.0.2.1', userAgent: '' })

    it('is told so at sign-in, but only with the right password', async () => {
      await disableUser(context, ada.id, 'goes_on')
      await expectRefusal(signInWith(PASSWORD), 403, ACCOUNT_DISABLED)
      await expectRefusal(signInWith('a wrong password'), 401, SIGN_IN_REFUSED)
      const rows = await listAudit(context, { userId: ada.id, actions: ['sign_in.failed'] }, { limit: 9 })
      expect(rows.map(({ after }) => after)).to.deep.equal([null, { reason: 'the account is disabled' }])
      await enableUser(context, ada.id)
      expect((await signInWith(PASSWORD)).token).to.be.a('string')
    })

    it('has no session that began at the same moment', async () => {
      const signIns = Array.from({ length: 6 }, () => signInWith(PASSWORD).catch(() => undefined))
      await Promise.all([...signIns, disableUser(context, ada.id, 'goes_on')])
      await enableUser(context, ada.id)
      expect(await listSessions(context.db, ada.id)).to.deep.equal([])
    })

    it('gets in by no set-up link, has no new one, and no new API token', async () => {
      const token = await linkTokenFor(context, ada.id)
      await disableUser(context, ada.id, 'goes_on')
      const complete = completeSetUp(context, token, { password: 'a phrase of hers alone', userAgent: '' })
      await expectRefusal(complete, 404)
      const refused = createSetUpLink(context, ada.id)
      await expectRefusal(refused, 409, `${ada.email} is disabled. Enable the account first`)
      await expectRefusal(createApiToken(context, ada.id, 'a program'), 409)
    })

    it('has no set-up link that was made at the same moment', async () => {
      const disable = () => disableUser(context, ada.id, 'goes_on')
      const refused = await overlap(context, disable, () => createSetUpLink(context, ada.id))
      expect(refused).to.be.instanceOf(UserError).with.property('status', 409)
      expect(await context.db('set_up_links').where({ user_id: ada.id })).to.deep.equal([])
    })

    it('is in the audit log, with what was stopped, and what goes on again', async () => {
      const line = await createLine(context, { userId: ada.id, outgoingUrl: 'http://127.0.0.1:9/' })
      await startSession(context, ada.id)
      await disableUser(context, ada.id, 'stops')
      expect(await getUser(context, ada.id))
        .to.have.property('stoppedAt')
        .that.is.instanceOf(Date)
      await enableUser(context, ada.id)
      expect(await getUser(context, ada.id)).to.include({ disabledAt: null, stoppedAt: null })
      const actions = ['user.disabled', 'user.enabled']
      const rows = await listAudit(context, { userId: ada.id, actions }, { limit: 9 })
      expect(rows.map(({ action, after }) => [action, after])).to.deep.equal([
        ['user.enabled', { linesRestarted: [line.number], endpointsRestarted: 1 }],
        [
          'user.disabled',
          { whatTheyOwn: 'stops', sessionsEnded: 1, linesStopped: [line.number], endpointsStopped: 1 },
        ],
      ])
    })

    it('is none that is none, is disabled already, or asks for it', async () => {
      const actor = { kind: 'user', userId: ada.id, credentialId: null, address: null } as const
      const refused = disableUser(actingAs(context, actor), ada.id, 'stops')
      await expectRefusal(refused, 409, 'You cannot disable yourself. Ask another operator')
      for (const id of [newId(), 'x']) {
        await expectRefusal(disableUser(context, id, 'stops'), 404)
        await expectRefusal(enableUser(context, id), 404)
      }
      await expectRefusal(enableUser(context, ada.id), 409)
      await disableUser(context, ada.id, 'goes_on')
      await expectRefusal(disableUser(context, ada.id, 'stops'), 409)
    })

    it('is never the last operator who can sign in, also if two disable each other at once', async () => {
      await changeRows(context, 'users', { role: 'operator' }, { role: 'user' })
      const one = await createPerson(context, { role: 'operator' })
      await createPerson(context, { role: 'operator', password: null })
      const refused = disableUser(context, one.id, 'goes_on')
      await expectRefusal(refused, 409, 'This is the last operator who can sign in. Add another one first')
      const two = await createPerson(context, { role: 'operator' })
      const results = await Promise.allSettled(
        [one, two].map(({ id }) => disableUser(context, id, 'goes_on')),
      )
      expect(results.map(({ status }) => status).toSorted()).to.deep.equal(['fulfilled', 'rejected'])
    })
  })

  describe('revoking all access', () => {
    const ada = personForEachTest(context)
    let line: TestLine
    let apiToken: string
    let application: Awaited<ReturnType<typeof createApplication>>

    beforeEach(async () => {
      line = await createLine(context, { userId: ada.id, outgoingUrl: 'http://127.0.0.1:9/' })
      ;({ token: apiToken } = await createApiToken(context, ada.id, 'a program'))
      application = await createApplication(context, {
        webhookUrl: 'http://127.0.0.1:9/',
        optInEvents: ['lineDisconnected'],
      })
      await connect(context, application, line)
      await grantTokens(context, application, ada.id)
    })

    const access = async () => ({
      tokenOwner: (await findTokenOwner(context, apiToken))?.userId,
      applications: (await listAuthorizedApplications(context, ada.id)).length,
      grants: await countTokens(context, application, ada.id),
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
      expect(
        await listAudit(context, { userId: id, actions: ['access.revoked'] }, { limit: 9 }),
      ).to.deep.equal([])
      for (const nobody of [newId(), 'x']) {
        await expectRefusal(revokeAccess(context, nobody), 404)
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
        const token = await linkTokenFor(context, ada.id)
        await completeSetUp(context, token, { password: NEXT, userAgent: '', revokes })
        expect(await access()).to.deep.equal(revokes ? none : before())
      })
    }

    it('is not done where the password is refused', async () => {
      const session = await findSession(context, await startSession(context, ada.id))
      const change = changePassword(context, session!, 'wrong', NEXT, '192.0.2.1', { revokes: true })
      await expectRefusal(change, 401)
      expect(await access()).to.deep.equal(before())
    })
  })
})
