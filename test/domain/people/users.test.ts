import { expect } from 'chai'
import { listUsers } from '../../../src/database/people/users.js'
import { addUser, getUser, getUserByEmail } from '../../../src/domain/people/users.js'
import { newId } from '../../../src/ids.js'
import { describeContext } from '../../helpers/context.js'
import { createPerson } from './people.js'
import { refusal } from '../refusal.js'

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

  for (const [n, name] of [undefined, '', '  ', '\0'].entries()) {
    it(`are named after their address when the name is ${name === undefined ? 'not given' : JSON.stringify(name)}`, async () => {
      const email = `unnamed${n}@example.com`
      const user = await addUser(context, { email, ...(name === undefined ? {} : { name }) })
      expect(user).to.include({ name: email })
    })
  }

  it('have addresses of their own, whatever the case', async () => {
    await addUser(context, { email: 'cleo@example.com' })
    expect(await refusal(addUser(context, { email: 'CLEO@example.com' }))).to.deep.equal({
      status: 409,
      message: 'email CLEO@example.com belongs to a user already',
    })
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
      expect(await refusal(addUser(context, { email }))).to.deep.equal({
        status: 400,
        message: 'email must be an e-mail address, such as ada@example.com',
      })
    })
  }

  it('that are not there are asked to be added', async () => {
    expect(await refusal(getUserByEmail(context, 'nobody@example.com'))).to.deep.equal({
      status: 404,
      message: 'no user has the email nobody@example.com: add one with `linehook user add`',
    })
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
      expect(await refusal(getUser(context, id))).to.deep.equal({ status: 404, message: 'no such user' })
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
    expect(await refusal(named(101))).to.deep.equal({
      status: 400,
      message: 'name must be at most 100 characters',
    })
  })
})
