import { expect } from 'chai'
import { listApiTokens } from '../../src/database/people/api-tokens.js'
import { findTokenOwner } from '../../src/domain/people/api-tokens.js'
import type { Context } from '../../src/domain/context.js'
import { addUser, type User } from '../../src/domain/people/users.js'
import { createLine } from '../helpers/factories.js'
import type { Environment } from '../helpers/process/environment.js'
import { createInstallation } from '../journeys/support/steps.js'
import { answer, jsonAnswer, refusal } from './linehook.js'

describe('linehook token', function () {
  this.timeout(30_000)

  let environment: Environment
  let context: Context
  let ada: User

  before(async () => {
    ;({ environment, context } = await createInstallation())
    ada = await addUser(context, { email: 'ada@example.com' })
  })

  after(() => context.close())

  const run = (...args: string[]) => answer(environment, 'token', ...args)
  const runJson = (...args: string[]) => jsonAnswer(environment, 'token', ...args)
  const refuse = (...args: string[]) => refusal(environment, 'token', ...args)

  it('list says how to create one when there is none', async () => {
    expect(await run('list', 'ADA@example.com')).to.deep.equal([
      'ada@example.com has no tokens: create one with `linehook token create`.',
    ])
    expect(await runJson('list', 'ada@example.com')).to.deep.equal([])
  })

  it('create prints a token that works, list shows it without its secret, revoke ends it', async () => {
    const [token = '', ...more] = await run('create', 'ada@example.com', 'Billing')
    expect(more).to.deep.equal([])
    const { tokenId: id } = (await findTokenOwner(context, token)) ?? {}
    const [known] = await listApiTokens(context.db, ada.id)
    expect(known).to.include({ id, name: 'Billing' })

    const json = (await runJson('create', 'ada@example.com', 'Sales')) as Record<string, string>
    expect(json).to.have.all.keys('id', 'name', 'token', 'createdAt', 'expiresAt', 'isReadOnly', 'lineId')
    expect(await findTokenOwner(context, json.token ?? '')).to.include({ userId: ada.id, tokenId: json.id })

    const used = (await listApiTokens(context.db, ada.id)).map(({ lastUsedAt }) => lastUsedAt?.toISOString())
    expect(await run('list', 'ada@example.com')).to.deep.equal([
      `${json.id ?? ''}  ${used[0] ?? ''}  Sales`,
      `${id ?? ''}  ${used[1] ?? ''}  Billing`,
    ])

    expect(await run('revoke', 'ada@example.com', id ?? '')).to.deep.equal([`token ${id ?? ''} revoked`])
    expect(await findTokenOwner(context, token)).to.equal(undefined)
    expect(await runJson('revoke', 'ada@example.com', json.id ?? '')).to.deep.equal({
      id: json.id,
      revoked: true,
    })
  })

  it('create makes one that ends, only reads, or is for one line, and list says so', async () => {
    const { lineId, number } = await createLine(context, { userId: ada.id, name: 'Front desk' })
    const options = ['--expires-in-days', '7', '--read-only', '--line', number]
    const created = (await runJson('create', 'ada@example.com', 'Wall', ...options)) as Record<string, string>
    expect(created).to.include({ isReadOnly: true, lineId })
    expect(await findTokenOwner(context, created.token ?? '')).to.include({ isReadOnly: true, lineId })
    const [first = ''] = await run('list', 'ada@example.com')
    const day = created.expiresAt?.slice(0, 10) ?? ''
    expect(first).to.match(new RegExp(`Wall  \\(read only, line Front desk, expires ${day}\\)$`))
  })

  it('refuses in one line a user, a name or an id that is not there', async () => {
    const other = await createLine(context)
    expect(
      await Promise.all([
        refuse('create', 'nobody@example.com', 'Billing'),
        refuse('create', 'ada@example.com', ' '),
        refuse('create', 'ada@example.com', '\u200b'),
        refuse('revoke', 'ada@example.com', '1'),
        refuse('create', 'ada@example.com', 'Wall', '--expires-in-days', '4000'),
        refuse('create', 'ada@example.com', 'Wall', '--line', other.number),
      ]),
    ).to.deep.equal([
      'no user has the email nobody@example.com: add one with `linehook user add`',
      'name must be 1 to 100 characters: say what will use the token',
      'name must have a character that can be seen',
      'no such API token',
      'expiresInDays must be a whole number from 1 to 3650',
      'no such line',
    ])
  })
})
