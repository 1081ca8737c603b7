import { expect } from 'chai'
import { listSessions } from '../../../src/database/people/sessions.js'
import { listUsers } from '../../../src/database/people/users.js'
import { findSession } from '../../../src/domain/people/sessions.js'
import {
  completeSetUp,
  createFirstSetUpLink,
  createSetUpLink,
  findSetUpLink,
  type SetUpFields,
} from '../../../src/domain/people/set-up-links.js'
import { signIn } from '../../../src/domain/people/sign-in.js'
import { getUser, getUserByEmail } from '../../../src/domain/people/users.js'
import { newId } from '../../../src/ids.js'
import { newToken, sha256 } from '../../../src/secrets.js'
import { describeContext } from '../../helpers/context.js'
import { startSession } from '../../helpers/web/sessions.js'
import { expectRefusal, refusal } from '../refusal.js'
import { changeRows } from '../fixtures.js'
import { createPerson, PASSWORD, type Person, linkTokenFor, tokenIn } from './people.js'

const USED_UP = {
  status: 404,
  message: 'This link has expired or was already used. Get a new one where you got it',
}
const NEXT = 'a whole new password'

const environment = { PUBLIC_URL: 'https://lines.example.com' }

describeContext('set-up links', { environment }, (context) => {
  beforeEach(async () => {
    await context.db.raw('truncate users, set_up_links cascade')
  })

  const link = (userId: string | null) => linkTokenFor(context, userId)
  const complete = (token: string, overrides: Partial<SetUpFields> = {}) =>
    completeSetUp(context, token, { password: NEXT, userAgent: 'Firefox', ...overrides })
  const signInAs = (email: string, password: string) =>
    signIn(context, { email, password, address: '192.0.2.1', userAgent: '' })
  const setExpiry = (token: string, when: string) =>
    changeRows(context, 'set_up_links', { token_hash: sha256(token) }, { expires_at: context.db.raw(when) })

  it('lead to the console, and are valid for 7 days', async () => {
    const { id } = await createPerson(context, { password: null })
    const { url, expiresAt } = await createSetUpLink(context, id)
    expect(url).to.match(/^https:\/\/lines\.example\.com\/console\/set-up\?token=[\w-]{43}$/)
    const { rows } = await context.db.raw<{ rows: [{ isIn7Days: boolean }] }>(
      `select cast(? as timestamptz) between now() + interval '7 days' - interval '1 minute'
         and now() + interval '7 days' as "isIn7Days"`,
      [expiresAt],
    )
    expect(rows[0]).to.deep.equal({ isIn7Days: true })
  })

  it('are kept as their hash only', async () => {
    const token = await link((await createPerson(context)).id)
    const { rows } = await context.db.raw<{ rows: { row: string }[] }>(
      'select row_to_json(s)::text as row from set_up_links s',
    )
    expect(rows).to.have.length(1)
    expect(rows[0]?.row).not.to.contain(token)
  })

  it('are not for users who are not there', async () => {
    for (const id of [newId(), 'x']) {
      await expectRefusal(createSetUpLink(context, id), 404)
    }
  })

  describe('for a user', () => {
    let ada: Person
    let token: string

    beforeEach(async () => {
      ada = await createPerson(context)
      token = await link(ada.id)
    })

    it('say whom they are for', async () => {
      const { id, email, name } = ada
      expect(await findSetUpLink(context, token)).to.deep.equal({
        userId: id,
        email,
        name,
        hasPassword: true,
      })
    })

    it('set the password, end the sessions that there were, and start one', async () => {
      const other = await createPerson(context)
      const [former, others] = [
        await startSession(context, ada.id, ''),
        await startSession(context, other.id, ''),
      ]
      const { token: sessionToken } = await complete(token)
      expect(await findSession(context, sessionToken)).to.include({ userId: ada.id, isConfirmed: true })
      expect((await listSessions(context.db, ada.id)).map(({ userAgent }) => userAgent)).to.deep.equal([
        'Firefox',
      ])
      expect(await findSession(context, former)).to.equal(undefined)
      expect(await findSession(context, others)).to.include({ userId: other.id })
      expect(await signInAs(ada.email, NEXT)).to.have.property('token')
      await expectRefusal(signInAs(ada.email, PASSWORD), 401)
    })

    it('leave the address, the name and the role as they are', async () => {
      await complete(token, { email: 'another@example.com', name: 'Another' })
      expect(await getUser(context, ada.id)).to.deep.equal(ada)
      expect(await listUsers(context.db)).to.have.length(1)
    })

    it('work once', async () => {
      await complete(token)
      expect(await findSetUpLink(context, token)).to.equal(undefined)
      expect(await refusal(complete(token, { password: 'yet another password' }))).to.deep.equal(USED_UP)
      expect(await signInAs(ada.email, NEXT)).to.have.property('token')
    })

    it('work once, also for two at the same moment', async () => {
      const results = await Promise.allSettled([complete(token), complete(token)])
      expect(results.map(({ status }) => status)).to.have.members(['fulfilled', 'rejected'])
      const [refused] = results.filter((result) => result.status === 'rejected')
      expect(refused?.reason).to.include(USED_UP)
      expect(await listSessions(context.db, ada.id)).to.have.length(1)
    })

    it('work until they are too old', async () => {
      await setExpiry(token, `now() - interval '1 second'`)
      expect(await findSetUpLink(context, token)).to.equal(undefined)
      expect(await refusal(complete(token))).to.deep.equal(USED_UP)
      await setExpiry(token, `now() + interval '10 seconds'`)
      expect(await complete(token)).to.have.property('token')
    })

    it('are worth nothing once there is a new one', async () => {
      const newer = await link(ada.id)
      expect(await findSetUpLink(context, token)).to.equal(undefined)
      expect(await refusal(complete(token))).to.deep.equal(USED_UP)
      expect(await complete(newer)).to.have.property('token')
    })

    it('let those of others be', async () => {
      const other = await createPerson(context)
      await link(other.id)
      await link(null)
      expect(await findSetUpLink(context, token)).to.include({ userId: ada.id })
    })

    it('can be used again after a password that is no good', async () => {
      for (const password of ['short', ada.email]) {
        await expectRefusal(complete(token, { password }), 400)
      }
      expect(await complete(token)).to.have.property('token')
    })
  })

  for (const [what, token] of [
    ['nobody was given', newToken()],
    ['is empty', ''],
    ['has a NUL', '\0'],
  ] as const) {
    it(`are not found by a token that ${what}`, async () => {
      expect(await findSetUpLink(context, token)).to.equal(undefined)
      expect(await refusal(complete(token))).to.deep.equal(USED_UP)
    })
  }

  describe('for the first operator', () => {
    const email = 'grace@example.com'

    it('are for nobody in particular', async () => {
      expect(await findSetUpLink(context, await link(null))).to.deep.equal({
        userId: null,
        email: null,
        name: null,
        hasPassword: false,
      })
    })

    it('make the operator, who is signed in', async () => {
      const { url } = (await createFirstSetUpLink(context))!
      const { token: sessionToken } = await complete(tokenIn(url), { email, name: 'Grace' })
      const { id, ...operator } = await getUserByEmail(context, email)
      expect(operator).to.deep.include({ email, name: 'Grace', role: 'operator', hasPassword: true })
      expect(await findSession(context, sessionToken)).to.include({ userId: id, role: 'operator' })
      expect(await createFirstSetUpLink(context)).to.equal(undefined)
    })

    it('need an address, a good password, and can then be used again', async () => {
      const token = await link(null)
      for (const fields of [
        {},
        { email: 'grace' },
        { email, password: 'short' },
        { email: 'grace.hopper@example.com', password: 'grace.hopper@example.com' },
      ]) {
        await expectRefusal(complete(token, fields), 400)
      }
      expect(await listUsers(context.db)).to.deep.equal([])
      expect(await complete(token, { email })).to.have.property('token')
    })

    it('refuse the address of a user, and can then be used again', async () => {
      const ada = await createPerson(context)
      const token = await link(null)
      await expectRefusal(complete(token, { email: ada.email.toUpperCase() }), 409)
      expect(await getUser(context, ada.id)).to.deep.equal(ada)
      expect(await complete(token, { email })).to.have.property('token')
    })

    it('are refused once an operator has a password', async () => {
      const token = await link(null)
      await createPerson(context, { role: 'operator', password: null })
      expect(await findSetUpLink(context, token)).to.include({ userId: null })
      await createPerson(context, { role: 'operator' })
      expect(await findSetUpLink(context, token)).to.equal(undefined)
      expect(await refusal(complete(token, { email }))).to.deep.equal(USED_UP)
    })

    it('replace one another', async () => {
      const former = await link(null)
      const token = await link(null)
      expect(await refusal(complete(former, { email }))).to.deep.equal(USED_UP)
      expect(await complete(token, { email })).to.have.property('token')
    })

    it('make one operator, also for two at the same moment', async () => {
      const token = await link(null)
      const results = await Promise.allSettled([
        complete(token, { email }),
        complete(token, { email: 'second@example.com' }),
      ])
      expect(results.map(({ status }) => status)).to.have.members(['fulfilled', 'rejected'])
      expect(await listUsers(context.db)).to.have.length(1)
    })
  })

  describe('at a first start', () => {
    const first = async () => {
      const created = await createFirstSetUpLink(context)
      return created && findSetUpLink(context, tokenIn(created.url))
    }

    it('are for the operator who was added first, of those without a password', async () => {
      await createPerson(context, { password: null })
      const [ada] = [
        await createPerson(context, { role: 'operator', password: null }),
        await createPerson(context, { role: 'operator', password: null }),
      ]
      expect(await first()).to.include({ userId: ada.id })
    })

    it('are for an operator to be made where there is none', async () => {
      await createPerson(context)
      expect(await first()).to.include({ userId: null })
    })

    it('are not made once an operator can sign in', async () => {
      await createPerson(context, { role: 'operator' })
      await createPerson(context, { role: 'operator', password: null })
      expect(await first()).to.equal(undefined)
    })
  })
})
