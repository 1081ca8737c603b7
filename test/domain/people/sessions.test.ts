import { expect } from 'chai'
import { listSessions } from '../../../src/database/people/sessions.js'
import {
  changePassword,
  confirmPassword,
  endSession,
  endSessions,
  findSession,
  type Session,
} from '../../../src/domain/people/sessions.js'
import { findSetUpLink } from '../../../src/domain/people/set-up-links.js'
import { SIGN_IN_REFUSED, signIn } from '../../../src/domain/people/sign-in.js'
import { newId } from '../../../src/ids.js'
import { newToken, sha256 } from '../../../src/secrets.js'
import { listAudit } from '../../../src/domain/operating/audit.js'
import { describeContext } from '../../helpers/context.js'
import { setUpApp } from '../../helpers/web/second-factor.js'
import { startSession } from '../../helpers/web/sessions.js'
import { personForEachTest, createPerson, PASSWORD, linkTokenFor } from './people.js'
import { ago, changeRows, untilLocked } from '../fixtures.js'
import { expectRefusal, refusal } from '../refusal.js'

const ADDRESS = '192.0.2.1'
const NEXT = 'a whole new password'

describeContext('sessions', (context) => {
  const ada = personForEachTest(context)

  const start = (userAgent = 'Firefox') => startSession(context, ada.id, userAgent)
  const get = async (token: string): Promise<Session> => {
    const session = await findSession(context, token)
    if (session === undefined) throw new Error('there is No such session')
    return session
  }
  const setBack = (token: string, column: string, age: string) =>
    changeRows(context, 'sessions', { token_hash: sha256(token) }, { [column]: ago(context, age) })
  const lastSeenMs = async () => (await listSessions(context.db, ada.id))[0]?.lastSeenAt.getTime()

  const confirm = (session: Session, password: string) =>
    confirmPassword(context, session, { password, code: '', address: ADDRESS })
  const signInWith = (password: string) =>
    signIn(context, { email: ada.email, password, address: ADDRESS, userAgent: '' })

  it('tell who they belong to', async () => {
    const session = await get(await start())
    expect(session.createdAt).to.be.instanceOf(Date)
    expect(session).to.deep.equal({
      id: session.id,
      userId: ada.id,
      email: ada.email,
      name: ada.name,
      role: 'user',
      hasSecondFactor: false,
      isConfirmed: true,
      createdAt: session.createdAt,
    })
  })

  it('are kept as the hash of their token only', async () => {
    const token = await start()
    expect(token).to.match(/^[\w-]{43}$/)
    const { rows } = await context.db.raw<{ rows: { row: string }[] }>(
      'select row_to_json(s)::text as row from sessions s where user_id = ?',
      [ada.id],
    )
    expect(rows).to.have.length(1)
    expect(rows[0]?.row).not.to.contain(token)
    expect(rows[0]?.row).to.contain(sha256(token).toString('hex'))
  })

  for (const [what, token] of [
    ['nobody was given', newToken()],
    ['is empty', ''],
    ['has a NUL', `${'x'.repeat(42)}\0`],
    ['is very long', 'x'.repeat(10_000)],
  ] as const) {
    it(`are not found by a token that ${what}`, async () => {
      expect(await findSession(context, token)).to.equal(undefined)
    })
  }

  for (const [column, alive, over] of [
    ['last_seen_at', '29 minutes 50 seconds', '30 minutes'],
    ['created_at', '11 hours 59 minutes 50 seconds', '12 hours'],
  ] as const) {
    it(`end ${over} after ${column}`, async () => {
      const token = await start()
      await setBack(token, column, alive)
      const { id } = await get(token)

      await setBack(token, column, over)
      expect(await findSession(context, token)).to.equal(undefined)
      expect(await listSessions(context.db, ada.id)).to.deep.equal([])
      await expectRefusal(endSession(context, ada.id, id), 404)
    })
  }

  it('live on while they are used, and note it at most once a minute', async () => {
    const token = await start()
    await setBack(token, 'last_seen_at', '50 seconds')
    const before = await lastSeenMs()
    await get(token)
    expect(await lastSeenMs()).to.equal(before)

    await setBack(token, 'last_seen_at', '29 minutes')
    await get(token)
    expect(await lastSeenMs()).to.be.greaterThan(before!)
  })

  it('age on while only an open page asks', async () => {
    const token = await start()
    await setBack(token, 'last_seen_at', '20 minutes')
    const before = await lastSeenMs()
    expect(await findSession(context, token, { isUsed: false })).to.include({ userId: ada.id })
    expect(await lastSeenMs()).to.equal(before)
  })

  it('are confirmed for 10 minutes', async () => {
    const token = await start()
    await setBack(token, 'confirmed_at', '9 minutes 50 seconds')
    expect(await get(token)).to.include({ isConfirmed: true })
    await setBack(token, 'confirmed_at', '10 minutes')
    expect(await get(token)).to.include({ isConfirmed: false })
  })

  it('are confirmed again by the password, and only by that', async () => {
    const [token, other] = [await start(), await start()]
    for (const each of [token, other]) await setBack(each, 'confirmed_at', '11 minutes')
    const session = await get(token)
    const refused = confirm(session, 'a wrong password')
    await expectRefusal(refused, 401, 'Wrong password. After several attempts, wait 15 minutes.')
    expect(await get(token)).to.include({ isConfirmed: false })

    const renewed = await confirm(session, PASSWORD)
    expect(await get(renewed)).to.deep.include({ id: session.id, isConfirmed: true })
    expect(await findSession(context, token)).to.equal(undefined)
    expect(await get(other)).to.include({ isConfirmed: false })
  })

  it('are twenty of one user at most: with one more, the one that was not used for longest ends', async () => {
    const other = await createPerson(context)
    const others = await startSession(context, other.id)
    const tokens = await Promise.all(Array.from({ length: 20 }, () => start()))
    await setBack(tokens[7] ?? '', 'last_seen_at', '10 minutes')
    const { token } = await signInWith(PASSWORD)
    expect(await listSessions(context.db, ada.id)).to.have.length(20)
    for (const each of [token, others, ...tokens.filter((_, n) => n !== 7)]) await get(each)
    expect(await findSession(context, tokens[7] ?? '')).to.equal(undefined)
    const [row] = await listAudit(context, { actions: ['sign_in.succeeded'], userId: ada.id }, { limit: 1 })
    expect(row?.after).to.deep.include({ sessionsEnded: 1 })
  })

  it('are listed newest first, each user their own', async () => {
    const [first, second] = [await get(await start('Firefox')), await get(await start('Safari'))]
    await startSession(context, (await createPerson(context)).id, 'of somebody else')
    const listed = await listSessions(context.db, ada.id)
    expect(listed.map(({ id, userAgent, createdAt }) => ({ id, userAgent, createdAt }))).to.deep.equal([
      { id: second.id, userAgent: 'Safari', createdAt: second.createdAt },
      { id: first.id, userAgent: 'Firefox', createdAt: first.createdAt },
    ])
  })

  for (const [what, userAgent, kept] of [
    ['cut to 200 characters', 'x'.repeat(300), 'x'.repeat(200)],
    ['without a NUL', 'Fire\0fox', 'Firefox'],
    ['without half an emoji', `${'x'.repeat(199)}🐎`, `${'x'.repeat(199)}\ufffd`],
  ] as const) {
    it(`keep the browser's name ${what}`, async () => {
      await start(userAgent)
      expect((await listSessions(context.db, ada.id))[0]).to.include({ userAgent: kept })
    })
  }

  it('are ended one by one', async () => {
    const [token, other] = [await start(), await start()]
    const { id } = await get(token)
    await endSession(context, ada.id, id)
    expect(await findSession(context, token)).to.equal(undefined)
    expect(await findSession(context, other)).to.include({ userId: ada.id })
    await expectRefusal(endSession(context, ada.id, id), 404, 'No such session')
  })

  it('cannot be ended by another user, nor by what is no id', async () => {
    const token = await start()
    const { id } = await get(token)
    const other = await createPerson(context)
    for (const [userId, wrong] of [
      [other.id, id],
      [ada.id, newId()],
      [ada.id, 'x'],
    ] as const) {
      await expectRefusal(endSession(context, userId, wrong), 404)
    }
    expect(await findSession(context, token)).to.include({ id })
  })

  it('are ended but for one, and only the own ones', async () => {
    const [token] = [await start(), await start(), await start()]
    const otherToken = await startSession(context, (await createPerson(context)).id, '')
    expect(await endSessions(context, ada.id, (await get(token)).id)).to.equal(2)
    expect(await listSessions(context.db, ada.id)).to.have.length(1)
    expect(await findSession(context, token)).to.include({ userId: ada.id })
    expect(await findSession(context, otherToken)).not.to.equal(undefined)
  })

  describe('when the password is changed', () => {
    it('end, but for the one in which it was changed, which is confirmed', async () => {
      const [token, other] = [await start(), await start()]
      await setBack(token, 'confirmed_at', '11 minutes')
      const renewed = await changePassword(context, await get(token), PASSWORD, NEXT, ADDRESS)
      expect(await get(renewed)).to.include({ isConfirmed: true })
      for (const dead of [token, other]) expect(await findSession(context, dead)).to.equal(undefined)
      await expectRefusal(signInWith(PASSWORD), 401, SIGN_IN_REFUSED)
      expect(await signInWith(NEXT)).to.have.property('token')
    })

    it('do not become confirmed if both factors confirm them, for it takes one; and stay so if they were', async () => {
      await setUpApp(context, ada.id)
      for (const [age, isConfirmed] of [
        ['11 minutes', false],
        ['5 minutes', true],
      ] as const) {
        const token = await start()
        await setBack(token, 'confirmed_at', age)
        const before = isConfirmed ? NEXT : PASSWORD
        const after = isConfirmed ? PASSWORD : NEXT
        const renewed = await changePassword(context, await get(token), before, after, ADDRESS)
        expect(await get(renewed), age).to.include({ isConfirmed, hasSecondFactor: true })
      }
    })

    it('stay as they are if the current password is wrong', async () => {
      const [token, other] = [await start(), await start()]
      const change = changePassword(context, await get(token), 'a wrong password', NEXT, ADDRESS)
      await expectRefusal(change, 401, 'Wrong password. After several attempts, wait 15 minutes.')
      expect(await findSession(context, other)).not.to.equal(undefined)
      expect(await signInWith(PASSWORD)).to.have.property('token')
    })

    it('stay as they are if the new password is no good, and it is no attempt', async () => {
      const session = await get(await start())
      for (const next of ['short', ada.email]) {
        const change = changePassword(context, session, PASSWORD, next, ADDRESS)
        await expectRefusal(change, 400)
      }
      expect(await context.db('sign_in_attempts').first('id')).to.equal(undefined)
    })

    it('are changed by one of two at the same moment', async () => {
      const session = await get(await start())
      const results = await Promise.allSettled(
        [NEXT, `${NEXT} too`].map((next) => changePassword(context, session, PASSWORD, next, ADDRESS)),
      )
      expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(1)
    })

    it('are not confirmed by the old one that was being compared', async () => {
      const token = await start()
      const session = await get(token)
      await setBack(token, 'confirmed_at', '11 minutes')
      const holder = await context.db.transaction()
      await holder('users').where({ id: ada.id }).update({ password_hash: 'another one' })
      const confirmed = refusal(confirm(session, PASSWORD))
      await untilLocked(context)
      await holder.commit()
      expect(await confirmed).to.include({ status: 401 })
      expect(await get(token)).to.include({ id: session.id, isConfirmed: false })
    })

    it('cannot be had by a set-up link that was not used', async () => {
      const token = await linkTokenFor(context, ada.id)
      await changePassword(context, await get(await start()), PASSWORD, NEXT, ADDRESS)
      expect(await findSetUpLink(context, token)).to.equal(undefined)
    })
  })

  it('confirm nothing more after ten wrong passwords, nor does signing in', async () => {
    const session = await get(await start())
    for (let n = 0; n < 5; n += 1) {
      await refusal(confirm(session, 'a wrong password'))
      await refusal(changePassword(context, session, 'a wrong password', NEXT, ADDRESS))
    }
    await expectRefusal(confirm(session, PASSWORD), 401)
    await expectRefusal(changePassword(context, session, PASSWORD, NEXT, ADDRESS), 401)
    await expectRefusal(signInWith(PASSWORD), 401)
  })
})
