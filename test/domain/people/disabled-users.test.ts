import { expect } from 'chai'
import { listSessions } from '../../../src/database/people/sessions.js'
import { createApiToken } from '../../../src/domain/people/api-tokens.js'
import { listAudit } from '../../../src/domain/operating/audit.js'
import { actingAs } from '../../../src/domain/context.js'
import { disableUser, enableUser } from '../../../src/domain/people/disabled-users.js'
import { completeSetUp, createSetUpLink } from '../../../src/domain/people/set-up-links.js'
import { ACCOUNT_DISABLED, signIn, SIGN_IN_REFUSED } from '../../../src/domain/people/sign-in.js'
import { getUser } from '../../../src/domain/people/users.js'
import { newId } from '../../../src/ids.js'
import { describeContext } from '../../helpers/context.js'
import { createLine } from '../../helpers/factories.js'
import { startSession } from '../../helpers/web/sessions.js'
import { createPerson, PASSWORD, type Person } from './people.js'
import { refusal } from '../refusal.js'

describeContext('a disabled user', (context) => {
  let ada: Person

  beforeEach(async () => {
    await context.db('sign_in_attempts').delete()
    ada = await createPerson(context)
  })

  const signInWith = (password: string) =>
    signIn(context, { email: ada.email, password, address: '192.0.2.1', userAgent: '' })

  it('is told so at sign-in, but only with the right password', async () => {
    await disableUser(context, ada.id, 'goes_on')
    expect(await refusal(signInWith(PASSWORD))).to.deep.equal({ status: 403, message: ACCOUNT_DISABLED })
    expect(await refusal(signInWith('a wrong password'))).to.deep.equal({
      status: 401,
      message: SIGN_IN_REFUSED,
    })
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
    const { url } = await createSetUpLink(context, ada.id)
    await disableUser(context, ada.id, 'goes_on')
    const token = new URL(url).searchParams.get('token') ?? ''
    const complete = completeSetUp(context, token, { password: 'a phrase of hers alone', userAgent: '' })
    expect(await refusal(complete)).to.include({ status: 404 })
    expect(await refusal(createSetUpLink(context, ada.id))).to.deep.equal({
      status: 409,
      message: `${ada.email} is disabled: enable the account first`,
    })
    expect(await refusal(createApiToken(context, ada.id, 'a program'))).to.include({ status: 409 })
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
    expect(await refusal(disableUser(actingAs(context, actor), ada.id, 'stops'))).to.deep.equal({
      status: 409,
      message: 'nobody can disable themselves: ask another operator',
    })
    for (const id of [newId(), 'x']) {
      expect(await refusal(disableUser(context, id, 'stops'))).to.include({ status: 404 })
      expect(await refusal(enableUser(context, id))).to.include({ status: 404 })
    }
    expect(await refusal(enableUser(context, ada.id))).to.include({ status: 409 })
    await disableUser(context, ada.id, 'goes_on')
    expect(await refusal(disableUser(context, ada.id, 'stops'))).to.include({ status: 409 })
  })

  it('is never the last operator who can sign in, also if two disable each other at once', async () => {
    await context.db('users').where({ role: 'operator' }).update({ role: 'user' })
    const one = await createPerson(context, { role: 'operator' })
    await createPerson(context, { role: 'operator', password: null })
    expect(await refusal(disableUser(context, one.id, 'goes_on'))).to.deep.equal({
      status: 409,
      message: 'this is the last operator who can sign in: add another one first',
    })
    const two = await createPerson(context, { role: 'operator' })
    const results = await Promise.allSettled([one, two].map(({ id }) => disableUser(context, id, 'goes_on')))
    expect(results.map(({ status }) => status).toSorted()).to.deep.equal(['fulfilled', 'rejected'])
  })
})
