import { expect } from 'chai'
import { prepareSample } from '../../../dev/start/sample.js'
import { listUsers } from '../../../src/database/people/users.js'
import type { Context } from '../../../src/domain/context.js'
import { addUser } from '../../../src/domain/people/users.js'
import { createTestContext } from '../../helpers/context.js'

const OTHER_KEY = Buffer.alloc(32, 7).toString('base64')
const RECEIVER = 'http://127.0.0.1:4001/'

describe('the sample', () => {
  let context: Context

  beforeEach(async () => {
    context = await createTestContext()
  })
  afterEach(() => context.close())

  const prepare = () => prepareSample(context, RECEIVER, RECEIVER)
  const roles = async () =>
    (await listUsers(context.db)).map(({ name, role, hasPassword }) => ({ name, role, hasPassword }))

  it('is a line of an operator who has no password yet', async () => {
    const sample = await prepare()
    expect(sample).to.include({ number: '+15005550100' })
    expect(await roles()).to.deep.equal([{ name: 'Ada', role: 'operator', hasPassword: false }])
  })

  it('is found as it was left', async () => {
    const sample = await prepare()
    expect(await prepare()).to.deep.equal(sample)
    expect(await roles()).to.have.length(1)
  })

  it('is made as a whole or not at all, so that the next start makes it', async () => {
    const seal = () => {
      throw new Error('the start is killed here')
    }
    const killed = { ...context, secrets: { ...context.secrets, seal } }
    const error = await prepareSample(killed, RECEIVER, RECEIVER).catch((each: unknown) => each)
    expect(error).to.have.property('message', 'the start is killed here')
    expect(await roles()).to.deep.equal([])
    expect(await prepare())
      .to.have.property('webhookUrl')
      .that.is.a('string')
  })

  it('gets an operator if it is older than operators are', async () => {
    await prepare()
    await context.db('users').update({ role: 'user' })
    await prepare()
    expect(await roles()).to.deep.equal([{ name: 'Ada', role: 'operator', hasPassword: false }])
  })

  it('leaves its user as it is where there is another operator', async () => {
    await prepare()
    await context.db('users').update({ role: 'user' })
    await addUser(context, { email: 'grace@example.com', name: 'Grace', role: 'operator' })
    await prepare()
    expect((await roles()).map(({ role }) => role)).to.deep.equal(['user', 'operator'])
  })

  it('is not made where there are users', async () => {
    await addUser(context, { email: 'grace@example.com' })
    expect(await prepare()).to.equal(undefined)
    expect(await listUsers(context.db)).to.have.length(1)
  })

  it('is found without its secrets where their key is gone, so that they can be replaced', async () => {
    await prepare()
    const { databaseUrl: DATABASE_URL, redisUrl: REDIS_URL } = context.config
    const without = await createTestContext({ DATABASE_URL, REDIS_URL, ENCRYPTION_KEY: OTHER_KEY })
    try {
      expect(await prepareSample(without, RECEIVER, RECEIVER)).to.deep.equal({
        number: '+15005550100',
        webhookUrl: undefined,
        signingSecret: undefined,
      })
    } finally {
      await without.close()
    }
  })
})
