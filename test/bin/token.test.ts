import { expect } from 'chai'
import { listApiTokens } from '../../src/database/people/api-tokens.js'
import { findTokenOwner } from '../../src/domain/people/api-tokens.js'
import { addUser, type User } from '../../src/domain/people/users.js'
import { createLine } from '../helpers/factories.js'
import { describeCommands } from './linehook.js'

describeCommands('linehook token', ({ context, run: command, json, refuse }) => {
  let ada: User

  before(async () => {
    ada = await addUser(context, { email: 'ada@example.com' })
  })

  const run = (...args: string[]) => command('token', ...args)

  it('list says how to create one when there is none', async () => {
    expect(await run('list', 'ADA@example.com')).to.deep.equal([
      'ada@example.com has no tokens. Create one with `linehook token create`.',
    ])
    expect(await json('token', 'list', 'ada@example.com')).to.deep.equal([])
  })

  it('create prints a token that works, list shows it without its secret, revoke ends it', async () => {
    const [token = '', ...more] = await run('create', 'ada@example.com', 'Billing')
    expect(more).to.deep.equal([])
    const { tokenId: id } = (await findTokenOwner(context, token)) ?? {}
    const [known] = await listApiTokens(context.db, ada.id)
    expect(known).to.include({ id, name: 'Billing' })

    const sales = await json<Record<string, string>>('token', 'create', 'ada@example.com', 'Sales')
    expect(sales).to.have.all.keys('id', 'name', 'token', 'createdAt', 'expiresAt', 'isReadOnly', 'lineId')
    expect(await findTokenOwner(context, sales.token ?? '')).to.include({ userId: ada.id, tokenId: sales.id })

    const used = (await listApiTokens(context.db, ada.id)).map(({ lastUsedAt }) => lastUsedAt?.toISOString())
    expect(await run('list', 'ada@example.com')).to.deep.equal([
      `${sales.id ?? ''}  ${used[0] ?? ''}  Sales`,
      `${id ?? ''}  ${used[1] ?? ''}  Billing`,
    ])

    expect(await run('revoke', 'ada@example.com', id ?? '')).to.deep.equal([`token ${id ?? ''} revoked`])
    expect(await findTokenOwner(context, token)).to.equal(undefined)
    expect(await json('token', 'revoke', 'ada@example.com', sales.id ?? '')).to.deep.equal({
      id: sales.id,
      revoked: true,
    })
  })

  it('create makes one that ends, only reads, or is for one line, and list says so', async () => {
    const { lineId, number } = await createLine(context, { userId: ada.id, name: 'Front desk' })
    const options = ['--expires-in-days', '7', '--read-only', '--line', number]
    const created = await json<Record<string, string>>(
      ...['token', 'create', 'ada@example.com', 'Wall', ...options],
    )
    expect(created).to.include({ isReadOnly: true, lineId })
    expect(await findTokenOwner(context, created.token ?? '')).to.include({ isReadOnly: true, lineId })
    const [first = ''] = await run('list', 'ada@example.com')
    const day = created.expiresAt?.slice(0, 10) ?? ''
    expect(first).to.match(new RegExp(`Wall  \\(read only, line Front desk, expires ${day}\\)$`))
  })

  it('refuses in one line a user, a name or an id that is not there', async () => {
    const other = await createLine(context)
    const create = ['create', 'ada@example.com']
    for (const [args, sentence] of [
      [
        ['create', 'nobody@example.com', 'Billing'],
        'No user has the email nobody@example.com. Add one with `linehook user add`',
      ],
      [[...create, ' '], 'name must have 1 to 100 characters. Say what the token is for'],
      [[...create, '\u200b'], 'name must contain at least one visible character'],
      [['revoke', 'ada@example.com', '1'], 'No such API token. See `linehook token list`'],
      [
        [...create, 'Wall', '--expires-in-days', '4000'],
        '--expires-in-days must be a whole number from 1 to 3650',
      ],
      [[...create, 'Wall', '--line', other.number], 'No such line. See `linehook line list`'],
    ] as const) {
      expect(await refuse('token', ...args)).to.equal(sentence)
    }
  })
})
