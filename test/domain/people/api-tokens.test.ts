import { expect } from 'chai'
import { listApiTokens } from '../../../src/database/people/api-tokens.js'
import { createApiToken, findTokenOwner, removeApiToken } from '../../../src/domain/people/api-tokens.js'
import { listAudit } from '../../../src/domain/operating/audit.js'
import { addUser } from '../../../src/domain/people/users.js'
import { newId } from '../../../src/ids.js'
import { newToken } from '../../../src/secrets.js'
import { openHolder } from '../../database/hold.js'
import { describeContext } from '../../helpers/context.js'
import { createLine } from '../../helpers/factories.js'
import { expectRefusal } from '../refusal.js'
import { changeRows, untilLocked } from '../fixtures.js'

const UNUSED = {
  lastUsedAt: null,
  expiresAt: null,
  isExpired: false,
  isReadOnly: false,
  lineId: null,
  lineName: null,
}

describeContext('API tokens', { acquireTimeoutMs: 10_000 }, (context) => {
  let userId: string
  let count = 0

  beforeEach(async () => {
    count += 1
    userId = (await addUser(context, { email: `owner${count}@example.com` })).id
  })

  const setLastUsed = (id: string, age: string) =>
    changeRows(context, 'api_tokens', id, { last_used_at: context.db.raw('now() - ?::interval', [age]) })
  const lastUsedMs = async (id: string) =>
    (await listApiTokens(context.db, userId)).find((token) => token.id === id)?.lastUsedAt?.getTime()

  it('are told once, and lead to their owner', async () => {
    const created = await createApiToken(context, userId, ' Billing ')
    expect(created.token).to.match(/^lhp_[\w-]{43}$/)
    expect(created.name).to.equal('Billing')
    expect(await findTokenOwner(context, created.token)).to.deep.equal({
      userId,
      tokenId: created.id,
      isReadOnly: false,
      lineId: null,
    })
  })

  it('are noted as used once by requests that come together', async () => {
    const { id, token } = await createApiToken(context, userId, 'Billing')
    const trx = await openHolder(context.db)
    await trx('api_tokens').where({ id }).update({ last_used_at: trx.fn.now() })
    const second = findTokenOwner(context, token)
    await untilLocked(context)
    await trx.commit()
    const first = await lastUsedMs(id)
    expect(await second).to.include({ tokenId: id })
    expect(await lastUsedMs(id)).to.equal(first)
  })

  it('are kept as their hash only', async () => {
    const { id, token } = await createApiToken(context, userId, 'Billing')
    const { rows } = await context.db.raw<{ rows: [{ row: string }] }>(
      'select row_to_json(t)::text as row from api_tokens t where id = ?',
      [id],
    )
    expect(rows[0].row).not.to.contain(token).and.not.to.contain(token.slice(4))
    expect(rows[0].row).not.to.contain(Buffer.from(token).toString('hex'))
  })

  it('are listed newest first, each user their own', async () => {
    const first = await createApiToken(context, userId, 'first')
    const second = await createApiToken(context, userId, 'second')
    const other = await addUser(context, { email: `other${count}@example.com` })
    await createApiToken(context, other.id, 'of somebody else')
    expect(await listApiTokens(context.db, userId)).to.deep.equal([
      { id: second.id, name: 'second', createdAt: second.createdAt, ...UNUSED },
      { id: first.id, name: 'first', createdAt: first.createdAt, ...UNUSED },
    ])
  })

  it('note a use at most once a minute', async () => {
    const { id, token } = await createApiToken(context, userId, 'Billing')
    await findTokenOwner(context, token)
    expect(await lastUsedMs(id)).to.be.closeTo(Date.now(), 60_000)
    await setLastUsed(id, '50 seconds')
    const before = await lastUsedMs(id)
    await findTokenOwner(context, token)
    expect(await lastUsedMs(id)).to.equal(before)

    await setLastUsed(id, '61 seconds')
    await findTokenOwner(context, token)
    expect(await lastUsedMs(id)).to.be.greaterThan(before!)
  })

  it('lead to their owner in many requests at once', async () => {
    const { id, token } = await createApiToken(context, userId, 'Billing')
    const owners = await Promise.all(Array.from({ length: 30 }, () => findTokenOwner(context, token)))
    expect(owners.map((owner) => owner?.tokenId)).to.deep.equal(owners.map(() => id))
  })

  it('stop working when they are removed', async () => {
    const { id, token } = await createApiToken(context, userId, 'Billing')
    await removeApiToken(context, userId, id)
    expect(await findTokenOwner(context, token)).to.equal(undefined)
    expect(await listApiTokens(context.db, userId)).to.deep.equal([])
    await expectRefusal(removeApiToken(context, userId, id), 404, 'No such API token')
  })

  it('cannot be removed by another user, nor by what is no id', async () => {
    const { id, token } = await createApiToken(context, userId, 'Billing')
    const other = await addUser(context, { email: `other${count}@example.com` })
    for (const [user, wrong] of [
      [other.id, id],
      [userId, newId()],
      [userId, "' or true"],
    ] as const) {
      await expectRefusal(removeApiToken(context, user, wrong), 404)
    }
    expect(await findTokenOwner(context, token)).to.include({ userId })
  })

  it('need a name', async () => {
    const refused = createApiToken(context, userId, ' ')
    await expectRefusal(refused, 400, 'name must have 1 to 100 characters. Say what the token is for')
  })

  for (const [what, token] of [
    ['nothing', ''],
    ['only the prefix', 'lhp_'],
    ['a NUL', 'lhp_\0'],
    ['a token without the prefix', newToken()],
    ['what nobody was given', `lhp_${newToken()}`],
    ['one character too many', `lhp_${newToken()}x`],
    ['other letters', 'é'.repeat(47)],
  ] as const) {
    it(`do not lead to anybody by ${what}`, async () => {
      expect(await findTokenOwner(context, token)).to.equal(undefined)
    })
  }

  it('are at most 100 for a user, also when they are asked for at the same moment', async () => {
    await Promise.all(Array.from({ length: 98 }, (_, n) => createApiToken(context, userId, `token ${n}`)))
    const results = await Promise.allSettled(
      Array.from({ length: 6 }, () => createApiToken(context, userId, 'one more')),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(2)
    const refused = createApiToken(context, userId, 'one more')
    await expectRefusal(refused, 409, 'You can have up to 100 API tokens. Revoke one you no longer use')
  })

  it('end by themselves after the days that were chosen', async () => {
    const { id, token, createdAt, expiresAt } = await createApiToken(context, userId, 'Billing', {
      expiresInDays: 30,
    })
    expect(expiresAt!.getTime() - createdAt.getTime()).to.equal(30 * 86_400_000)
    expect(await findTokenOwner(context, token)).to.include({ userId })

    await changeRows(context, 'api_tokens', id, { expires_at: context.db.fn.now() })
    expect(await findTokenOwner(context, token)).to.equal(undefined)
    expect((await listApiTokens(context.db, userId))[0]).to.include({ id, isExpired: true })
  })

  it('that may do less say so, in what they begin with too', async () => {
    const { lineId, userId } = await createLine(context, { name: 'Front desk' })
    for (const scope of [
      { isReadOnly: true, lineId: null },
      { isReadOnly: false, lineId },
      { isReadOnly: true, lineId },
    ]) {
      const { id, token } = await createApiToken(context, userId, 'Billing', scope)
      expect(token).to.match(/^lhs_[\w-]{43}$/)
      expect(await findTokenOwner(context, token)).to.deep.equal({ userId, tokenId: id, ...scope })
      const lineName = scope.lineId === null ? null : 'Front desk'
      expect((await listApiTokens(context.db, userId))[0]).to.include({ id, ...scope, lineName })
    }
  })

  it('say in the audit log what they may do, and nothing of what they are not', async () => {
    const { lineId, userId } = await createLine(context)
    const { expiresAt } = await createApiToken(context, userId, 'x', {
      lineId,
      isReadOnly: true,
      expiresInDays: 1,
    })
    await createApiToken(context, userId, 'y')
    const rows = await listAudit(context, { userId, actions: ['api_token.created'] }, { limit: 2 })
    expect(rows.map(({ after }) => after)).to.deep.equal([
      { name: 'y' },
      { name: 'x', expiresAt: expiresAt!.toISOString(), isReadOnly: true, lineId },
    ])
  })

  it('are not for a line of somebody else, of nobody, or what is no line', async () => {
    const { lineId } = await createLine(context)
    for (const wrong of [lineId, newId(), 'x']) {
      await expectRefusal(createApiToken(context, userId, 'Billing', { lineId: wrong }), 404, 'No such line')
    }
  })

  for (const expiresInDays of [0, -1, 1.5, 3651, NaN]) {
    it(`cannot end in ${expiresInDays} days`, async () => {
      const refused = createApiToken(context, userId, 'Billing', { expiresInDays })
      await expectRefusal(refused, 400, 'expiresInDays must be a whole number from 1 to 3650')
    })
  }

  it('are looked up in one statement', async () => {
    const { token } = await createApiToken(context, userId, 'Billing')
    const statements: string[] = []
    context.db.on('query', ({ sql }: { sql: string }) => statements.push(sql))
    await findTokenOwner(context, token)
    context.db.removeAllListeners('query')
    expect(statements).to.have.length(1)
  })

  it('are not for users who are not there', async () => {
    for (const id of [newId(), 'nobody']) {
      await expectRefusal(createApiToken(context, id, 'Billing'), 404)
    }
  })
})
