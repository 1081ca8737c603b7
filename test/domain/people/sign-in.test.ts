import { expect } from 'chai'
import { DatabaseUnavailable } from '../../../src/database/outage.js'
import { listSessions } from '../../../src/database/people/sessions.js'
import { confirmPassword, findSession } from '../../../src/domain/people/sessions.js'
import { SIGN_IN_REFUSED, signIn, type Credentials } from '../../../src/domain/people/sign-in.js'
import { askForPasskey, PASSKEY_REFUSED } from '../../../src/domain/people/second-factors/passkeys.js'
import { completeSignIn, findHalfOpen, signInByPasskey } from '../../../src/domain/people/second-step.js'
import { Unavailable, UserError } from '../../../src/errors.js'
import { newToken, sha256 } from '../../../src/secrets.js'
import type { Context } from '../../../src/domain/context.js'
import { describeContext } from '../../helpers/context.js'
import { setUpApp } from '../../helpers/web/second-factor.js'
import { createPasskey } from './passkey.js'
import { personForEachTest, createPerson, PASSWORD } from './people.js'
import { ago, changeRows, untilLocked } from '../fixtures.js'
import { refusal } from '../refusal.js'

const REFUSED = { status: 401, message: SIGN_IN_REFUSED }
const WRONG = 'a wrong password'

/** One more than those that wait for each other and the one that they wait for. */
const CONNECTIONS = { DATABASE_POOL_SIZE: '5' }

describeContext('signing in', { environment: CONNECTIONS }, (context) => {
  const ada = personForEachTest(context)

  const attempt = (overrides: Partial<Credentials> = {}) =>
    signIn(context, {
      email: ada.email,
      password: PASSWORD,
      address: '192.0.2.1',
      userAgent: 'Firefox',
      ...overrides,
    })
  const attempts = (count: number, overrides: (n: number) => Partial<Credentials>) =>
    Promise.allSettled(Array.from({ length: count }, (_, n) => attempt(overrides(n))))
  const countAttempts = async () => (await context.db('sign_in_attempts').select('id')).length

  it('starts a session, and is no attempt any more', async () => {
    const { token } = await attempt()
    expect(await findSession(context, token)).to.include({ userId: ada.id, isConfirmed: true })
    expect((await listSessions(context.db, ada.id))[0]).to.include({ userAgent: 'Firefox' })
    expect(await countAttempts()).to.equal(0)
  })

  it('does not care for the case of the address, nor for blanks around it', async () => {
    expect(await attempt({ email: ` ${ada.email.toUpperCase()} ` })).to.have.property('token')
  })

  it('takes a password however old it is', async () => {
    const columns = await context.db('users').columnInfo()
    expect(Object.keys(columns).filter((name) => /password/.test(name))).to.deep.equal(['password_hash'])
    await changeRows(context, 'users', ada.id, { created_at: ago(context, '10 years') })
    expect(await attempt()).to.have.property('token')
  })

  it('gives each browser a token of its own', async () => {
    expect((await attempt()).token).not.to.equal((await attempt()).token)
  })

  it('refuses a wrong password, an unknown user, and one without a password, with one text', async () => {
    const waiting = await createPerson(context, { password: null })
    for (const overrides of [
      { password: WRONG },
      { password: '' },
      { email: 'nobody@example.com' },
      { email: '' },
      { email: `${ada.email}\0`, password: WRONG },
      { email: '\ud800' },
      { email: waiting.email },
      { email: waiting.email, password: '' },
    ]) {
      expect(await refusal(attempt(overrides)), JSON.stringify(overrides)).to.deep.equal(REFUSED)
    }
    expect(await listSessions(context.db, ada.id)).to.deep.equal([])
  })

  it('is refused with the same text after ten wrong passwords for one account', async () => {
    for (let n = 0; n < 9; n += 1) await refusal(attempt({ password: WRONG, address: `192.0.2.${n}` }))
    expect(await attempt()).to.have.property('token')
    await refusal(attempt({ password: WRONG }))
    expect(await refusal(attempt({ address: '203.0.113.9' }))).to.deep.equal(REFUSED)
    expect(await refusal(attempt({ email: ada.email.toUpperCase() }))).to.deep.equal(REFUSED)
    expect(await countAttempts()).to.equal(10)
  })

  it('counts for addresses nobody has as for those of users', async () => {
    for (let n = 0; n < 12; n += 1) await refusal(attempt({ email: 'Nobody@example.com' }))
    expect(await countAttempts()).to.equal(10)
  })

  it('is open again 15 minutes after the attempts', async () => {
    for (let n = 0; n < 10; n += 1) await refusal(attempt({ password: WRONG }))
    const setBack = (age: string) =>
      context.db('sign_in_attempts').update({ attempted_at: context.db.raw('now() - ?::interval', [age]) })
    await setBack('14 minutes 50 seconds')
    expect(await refusal(attempt())).to.deep.equal(REFUSED)
    await setBack('15 minutes')
    expect(await attempt()).to.have.property('token')
  })

  it('lets other accounts and other addresses be', async () => {
    for (let n = 0; n < 10; n += 1) await refusal(attempt({ password: WRONG }))
    const { email } = await createPerson(context)
    expect(await attempt({ email })).to.have.property('token')
  })

  /** Guesses at addresses that nobody has. */
  const exhaustAddress = async (address: string) => {
    for (let n = 0; n < 5; n += 1)
      await attempts(10, (m) => ({ email: `user${n}-${m}@example.com`, password: WRONG, address }))
    expect(await countAttempts()).to.equal(50)
  }

  it('goes on after 50 wrong passwords from one address for who has not tried: others are behind it too', async () => {
    await exhaustAddress('192.0.2.1')
    const people = await Promise.all(Array.from({ length: 5 }, () => createPerson(context)))
    for (const { email } of people) expect(await attempt({ email })).to.have.property('token')
    expect(await countAttempts()).to.equal(50)
  })

  it('is refused there after three wrong passwords for an account, and elsewhere after ten as always', async () => {
    await exhaustAddress('192.0.2.1')
    for (let n = 0; n < 3; n += 1) await refusal(attempt({ password: WRONG }))
    expect(await refusal(attempt())).to.deep.equal(REFUSED)
    expect(await countAttempts()).to.equal(53)
    expect(await attempt({ address: '192.0.2.2' })).to.have.property('token')
  })

  it('counts there for addresses nobody has, and users without a password, as for those of users', async () => {
    await exhaustAddress('192.0.2.1')
    const waiting = await createPerson(context, { password: null })
    const emails = ['nobody@example.com', waiting.email, ada.email]
    for (const [n, email] of emails.entries()) {
      for (let times = 0; times < 4; times += 1) {
        expect(await refusal(attempt({ email, password: WRONG }))).to.deep.equal(REFUSED)
      }
      expect(await countAttempts(), email).to.equal(53 + 3 * n)
    }
  })

  it('is compared there one at a time, and leaves room for people at other addresses', async () => {
    await exhaustAddress('192.0.2.1')
    const flood = attempts(100, (n) => ({ email: `other${n}@example.com`, password: WRONG }))
    for (let n = 0; n < 5; n += 1) {
      expect(await attempt({ address: '192.0.2.2' })).to.have.property('token')
    }
    const busy = (await flood).filter(
      (result) => result.status === 'rejected' && result.reason instanceof Unavailable,
    )
    expect(busy).not.to.be.empty
    expect(await countAttempts()).to.equal(150 - busy.length)
  })

  it('is in the audit log there once for all addresses that nobody has', async () => {
    await exhaustAddress('192.0.2.1')
    const rows = () =>
      context
        .db('audit_log')
        .where({ action: 'sign_in.failed' })
        .then(({ length }) => length)
    const before = await rows()
    for (let n = 0; n < 3; n += 1) await refusal(attempt({ email: `one${n}@example.com` }))
    for (let n = 0; n < 2; n += 1) await refusal(attempt({ password: WRONG }))
    expect((await rows()) - before).to.equal(2)
  })

  for (const [what, one, two, isSame] of [
    ['two addresses of one IPv6 network', '2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
    ['an IPv4 address and the same written as IPv6', '192.0.2.77', '::ffff:192.0.2.77', true],
    ['two IPv6 networks', '2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['what is no address, and something else that is none', 'unknown', 'unix:', false],
  ] as const) {
    it(`counts ${isSame ? 'together' : 'apart'} ${what}`, async () => {
      await exhaustAddress(one)
      for (let n = 0; n < 4; n += 1) await refusal(attempt({ email: 'nobody@example.com', address: two }))
      expect(await countAttempts()).to.equal(isSame ? 53 : 54)
    })
  }

  it('compares ten of a hundred guesses made at the same moment, and no more', async () => {
    const results = await attempts(100, () => ({ password: WRONG }))
    for (const result of results) {
      expect(result).to.have.nested.property('reason.message', SIGN_IN_REFUSED)
    }
    expect(await countAttempts()).to.equal(10)
  })

  it('leaves connections to Postgres for others while many guesses wait for each other', async () => {
    const holder = await context.db.transaction()
    await holder.raw('select pg_advisory_xact_lock(hashtextextended(?, 2))', [
      sha256(ada.email).toString('hex'),
    ])
    const guesses = attempts(40, () => ({ password: WRONG }))
    try {
      await untilLocked(context)
      for (let n = 0; n < 20; n += 1)
        expect(await context.db('users').where({ id: ada.id })).to.have.length(1)
    } finally {
      await holder.rollback()
      await guesses
    }
    expect(await countAttempts()).to.equal(10)
  })

  it('lets many people in at the same moment', async () => {
    const people = await Promise.all(Array.from({ length: 10 }, () => createPerson(context)))
    const results = await attempts(10, (n) => ({ email: people[n]!.email, address: `192.0.2.${n}` }))
    expect(results.map(({ status }) => status)).to.deep.equal(people.map(() => 'fulfilled'))
    expect(await countAttempts()).to.equal(0)
  })

  it('is no attempt when so many passwords are checked that there is no time for this one', async () => {
    const people = await Promise.all(Array.from({ length: 8 }, () => createPerson(context)))
    const results = await attempts(80, (n) => ({
      email: people[n % 8]!.email,
      password: WRONG,
      address: `192.0.2.${n % 8}`,
    }))
    const refusedCount = results.filter(
      (result) => result.status === 'rejected' && result.reason instanceof UserError,
    ).length
    expect(await countAttempts())
      .to.equal(refusedCount)
      .and.to.be.greaterThan(33)
  })

  it('starts no session when the password was changed while it was compared', async () => {
    const holder = await context.db.transaction()
    await holder('users').where({ id: ada.id }).update({ password_hash: 'another one' })
    const signedIn = refusal(attempt())
    await untilLocked(context)
    await holder.commit()
    expect(await signedIn).to.deep.equal(REFUSED)
    expect(await listSessions(context.db, ada.id)).to.deep.equal([])
  })

  it('does not use up a code for nothing when the answer to the commit is lost', async () => {
    const { recoveryCodes, nextCode } = await setUpApp(context, ada.id)
    /** The answer to the commit of its nth transaction is lost. */
    const losing = (nth: number): Context => {
      let left = nth
      const db = new Proxy(context.db, {
        get: (target, name) => {
          if (name !== 'transaction') return Reflect.get(target, name) as unknown
          return async (...args: Parameters<typeof target.transaction>) => {
            const result: unknown = await target.transaction(...args)
            left -= 1
            if (left === 0) throw new DatabaseUnavailable('lost', new Error('gone'))
            return result
          }
        },
      })
      return { ...context, db }
    }
    const halfOpen = await findHalfOpen(context, (await attempt()).token)
    const step = { halfOpen: halfOpen!, address: '192.0.2.1', userAgent: 'Firefox' }
    const { token } = await completeSignIn(losing(2), { ...step, code: recoveryCodes[0]! })
    const session = await findSession(context, token)
    expect(session).to.include({ userId: ada.id })
    const proof = { password: PASSWORD, code: await nextCode(), address: '192.0.2.1' }
    const confirmed = await confirmPassword(losing(3), session!, proof)
    expect(await findSession(context, confirmed)).to.include({ userId: ada.id, isConfirmed: true })
    expect(await findSession(context, token)).to.equal(undefined)
    expect(await countAttempts()).to.equal(0)
    const again = confirmPassword(losing(3), session!, { ...proof, code: 'wrong' })
    expect(await again.catch((error: unknown) => error)).to.be.instanceOf(Unavailable)
  })

  const byPasskey = async (answer: (challenge: string) => string) => {
    const browserToken = newToken()
    const { challenge } = await askForPasskey(context, undefined, browserToken)
    return signInByPasskey(context, {
      halfOpen: undefined,
      browserToken,
      written: answer(challenge),
      userAgent: 'Firefox',
    })
  }

  it('needs no password with a passkey', async () => {
    const { token } = await byPasskey(await createPasskey(context, ada.id))
    expect(await findSession(context, token)).to.include({ userId: ada.id, isConfirmed: true })
  })

  it('starts no session with a passkey that was removed while it was verified', async () => {
    const answer = await createPasskey(context, ada.id)
    const holder = await context.db.transaction()
    await holder('users').where({ id: ada.id }).forUpdate()
    const signedIn = refusal(byPasskey(answer))
    await untilLocked(context)
    await holder('passkeys').where({ user_id: ada.id }).delete()
    await holder.commit()
    expect(await signedIn).to.deep.equal({ status: 401, message: PASSKEY_REFUSED })
    expect(await listSessions(context.db, ada.id)).to.deep.equal([])
  })
})
